package synchrotrace

import (
	"bytes"
	"fmt"
	"strconv"
)

// eventKind is what a line is about.
type eventKind uint8

const (
	compute eventKind = iota
	communication
	call
	marker
)

// span is a range of bytes, both ends included.
type span struct {
	first, last uint64
	written     bool
	// thread and event wrote the bytes (communication).
	thread, event uint64
}

// event is one line.
type event struct {
	kind       eventKind
	numbered   bool
	number     uint64
	operations uint64 // instructions
	spans      []span
	call       uint64
	objects    [2]uint64
}

// parse reads a line and tells what is wrong with it.
func (e *event) parse(line []byte) string {
	fields := bytes.Fields(line)
	*e = event{spans: e.spans[:0]}
	if len(fields) == 0 {
		return "the line is empty"
	}
	switch first := fields[0]; {
	case string(first) == "!":
		e.kind = marker
		return ""
	case string(first) == "@" && len(fields) > 1:
		return e.compute(bytes.Split(fields[1], []byte(",")), fields[2:])
	case string(first) == "#":
		return e.communicate(fields)
	case string(first) == "^" && len(fields) == 2:
		return e.called(fields[1])
	case first[0] >= '0' && first[0] <= '9':
		return e.older(bytes.Split(first, []byte(",")), fields[1:])
	}
	return fmt.Sprintf("%.40q is not an event; an event starts with @, #, ^, ! or its number", line)
}

// older reads an event that begins with its number and thread.
func (e *event) older(head, rest [][]byte) string {
	number, err := strconv.ParseUint(string(head[0]), 10, 64)
	if err != nil || len(head) < 2 {
		return fmt.Sprintf("%.40q is no number of an event", head[0])
	}
	var problem string
	switch {
	case len(head) == 2 && len(rest) > 0:
		problem = e.communicate(rest)
	case len(head) == 3 && len(rest) == 0:
		words, ok := bytes.CutPrefix(head[2], []byte("pth_ty:"))
		if !ok {
			return fmt.Sprintf("%.40q is no call; one is pth_ty:TYPE^ADDRESS", head[2])
		}
		problem = e.called(words)
	default:
		problem = e.compute(head[2:], rest)
	}
	e.numbered, e.number = true, number
	return problem
}

func (e *event) compute(counts, ranges [][]byte) string {
	e.kind = compute
	if len(counts) != 4 || len(ranges)%3 != 0 {
		return "a computation is four counts, and a $ or * with two addresses for each range"
	}
	for _, text := range counts {
		n, err := strconv.ParseUint(string(text), 10, 32)
		if err != nil {
			return fmt.Sprintf("%.40q is no count", text)
		}
		e.operations += n
	}
	for ; len(ranges) > 0; ranges = ranges[3:] {
		s := span{written: string(ranges[0]) == "$"}
		if !s.written && string(ranges[0]) != "*" {
			return fmt.Sprintf("%.40q is neither $ nor *", ranges[0])
		}
		if problem := s.addresses(ranges[1], ranges[2]); problem != "" {
			return problem
		}
		e.spans = append(e.spans, s)
	}
	return ""
}

func (e *event) communicate(fields [][]byte) string {
	e.kind = communication
	if len(fields)%5 != 0 {
		return "a communication is # with a thread, an event and two addresses"
	}
	for ; len(fields) > 0; fields = fields[5:] {
		var s span
		var e1, e2 error
		s.thread, e1 = strconv.ParseUint(string(fields[1]), 10, 16)
		s.event, e2 = strconv.ParseUint(string(fields[2]), 10, 64)
		if string(fields[0]) != "#" || e1 != nil || e2 != nil || s.thread == 0 {
			return "a communication is # with a thread from 1, an event and two addresses"
		}
		if problem := s.addresses(fields[3], fields[4]); problem != "" {
			return problem
		}
		e.spans = append(e.spans, s)
	}
	e.operations = uint64(len(e.spans))
	return ""
}

// limitSpan bounds a range; larger ones are taken for mistakes.
const limitSpan = 1 << 16

func (s *span) addresses(first, last []byte) string {
	var e1, e2 error
	s.first, e1 = strconv.ParseUint(string(first), 0, 64)
	s.last, e2 = strconv.ParseUint(string(last), 0, 64)
	if e1 != nil || e2 != nil || s.last < s.first || s.last-s.first >= limitSpan || s.last == ^uint64(0) {
		return fmt.Sprintf("%.40q to %.40q is no range of bytes", first, last)
	}
	return ""
}

// called reads TYPE^ADDRESS, perhaps with &ADDRESS.
func (e *event) called(text []byte) string {
	e.kind, e.operations = call, 1
	kind, objects, ok := bytes.Cut(text, []byte("^"))
	object, second, both := bytes.Cut(objects, []byte("&"))
	var errs [3]error
	e.call, errs[0] = strconv.ParseUint(string(kind), 10, 8)
	e.objects[0], errs[1] = strconv.ParseUint(string(object), 0, 64)
	if both {
		e.objects[1], errs[2] = strconv.ParseUint(string(second), 0, 64)
	}
	if !ok || errs != [3]error{} || e.call == 0 || e.call > 15 {
		return fmt.Sprintf("%.40q is no call; one is a type from 1 to 15, ^ and an address", text)
	}
	return ""
}

// Sniff reports whether a file that begins like this, decompressed, may be of this format: all
// whole lines are events.
func Sniff(head []byte) bool {
	var e event
	found := false
	for {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		if !whole {
			return found
		}
		if e.parse(line) != "" {
			return false
		}
		found, head = true, rest
	}
}

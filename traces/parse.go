package traces

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
)

// Text is a trace read from its text form: a source in memory with its metadata.
type Text struct {
	*Memory
	metadata Metadata
	pages    [][]Page
}

// Metadata is that of the text, or says that there was none.
func (t *Text) Metadata() Metadata { return t.metadata }

// ReadPages returns the page map of a core's address space.
func (t *Text) ReadPages(core int) ([]Page, error) {
	if core < 0 || core >= len(t.pages) {
		return nil, fmt.Errorf("core %d: the trace has cores 0 to %d", core, len(t.pages)-1)
	}
	return t.pages[core], nil
}

// textParser is the state while a text is read.
type textParser struct {
	name     string
	line     int
	core     int
	records  [][]Record
	edges    [][]Edge
	pages    [][]Page
	metadata *Metadata
}

// ParseText reads a trace in text form. Errors name the line; name is the file's, for messages.
func ParseText(name string, from io.Reader) (*Text, error) {
	p := &textParser{name: name, core: -1}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), limitJSON)
	for lines.Scan() {
		p.line++
		text := strings.TrimSpace(lines.Text())
		if p.line == 1 && text != textHead {
			return nil, &Error{File: name, Core: -1, Offset: 0, Err: ErrNotATrace, Problem: "the first line is not " + strconv.Quote(textHead)}
		}
		if p.line == 1 || text == "" || text[0] == '#' {
			continue
		}
		if problem := p.parse(text); problem != "" {
			return nil, p.fault(ErrIllegal, problem)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, p.fault(ErrCorrupt, err.Error())
	}
	return p.finish()
}

func (p *textParser) fault(condition error, problem string) error {
	e := &Error{File: p.name, Core: p.core, Offset: -1, Err: condition, Problem: fmt.Sprintf("line %d: %s", p.line, problem)}
	if p.core >= 0 {
		e.Stream, e.Record = RecordStream, uint64(len(p.records[p.core]))
	}
	return e
}

func (p *textParser) finish() (*Text, error) {
	if len(p.records) == 0 {
		return nil, p.fault(ErrMissingStream, "the text has no line \"core 0\"")
	}
	m := DefaultMetadata("text", len(p.records))
	if p.metadata != nil {
		m = *p.metadata
		if m.Cores < len(p.records) || m.Cores > limitCores {
			return nil, p.fault(ErrIllegal, fmt.Sprintf("the metadata has %d cores, the text %d", m.Cores, len(p.records)))
		}
	}
	p.grow(m.Cores - 1)
	if err := m.Validate(); err != nil {
		return nil, p.fault(ErrIllegal, err.Error())
	}
	t := &Text{Memory: NewMemory(p.records, p.edges), metadata: m, pages: p.pages}
	return t, nil
}

func (p *textParser) grow(core int) {
	for len(p.records) <= core {
		p.records, p.edges, p.pages = append(p.records, nil), append(p.edges, nil), append(p.pages, nil)
	}
}

// parse reads one line and tells what is wrong with it.
func (p *textParser) parse(text string) string {
	if rest, ok := strings.CutPrefix(text, "metadata "); ok {
		p.metadata = new(Metadata)
		if err := json.Unmarshal([]byte(rest), p.metadata); err != nil {
			return "the metadata is not JSON: " + err.Error()
		}
		return ""
	}
	fields := strings.Fields(text)
	switch {
	case fields[0] == "core" && len(fields) == 2:
		n, err := strconv.ParseUint(fields[1], 0, 16)
		if err != nil {
			return "cores are numbered 0 to 65535"
		}
		p.core = int(n)
		p.grow(p.core)
		return ""
	case fields[0] == "page" && len(fields) == 4:
		return p.parsePage(fields[1:])
	case p.core < 0:
		return "a line \"core N\" must come before the records"
	case fields[0] == "edge" && len(fields) == 3:
		producer, e1 := strconv.ParseUint(fields[1], 0, 16)
		position, e2 := strconv.ParseUint(fields[2], 0, 64)
		if e1 != nil || e2 != nil {
			return "an edge is \"edge CORE RECORD\""
		}
		p.edges[p.core] = append(p.edges[p.core], Edge{At: uint64(len(p.records[p.core])), Position: position, Producer: uint16(producer)})
		return ""
	case fields[0][0] == '+' && len(fields) >= 2:
		var r Record
		problem := parseRecord(fields, &r)
		if s := p.records[p.core]; problem == "" && len(s) > 0 && s[len(s)-1].Kind == End {
			problem = "a record follows the end"
		}
		p.records[p.core] = append(p.records[p.core], r)
		return problem
	}
	return fmt.Sprintf("%q is not a line of a trace; a line starts with core, page, edge, metadata or +", text)
}

func (p *textParser) parsePage(fields []string) string {
	core, e1 := strconv.ParseUint(fields[0], 0, 16)
	virtual, e2 := strconv.ParseUint(fields[1], 0, 64)
	frame, e3 := strconv.ParseUint(fields[2], 0, 64)
	if e1 != nil || e2 != nil || e3 != nil {
		return "a page is \"page CORE VIRTUAL FRAME\""
	}
	p.grow(int(core))
	p.pages[core] = append(p.pages[core], Page{Virtual: virtual, Frame: frame})
	return ""
}

// parseRecord reads "+N kind ...".
func parseRecord(fields []string, r *Record) string {
	n, err := strconv.ParseUint(fields[0][1:], 0, 32)
	if err != nil {
		return "a record starts with +N, the number of instructions since the previous record"
	}
	r.Instructions = uint32(n)
	r.Kind, _ = KindOf(fields[1])
	args := fields[2:]
	switch {
	case (r.Kind == Lock || r.Kind == Unlock) && len(args) == 2 && args[1] == "sleeps":
		args, r.Size = args[:1:1], Sleeps
	case r.Kind.IsAccess() && len(args) == 4 && args[2] == "after":
		args = append(args[:2:2], args[3])
	case r.Kind == Barrier && len(args) == 3 && args[1] == "of":
		args = append(args[:1:1], args[2])
	case r.Kind.IsAccess() && len(args) != 2, r.Kind == Barrier:
		return "an access has an address, a size and perhaps \"after N\"; a barrier has a number and \"of N\""
	}
	if len(args) > 3 {
		return "too many words"
	}
	var numbers [3]uint64
	for i, word := range args {
		if numbers[i], err = strconv.ParseUint(word, 0, 64); err != nil {
			return fmt.Sprintf("%q is no number", word)
		}
	}
	return fillRecord(r, len(args), numbers)
}

// fillRecord puts the numbers of a line into the record that they fit.
func fillRecord(r *Record, args int, numbers [3]uint64) string {
	r.Address = numbers[0]
	switch {
	case r.Kind.IsAccess():
		size := numbers[1]
		if bits.OnesCount64(size) != 1 || size > LineBytes {
			return "sizes are 1, 2, 4 to 64 bytes"
		}
		if numbers[2] > 1<<16-1 {
			return "dependences reach back at most 65535 accesses"
		}
		r.Size, r.Dependence = uint8(bits.TrailingZeros64(size)), uint16(numbers[2])
		return ""
	case r.Kind == Barrier:
		if numbers[1] > 1<<16-1 {
			return "barriers are of at most 65535 cores"
		}
		r.Count = uint16(numbers[1])
		return ""
	case (r.Kind == Lock || r.Kind == Unlock || r.Kind == Create || r.Kind == Join) && args == 1:
		return ""
	case (r.Kind == Fence || r.Kind == End) && args == 0:
		return ""
	}
	return "the kind does not exist, or has other words after it"
}

package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// streamVersion is STREAM_VERSION of plugin/stream.h.
const streamVersion = 7

const messageBytes = 16

// kind of a message; the values are those of plugin/stream.h.
type kind uint8

const (
	kindLoad    kind = 0
	kindStore   kind = 1
	kindAtomic  kind = 2
	kindFetch   kind = 3
	kindCleared kind = 4
	kindDevice  kind = 5
	kindFence   kind = 6 // of other executors than the plugin; see Processors
	kindProcess kind = 16
	kindStarted kind = 17
	kindEnded   kind = 18
	kindWakes   kind = 19
	kindWoken   kind = 20
	kindOver    kind = 21
	kindWork    kind = 22
	kindUnknown kind = 23
	kindArrives kind = 24
	kindLocks   kind = 25
	kindUnlocks kind = 26
	kindShown   kind = 27
)

// Of an access, plugin/stream.h packs the instructions and the distance to the load that it depends
// on into one number.
const (
	instructionBits  = 22
	mostInstructions = 1<<instructionBits - 1
	mostDistance     = 1023 // messages
)

const noThread = ^uint64(0)

// flags of an access to a machine's memory, in the upper bits of a message's size; the values are
// those of plugin/stream.h.
type flags uint8

const (
	missed    flags = 0x08 // an exchange has not found zero and, after a comparison, left what it found
	foundZero flags = 0x10 // an atomic has found zero
	leftZero  flags = 0x20 // a store or an atomic has left zero
	exchange  flags = 0x40 // an atomic exchanges, with or without a comparison
	bySystem  flags = 0x80
	sizeBits        = 0x07
)

// Reason says why a recording ended.
type Reason uint8

// The reasons.
const (
	ProgramEnded Reason = iota
	InstructionsReached
	RecordsReached
	FunctionReached
	MarkerReached
	// CutOff: the program was killed, or executed another program; the last 4096 messages may be
	// missing.
	CutOff
)

var reasonNames = [...]string{"the program ended", "the number of instructions was reached", "the number of accesses was reached",
	"the function at the region's end was entered", "the marker of the region's end was reached", "the program was killed or replaced by another"}

// String returns the reason in words.
func (r Reason) String() string { return reasonNames[r] }

// message is one message of the plugin.
type message struct {
	value        uint64
	instructions uint32
	kind         kind
	size         uint8
	distance     uint16 // accesses of the thread back to the load that an access depends on, or 0
	system       bool   // an access of the operating system
	flags        flags  // the others
	thread       uint16
	pair         bool   // as in Step
	second       uint32 // as in Step
}

var errStream = errors.New("the plugin's stream is damaged")

// stream reads the messages of one process.
type stream struct {
	from *bufio.Reader
	read uint64
}

func newStream(r io.Reader) *stream { return &stream{from: bufio.NewReaderSize(r, 4096*messageBytes)} }

// next fills messages with at least one message, or returns io.EOF. A message cut short is the end,
// too: a process can be killed at any moment.
func (s *stream) next(into []message) (int, error) {
	if _, err := s.from.Peek(messageBytes); err != nil {
		if err == io.EOF {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("%w after %d messages: %w", errStream, s.read, err)
	}
	n := min(len(into), s.from.Buffered()/messageBytes)
	b, err := s.from.Peek(n * messageBytes)
	if err != nil {
		return 0, err
	}
	for i := range into[:n] {
		m := decode(b[i*messageBytes:])
		if problem := m.check(s.read == 0); problem != "" {
			return 0, fmt.Errorf("%w at message %d, byte %d: %s", errStream, s.read, s.read*messageBytes, problem)
		}
		into[i] = m
		s.read++
	}
	_, err = s.from.Discard(n * messageBytes)
	return n, err
}

func decode(b []byte) message {
	m := message{value: binary.LittleEndian.Uint64(b), instructions: binary.LittleEndian.Uint32(b[8:]), kind: kind(b[12]),
		size: b[13] & sizeBits, system: flags(b[13])&bySystem != 0, flags: flags(b[13]) &^ (bySystem | sizeBits), thread: binary.LittleEndian.Uint16(b[14:])}
	if m.kind <= kindDevice {
		m.instructions, m.distance = m.instructions&mostInstructions, uint16(m.instructions>>instructionBits)
	}
	return m
}

// check returns what is wrong with a message.
func (m message) check(first bool) string {
	switch {
	case first && (m.kind != kindProcess || m.value != streamVersion):
		return fmt.Sprintf("the plugin does not introduce itself with version %d", streamVersion)
	case !first && m.kind == kindProcess:
		return "the plugin introduces itself twice"
	case m.kind == kindProcess && m.size != 0:
		return "the plugin introduces itself with a size"
	case m.kind <= kindDevice && m.size > 6:
		return fmt.Sprintf("an access of 2^%d bytes", m.size)
	case m.kind > kindDevice && m.kind < kindProcess || m.kind > kindShown:
		return fmt.Sprintf("kind %d", m.kind)
	case m.kind == kindOver && m.value >= uint64(CutOff):
		return fmt.Sprintf("reason %d", m.value)
	}
	return ""
}

package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// streamVersion is STREAM_VERSION of plugin/stream.h.
const streamVersion = 12

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
	kindLeaves  kind = 28
	kindHalts   kind = 29
)

// Of an access, plugin/stream.h packs the instructions and the distance to the load that it depends
// on into one number.
const (
	instructionBits  = 22
	mostInstructions = 1<<instructionBits - 1
	mostDistance     = 1023 // messages
)

// addressBits are those of the address of an access, as plugin/stream.h has it. Those above are a
// hash of the place in the program's code.
const addressBits = 48

const noThread = ^uint64(0)

// flags of an access, in the upper bits of a message's size; the values are those of
// plugin/stream.h. Programs' accesses have leftZero and exchange, and missed for each XCHG.
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
	before       uint64 // as in Step, if valued
	after        uint64
	valued       bool // before and after are known
	leaves       bool // after is known
	again        bool // as in Step
	known        bool // as in Step
	tries        bool // likewise
	decides      bool // likewise
	place        uint64
	ends         bool // as in Step
	polls        bool // a load that is repeated until it finds a new value
}

var errStream = errors.New("the plugin's stream is damaged")

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
		m.place, m.value = m.value>>addressBits, m.value&(1<<addressBits-1)
		m.instructions, m.distance = m.instructions&mostInstructions, uint16(m.instructions>>instructionBits)
	}
	return m
}

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
	case m.kind > kindDevice && m.kind < kindProcess || m.kind > kindHalts:
		return fmt.Sprintf("kind %d", m.kind)
	case m.kind == kindOver && m.value >= uint64(CutOff):
		return fmt.Sprintf("reason %d", m.value)
	}
	return ""
}

// Processors makes a trace of what processors do that some other program executes, by the rules
// for machines: edges keep the order of accesses, and words that are used as locks become Lock
// and Unlock records (synchronise.go). All calls come in the order of the execution. Addresses
// are physical.
type Processors struct {
	k *converter
	p *process
}

// NewProcessors makes one that writes to a trace with as many cores.
func NewProcessors(cores int, out *traces.Writer) *Processors {
	k := newConverter(Config{Cores: cores, System: &System{}}, out)
	p := &Processors{k: k, p: k.newProcess()}
	for core := range cores {
		k.appear(p.p, uint16(core))
	}
	return p
}

// Step is an access or a fence of a processor.
type Step struct {
	traces.Record        // Dependence counts the processor's accesses, as they were told
	Before        uint64 // of a store or an atomic: the value at the address
	After         uint64 // likewise, afterwards
	Exchange      bool   // an atomic exchanges, with or without a comparison
	// Pair is set for the second of two accesses that are an exchange together. Both become one
	// lock, or one record each; Second are the instructions that belong to the second one.
	Pair   bool
	Second uint32
	// Again is set for a load that repeats an earlier one of the processor: it has been here
	// before with the same registers, and has stored nothing since.
	Again bool
	// Known is set for a load whose value decides nothing: the processor does the same with what it
	// knew, the value that it stored there or has found by its latest load that was ordered.
	Known bool
	// Tries is set for a load that begins an attempt to change the word (traces.Tries), and for the
	// exchange that ends it.
	Tries bool
	// Decides is set for a fetch-and-add if the processor takes another branch if it comes before the
	// addition before it.
	Decides bool
	// Ends is set for the atomic by which the operating system tells others that the thread of the processor has ended.
	// A step of another one that comes after it joins the thread.
	Ends bool
	// Place tells accesses apart by where the program makes them: equal ones at one place in the
	// code, or at one distance from the stack pointer at the processor's latest fetch-and-add. 0
	// is no place.
	Place uint64
}

// Take takes what a processor has done.
func (p *Processors) Take(core int, s *Step) error {
	m := message{value: s.Address, instructions: s.Instructions, size: s.Size, distance: s.Dependence, thread: uint16(core), pair: s.Pair, second: s.Second, again: s.Again, known: s.Known, tries: s.Tries, decides: s.Decides, ends: s.Ends, place: s.Place,
		kind: [...]kind{traces.Load: kindLoad, traces.Store: kindStore, traces.Atomic: kindAtomic, traces.Fetch: kindFetch, traces.Fence: kindFence}[s.Kind]}
	if m.valued = s.Kind == traces.Store || s.Kind == traces.Atomic; m.valued {
		m.before, m.after = s.Before, s.After
		m.flags = flag(s.After == 0, leftZero)
	}
	if s.Kind == traces.Atomic {
		m.flags |= flag(s.Exchange, exchange) | flag(s.Before == 0, foundZero) | flag(s.Exchange && s.Before != 0 && s.After != 0 && !s.Pair, missed)
	}
	return p.k.take(p.p, &m)
}

// flag is a value where something holds, else 0.
func flag[T flags | uint8 | uint32 | uint64](is bool, value T) T {
	if is {
		return value
	}
	return 0
}

// Waits takes the call of a processor to the operating system to sleep until a word of memory
// changes, or to wake such a sleeper. It reports whether the call belongs to a lock, whose records
// represent it: then neither it nor its consequences are to be reported.
func (p *Processors) Waits(core int, address uint64, wakes bool) bool {
	t, w := p.p.threads[uint16(core)], p.k.words.at(address, 4)
	if t.barrier != nil && !wakes {
		t.barrier.waits |= traces.Sleeps
		return true
	}
	if t.sleepsAt(address, wakes) {
		return true
	}
	if w == nil || w.refuted {
		return false
	}
	if !wakes {
		w.lock.waits = traces.Sleeps
		return t.spins == w
	}
	return t.freed == w && w.trusted()
}

// Call is what a function of a library does to synchronise threads.
type Call uint8

// The calls.
const (
	Locks   Call = iota + 1 // takes a lock alone
	Shares                  // takes a lock that others may share
	Unlocks                 // releases it
	Meets                   // waits at a barrier
)

// Enters takes that a processor calls such a function for an object at an address, after so many
// instructions. Until it returns, only the number of its accesses is to be told (Skips), and its
// calls to the operating system to sleep (Waits).
func (p *Processors) Enters(core int, c Call, address uint64, instructions uint32) {
	t := p.p.threads[uint16(core)]
	p.k.flush(p.p, t)
	p.k.cores[core].instructions += uint64(instructions)
	switch c {
	case Unlocks:
		p.k.synchronise(p.p, t, &message{kind: kindUnlocks, value: address, instructions: traces.Sleeps})
	case Meets:
		// The number of instructions is not known until the first one returns.
		p.k.arrive(p.p, t, &message{kind: kindArrives, value: address, instructions: most | traces.Exchanges<<waysShift})
	}
}

// Returns takes that the function returns, and whether it has failed to take the lock.
func (p *Processors) Returns(core int, c Call, address uint64, failed bool) {
	t := p.p.threads[uint16(core)]
	switch {
	case c == Meets && t.barrier != nil:
		p.k.passed(t.barrier, address)
	case c == Locks && !failed:
		p.k.synchronise(p.p, t, &message{kind: kindLocks, value: address, instructions: traces.Sleeps})
	case c == Shares && !failed:
		p.k.synchronise(p.p, t, &message{kind: kindLocks, value: address, instructions: traces.Sleeps | traces.Shared})
	}
}

// Skips takes that a processor has made accesses that are left out.
func (p *Processors) Skips(core, accesses int) {
	t := p.p.threads[uint16(core)]
	for range accesses {
		t.skip()
	}
}

// skip counts an access that is not in the trace.
func (t *thread) skip() {
	t.at[t.accesses%uint64(len(t.at))] = noAccess
	t.accesses++
}

// Wakes takes the wake-up of a processor by another one: the next step of the woken processor comes
// after the last step of the other one.
func (p *Processors) Wakes(core, woken int) {
	t, place := p.p.threads[uint16(woken)], futexes.at(uint64(woken))
	p.k.flush(p.p, p.p.threads[uint16(core)])
	p.k.happens(core, place)
	t.waits = append(t.waits, wait{object: place})
}

// Starts takes that a processor has started a thread on another one, which has none, and has been idle if it had one.
func (p *Processors) Starts(core, started int) {
	p.k.flush(p.p, p.p.threads[uint16(core)])
	if p.k.cores[started].position > 0 {
		p.k.write(started, traces.Record{Kind: traces.Fence, Count: traces.Halts})
	}
	p.k.create(core, p.p.threads[uint16(started)])
}

// Close ends the streams, each after so many instructions more.
func (p *Processors) Close(instructions []uint32) error {
	for core, n := range instructions {
		if t := p.p.threads[uint16(core)]; t != nil {
			p.k.flush(p.p, t)
		}
		p.k.cores[core].instructions += uint64(n)
	}
	return p.k.finish()
}

// pair writes the first of two accesses that are an exchange together.
func (k *converter) pair(t *thread, m *message, address, bytes uint64) {
	c := &k.cores[t.core]
	second := min(c.instructions, uint64(m.second)) // some may have been left out
	c.instructions -= second
	if !m.tries {
		k.order(t.core, &message{kind: kindLoad}, address, bytes)
	}
	k.write(t.core, traces.Record{Address: address, Size: sizeOf(bytes), Kind: traces.Atomic})
	t.at[(t.accesses-1)%uint64(len(t.at))] = c.accesses - 1
	c.instructions = second
}

package record

import (
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
)

// Processors makes a trace of what processors do that some other program executes, by the rules for
// machines: edges keep the order of accesses, and words that are used as locks become Lock and Unlock
// records (words.go). All calls come in the order of the execution. Addresses are physical.
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
	// Pair is set for the second of two accesses that are an exchange together. Both become one lock,
	// or one record each; Second are the instructions that belong to the second one.
	Pair   bool
	Second uint32
}

// Take takes what a processor has done.
func (p *Processors) Take(core int, s *Step) error {
	m := message{value: s.Address, instructions: s.Instructions, size: s.Size, distance: s.Dependence, thread: uint16(core), pair: s.Pair, second: s.Second,
		kind: [...]kind{traces.Load: kindLoad, traces.Store: kindStore, traces.Atomic: kindAtomic, traces.Fetch: kindFetch, traces.Fence: kindFence}[s.Kind]}
	if s.Kind == traces.Store || s.Kind == traces.Atomic {
		m.flags = flag(s.After == 0, leftZero)
	}
	if s.Kind == traces.Atomic {
		m.flags |= flag(s.Exchange, exchange) | flag(s.Before == 0, foundZero) | flag(s.Exchange && s.Before != 0 && s.After != 0 && !s.Pair, missed)
	}
	return p.k.take(p.p, &m)
}

// flag is a value where something holds, else 0.
func flag[T flags | uint64](is bool, value T) T {
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
	if w == nil || w.refuted {
		return false
	}
	if !wakes {
		w.lock.waits = traces.Sleeps
		return t.spins == w
	}
	return t.freed == w && w.trusted()
}

// Wakes takes the wake-up of a processor by another one: the next step of the woken processor comes
// after the last step of the other one.
func (p *Processors) Wakes(core, woken int) {
	t, place := p.p.threads[uint16(woken)], futexes.at(uint64(woken))
	p.k.happens(core, place)
	t.waits = append(t.waits, wait{object: place})
}

// Close ends the streams, each after so many instructions more.
func (p *Processors) Close(instructions []uint32) error {
	for core, n := range instructions {
		p.k.cores[core].instructions += uint64(n)
	}
	return p.k.finish()
}

// pair writes the first of two accesses that are an exchange together.
func (k *converter) pair(t *thread, m *message, address, bytes uint64) {
	c := &k.cores[t.core]
	c.instructions -= uint64(m.second)
	k.order(t.core, traces.Load, address, bytes)
	k.write(t.core, traces.Record{Address: address, Size: uint8(bits.Len64(bytes) - 1), Kind: traces.Atomic})
	t.at[(t.accesses-1)%uint64(len(t.at))] = c.accesses - 1
	c.instructions = uint64(m.second)
}

package controller

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// None is no frame and no MSHR.
const None = -1

// Agent is the part that every controller has: its identity, the counts of its transitions, and the
// sending of messages.
type Agent struct {
	Self  coherence.Agent
	Now   noc.Cycle // of the call being processed
	Count coherence.Counters

	cells *cells // of the agent's role
	words *coherence.Description
	homes *coherence.Homes
}

// NewAgent returns the controller of a role with a number.
func NewAgent(c *Chip, r coherence.Role, index int) Agent {
	return Agent{Self: coherence.Agent{Role: r, Index: uint16(index)}, cells: &c.cells[r], words: c.Description, homes: c.Homes}
}

// Counters returns the controller's statistics so far.
func (a *Agent) Counters() coherence.Counters { return a.Count }

// Fail reports a broken law.
func (a *Agent) Fail(b coherence.Block, format string, args ...any) {
	panic(fmt.Sprintf("%s: cycle %d, %s %d, block %#x: %s", a.words.Name, a.Now, a.Self.Role, a.Self.Index, uint32(b),
		fmt.Sprintf(format, args...)))
}

// Took counts a transition, of an event in a state, and makes sure that it is in the table.
func (a *Agent) Took(b coherence.Block, s, e uint8) {
	c := a.cells.at(e, s)
	if !c.legal {
		a.Illegal(b, s, e)
	}
	c.count++
}

// The first events of the L1s of every protocol.
const (
	OnLoad  uint8 = iota // load or instruction fetch
	OnStore              // store, read-modify-write or prefetch
)

// TookAccess counts the transition of an L1 that an access makes in a state.
func (a *Agent) TookAccess(x coherence.Access, state uint8) {
	if x.Kind.IsWrite() {
		a.Took(x.Block, state, OnStore)
	} else {
		a.Took(x.Block, state, OnLoad)
	}
}

// Illegal reports a transition that is not in the table.
func (a *Agent) Illegal(b coherence.Block, s, e uint8) {
	a.Fail(b, "event %q cannot happen in state %s", a.words.Events[a.Self.Role][e], a.words.States[a.Self.Role][s])
}

// Emit appends a message and takes its room.
func (a *Agent) Emit(out *coherence.Effects, s coherence.Send) {
	s.From = a.Self
	out.Room[s.Class]--
	out.Sends = append(out.Sends, s)
}

// Send emits a message to one agent.
func (a *Agent) Send(out *coherence.Effects, m coherence.Message, to coherence.Agent) {
	a.Emit(out, coherence.Send{Message: m, One: to})
}

// Served counts a request at a bank, as the access that it is for: a hit if the bank has the data.
func (a *Agent) Served(as coherence.AccessKind, hit bool) {
	if hit {
		a.Count.Hits[as]++
	} else {
		a.Count.Misses[as]++
	}
}

// Reasons are what a controller waits for, in sentences.
type Reasons []string

// Add adds a sentence.
func (r *Reasons) Add(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

// String joins the sentences; without any it is empty.
func (r Reasons) String() string { return strings.Join(r, "; ") }

// CacheOf returns the L1 of a core.
func CacheOf(core uint16) coherence.Agent {
	return coherence.Agent{Role: coherence.Cache, Index: core}
}

// BankOf returns the home bank of a block.
func (a *Agent) BankOf(b coherence.Block) coherence.Agent {
	return coherence.Agent{Role: coherence.Bank, Index: a.homes.Bank(b)}
}

// MemoryOf returns the memory controller of a block.
func (a *Agent) MemoryOf(b coherence.Block) coherence.Agent {
	return coherence.Agent{Role: coherence.Memory, Index: a.homes.Memory(b)}
}

// Census is which controllers have a block, for protocols whose homes know the readers.
type Census struct {
	Home, Memory     coherence.Line
	Readers, Writers int               // L1s
	Version          coherence.Version // of the readers
}

// Census counts the controllers that have a block, and verifies the laws of all homes: every
// message travels in the class of its kind, and with data if its kind carries any; one writer or
// many readers have the block; readers have equal data; clean data at home equals memory's. With
// final, nothing may be in flight or busy.
func (d *Chip) Census(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) (c Census, err error) {
	fail := func(format string, args ...any) (Census, error) {
		return c, fmt.Errorf("block %#x: %s", uint32(b), fmt.Sprintf(format, args...))
	}
	if final && len(inFlight) > 0 {
		return fail("%d messages are in flight at the end", len(inFlight))
	}
	for _, m := range inFlight {
		if m.Class != d.ClassOf[m.Kind] || m.Has(coherence.HasData) != d.CarriesData[m.Kind] || m.Count < 0 {
			return fail("%s travels in class %d with flags %b and count %d", d.Kinds[m.Kind], m.Class, m.Flags, m.Count)
		}
	}
	for i := range lines {
		a, l := lines[i].Agent, &lines[i].Line
		if final && l.Busy {
			return fail("%s %d is busy at the end", a.Role, a.Index)
		}
		switch a.Role {
		case coherence.Bank:
			c.Home = *l
		case coherence.Memory:
			c.Memory = *l
		}
		if a.Role != coherence.Cache || !l.Readable {
			continue
		}
		if c.Readers > 0 && c.Version != l.Version {
			return fail("cache %d reads version %d, another one version %d", a.Index, l.Version, c.Version)
		}
		c.Readers, c.Version = c.Readers+1, l.Version
		if l.Writable {
			c.Writers++
		}
	}
	if c.Writers > 1 || c.Writers == 1 && c.Readers > 1 {
		return fail("%d caches may write while %d may read", c.Writers, c.Readers)
	}
	if h := &c.Home; h.Valid && !h.Dirty && h.Version != c.Memory.Version {
		return fail("the home has clean version %d; memory has version %d", h.Version, c.Memory.Version)
	}
	return c, nil
}

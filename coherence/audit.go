package coherence

import (
	"fmt"
	"math/bits"
	"slices"
)

// Audit is a chip under audit: every controller of a chip, by index, and every message that has
// been created and not yet accepted, once however many copies are on their way.
type Audit struct {
	Protocol Protocol
	Homes    *Homes
	Caches   []CacheController
	Banks    []Controller
	Memories []MemoryController
	InFlight []Message
	// Only are the blocks to check; nil checks all.
	Only *BlockFilter

	// Buffers: what L1s hold of the blocks of each memory controller, and what is in flight of them;
	// all that there is of the blocks of one of them, and where its chains begin, by hash; and what
	// there is of one block.
	shares   [][]holding
	held     []holding
	first    []int32
	lines    []AgentLine
	messages []Message
}

// BlockFilter is a set of blocks that may seem to hold some more. It is cheap to add to.
type BlockFilter [1 << (filterBits - 6)]uint64

const filterBits = 16

func (f *BlockFilter) place(b Block) (word uint32, bit uint64) {
	h := uint32(b) * 0x9e3779b1 >> (32 - filterBits)
	return h / 64, 1 << (h % 64)
}

// Add adds a block.
func (f *BlockFilter) Add(b Block) {
	word, bit := f.place(b)
	f[word] |= bit
}

// has reports whether a block is in the set; the set nil holds all.
func (f *BlockFilter) has(b Block) bool {
	if f == nil {
		return true
	}
	word, bit := f.place(b)
	return f[word]&bit != 0
}

// NewAudit makes the controllers of a chip.
func NewAudit(p Protocol, homes *Homes, cores, memories int) Audit {
	a := Audit{Protocol: p, Homes: homes}
	for i := range cores {
		a.Caches = append(a.Caches, p.NewCache(i))
	}
	for i := range homes.Banks {
		a.Banks = append(a.Banks, p.NewBank(i))
	}
	for i := range memories {
		a.Memories = append(a.Memories, p.NewMemory(i))
	}
	return a
}

// Agents lists every controller: caches, banks, memory controllers.
func (a *Audit) Agents() (all []Agent) {
	for r, n := range [Roles]int{Cache: len(a.Caches), Bank: len(a.Banks), Memory: len(a.Memories)} {
		for i := range n {
			all = append(all, Agent{Role: Role(r), Index: uint16(i)})
		}
	}
	return all
}

// Controller returns the controller of an agent.
func (a *Audit) Controller(at Agent) Controller {
	switch at.Role {
	case Cache:
		return a.Caches[at.Index]
	case Bank:
		return a.Banks[at.Index]
	}
	return a.Memories[at.Index]
}

// holding is what one agent has of a block, or one message of it in flight.
type holding struct {
	block   Block
	message int32 // its number in InFlight, from 1 on; 0 where an agent has the block
	next    int32 // of the same hash: its number in Audit.held, or none
	checked bool  // with its block
	line    AgentLine
}

const none = -1

// Check verifies the protocol's laws for every block of Only that a controller holds or that is in flight.
// With final, nothing may move or wait any more. It goes from one memory controller to the next: only
// what the L1s hold is copied for the whole chip.
func (a *Audit) Check(final bool) error {
	a.deal()
	for m := range a.shares {
		if err := a.checkHome(uint16(m), final); err != nil {
			return err
		}
	}
	if final {
		return a.idle()
	}
	return nil
}

// deal finds the shares.
func (a *Audit) deal() {
	if len(a.shares) != len(a.Memories) {
		a.shares = make([][]holding, len(a.Memories))
	}
	for m := range a.shares {
		a.shares[m] = a.shares[m][:0]
	}
	enter := func(h holding) {
		if !a.Only.has(h.block) {
			return
		}
		s := &a.shares[a.Homes.Memory(h.block)]
		*s = append(*s, h)
	}
	for i, c := range a.Caches {
		c.VisitLines(func(b Block, l Line) { enter(holding{block: b, line: AgentLine{Agent{Cache, uint16(i)}, l}}) })
	}
	for i := range a.InFlight {
		enter(holding{block: a.InFlight[i].Block, message: int32(i + 1)})
	}
}

// gather appends to a.held what a bank or memory controller holds, which must be its home.
func (a *Audit) gather(at Agent) (err error) {
	a.Controller(at).VisitLines(func(b Block, l Line) {
		home := a.Homes.Bank(b)
		if at.Role == Memory {
			home = a.Homes.Memory(b)
		}
		if home != at.Index {
			err = fmt.Errorf("block %#x is at %s %d, and its home is %s %d", uint32(b), at.Role, at.Index, at.Role, home)
		}
		if a.Only.has(b) {
			a.held = append(a.held, holding{block: b, line: AgentLine{at, l}})
		}
	})
	return err
}

// checkHome verifies the blocks of one memory controller, in the order in which they are found.
func (a *Audit) checkHome(m uint16, final bool) error {
	home := Agent{Memory, m}
	a.held = append(a.held[:0], a.shares[m]...)
	for bank, of := range a.Homes.MemoryOfBank {
		if of == m {
			if err := a.gather(Agent{Bank, uint16(bank)}); err != nil {
				return err
			}
		}
	}
	if err := a.gather(home); err != nil {
		return err
	}
	a.chain()
	for i := range a.held {
		if a.held[i].checked {
			continue
		}
		b := a.held[i].block
		lines, messages := a.lines[:0], a.messages[:0]
		for at := int32(i); at != none; at = a.held[at].next {
			h := &a.held[at]
			if h.block != b {
				continue
			}
			if h.checked = true; h.message > 0 {
				messages = append(messages, a.InFlight[h.message-1])
			} else {
				lines = append(lines, h.line)
			}
		}
		// A memory controller visits only what has left its default state.
		if len(lines) == 0 || lines[len(lines)-1].Agent != home {
			lines = append(lines, AgentLine{home, a.Memories[m].Line(b)})
		}
		a.lines, a.messages = lines, messages
		if err := a.Protocol.CheckBlock(b, lines, messages, final); err != nil {
			return err
		}
	}
	return nil
}

// chain links what is held with the next whose block has the same hash. That takes a fraction of the
// time in which the blocks could be sorted.
func (a *Audit) chain() {
	width := bits.Len(uint(len(a.held)))
	a.first = slices.Grow(a.first[:0], 1<<width)[:1<<width]
	for i := range a.first {
		a.first[i] = none
	}
	for i := len(a.held) - 1; i >= 0; i-- {
		h := &a.held[i]
		first := &a.first[uint32(h.block)*0x9e3779b1>>(32-width)]
		h.next, *first = *first, int32(i)
	}
}

// CheckOne verifies the laws for one block, with the messages in flight for it.
func (a *Audit) CheckOne(b Block, lines []AgentLine, inFlight []Message) error {
	for i, c := range a.Caches {
		lines = append(lines, AgentLine{Agent{Cache, uint16(i)}, c.Line(b)})
	}
	bank, memory := a.Homes.Bank(b), a.Homes.Memory(b)
	lines = append(lines, AgentLine{Agent{Bank, bank}, a.Banks[bank].Line(b)},
		AgentLine{Agent{Memory, memory}, a.Memories[memory].Line(b)})
	return a.Protocol.CheckBlock(b, lines, inFlight, false)
}

// idle verifies that no controller waits for anything.
func (a *Audit) idle() error {
	for _, at := range a.Agents() {
		c := a.Controller(at)
		if why := c.Explain(); why != "" {
			return fmt.Errorf("%s %d at the end: %s", at.Role, at.Index, why)
		}
		if c.HasDeferred() {
			return fmt.Errorf("%s %d at the end: has deferred work", at.Role, at.Index)
		}
	}
	return nil
}

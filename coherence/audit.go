package coherence

import (
	"fmt"
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

	shares []share // by bank
	// Buffers.
	order    [2][]uint64
	lines    []AgentLine
	messages []Message
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

// holding is what one agent has of a block.
type holding struct {
	block Block
	line  AgentLine
}

// share is what is held, and in flight, of the blocks of one bank.
type share struct {
	held     []holding
	inFlight []Message
}

// Check verifies the protocol's laws for every block that a controller holds or that is in flight.
// With final, nothing may move or wait any more. It goes from one bank to the next, so that what it
// sorts and looks up stays in the host's second cache.
func (a *Audit) Check(final bool) error {
	if err := a.deal(); err != nil {
		return err
	}
	for bank := range a.shares {
		if err := a.checkShare(&a.shares[bank], final); err != nil {
			return err
		}
	}
	if final {
		return a.idle()
	}
	return nil
}

// deal finds the shares.
func (a *Audit) deal() (err error) {
	if len(a.shares) != len(a.Banks) {
		a.shares = make([]share, len(a.Banks))
	}
	for k := range a.shares {
		s := &a.shares[k]
		s.held, s.inFlight = s.held[:0], s.inFlight[:0]
	}
	for _, agent := range a.Agents() {
		a.Controller(agent).VisitLines(func(b Block, l Line) {
			home := [Roles]uint16{agent.Index, a.Homes.Bank(b), a.Homes.Memory(b)}[agent.Role]
			if home != agent.Index {
				err = fmt.Errorf("block %#x is at %s %d, and its home is %s %d", uint32(b), agent.Role, agent.Index, agent.Role, home)
			}
			s := &a.shares[a.Homes.Bank(b)]
			s.held = append(s.held, holding{b, AgentLine{agent, l}})
		})
	}
	for i := range a.InFlight {
		s := &a.shares[a.Homes.Bank(a.InFlight[i].Block)]
		s.inFlight = append(s.inFlight, a.InFlight[i])
	}
	return err
}

// checkShare verifies the blocks of one bank. Lists are sorted by numbers with the block in the upper
// half and the position in the lower, which is much faster than sorting the lists.
func (a *Audit) checkShare(s *share, final bool) error {
	held, inFlight := a.order[0][:0], a.order[1][:0]
	for i := range s.held {
		held = append(held, uint64(s.held[i].block)<<32|uint64(i))
	}
	for i := range s.inFlight {
		inFlight = append(inFlight, uint64(s.inFlight[i].Block)<<32|uint64(i))
	}
	slices.Sort(held)
	slices.Sort(inFlight)
	a.order = [2][]uint64{held, inFlight}
	lines, messages := a.lines, a.messages
	for len(held) > 0 || len(inFlight) > 0 {
		b := ^Block(0)
		for _, order := range [][]uint64{held, inFlight} {
			if len(order) > 0 {
				b = min(b, Block(order[0]>>32))
			}
		}
		lines, messages = lines[:0], messages[:0]
		for ; len(held) > 0 && Block(held[0]>>32) == b; held = held[1:] {
			lines = append(lines, s.held[uint32(held[0])].line)
		}
		for ; len(inFlight) > 0 && Block(inFlight[0]>>32) == b; inFlight = inFlight[1:] {
			messages = append(messages, s.inFlight[uint32(inFlight[0])])
		}
		// A memory controller visits only what has left its default state.
		if m := a.Homes.Memory(b); len(lines) == 0 || lines[len(lines)-1].Agent.Role != Memory {
			lines = append(lines, AgentLine{Agent{Memory, m}, a.Memories[m].Line(b)})
		}
		if err := a.Protocol.CheckBlock(b, lines, messages, final); err != nil {
			return err
		}
	}
	a.lines, a.messages = lines, messages
	return nil
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

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

	shares []share // by memory controller
	// Buffers: what is held of the blocks of one memory controller, and of one block.
	held     []holding
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

// share is what L1s hold of the blocks of one memory controller, and what is in flight of them.
type share struct {
	held     []holding
	inFlight []Message
}

// Check verifies the protocol's laws for every block that a controller holds or that is in flight.
// With final, nothing may move or wait any more. It goes from one memory controller to the next, so
// that what it sorts and looks up stays in the host's second cache.
func (a *Audit) Check(final bool) error {
	a.deal()
	for m := range a.Memories {
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
		a.shares = make([]share, len(a.Memories))
	}
	for m := range a.shares {
		s := &a.shares[m]
		s.held, s.inFlight = s.held[:0], s.inFlight[:0]
	}
	for i, c := range a.Caches {
		agent := Agent{Cache, uint16(i)}
		c.VisitLines(func(b Block, l Line) {
			s := &a.shares[a.Homes.Memory(b)]
			s.held = append(s.held, holding{b, AgentLine{agent, l}})
		})
	}
	for i := range a.InFlight {
		s := &a.shares[a.Homes.Memory(a.InFlight[i].Block)]
		s.inFlight = append(s.inFlight, a.InFlight[i])
	}
}

// gather appends what a controller holds, which must be of blocks of a memory controller.
func (a *Audit) gather(c Controller, agent Agent, m uint16) (err error) {
	c.VisitLines(func(b Block, l Line) {
		if a.Homes.Memory(b) != m {
			err = fmt.Errorf("block %#x is at %s %d, and its home is memory controller %d", uint32(b), agent.Role, agent.Index, a.Homes.Memory(b))
		}
		a.held = append(a.held, holding{b, AgentLine{agent, l}})
	})
	return err
}

// checkHome verifies the blocks of one memory controller.
func (a *Audit) checkHome(m uint16, final bool) error {
	home := Agent{Memory, m}
	a.held = append(a.held[:0], a.shares[m].held...)
	for i, c := range a.Banks {
		if a.Homes.MemoryOfBank[i] == m {
			if err := a.gather(c, Agent{Bank, uint16(i)}, m); err != nil {
				return err
			}
		}
	}
	if err := a.gather(a.Memories[m], home, m); err != nil {
		return err
	}
	held, inFlight := a.held, a.shares[m].inFlight
	lineOrder := byBlock(len(held), func(i int) Block { return held[i].block })
	messageOrder := byBlock(len(inFlight), func(i int) Block { return inFlight[i].Block })

	lines, messages := a.lines, a.messages
	for len(lineOrder) > 0 || len(messageOrder) > 0 {
		b := ^Block(0)
		if len(lineOrder) > 0 {
			b = lineOrder[0].block()
		}
		if len(messageOrder) > 0 {
			b = min(b, messageOrder[0].block())
		}
		lines, messages = lines[:0], messages[:0]
		for ; len(lineOrder) > 0 && lineOrder[0].block() == b; lineOrder = lineOrder[1:] {
			lines = append(lines, held[lineOrder[0].index()].line)
		}
		for ; len(messageOrder) > 0 && messageOrder[0].block() == b; messageOrder = messageOrder[1:] {
			messages = append(messages, inFlight[messageOrder[0].index()])
		}
		// A memory controller visits only what has left its default state.
		if len(lines) == 0 || lines[len(lines)-1].Agent != home {
			lines = append(lines, AgentLine{home, a.Memories[m].Line(b)})
		}
		if err := a.Protocol.CheckBlock(b, lines, messages, final); err != nil {
			return err
		}
	}
	a.lines, a.messages = lines, messages
	return nil
}

// place is where something of a block stands in a list: the block in the upper half, the position
// in the lower. Sorting these numbers is much faster than sorting the lists.
type place uint64

func (p place) block() Block { return Block(p >> 32) }
func (p place) index() int   { return int(uint32(p)) }

// byBlock lists the places of a list in order of block, then of position.
func byBlock(n int, block func(i int) Block) []place {
	order := make([]place, n)
	for i := range order {
		order[i] = place(block(i))<<32 | place(i)
	}
	return sortBlocks(order)
}

// sortBlocks sorts places by block and leaves those of one block in the order in which they are: by
// one digit of the block after the other, the lowest first, which takes fewer steps than comparing
// what can be tens of thousands.
func sortBlocks(from []place) []place {
	const bits, digits = 8, 4
	var starts [digits][1 << bits]int32
	for _, p := range from {
		for d := range starts {
			starts[d][p>>(32+d*bits)%(1<<bits)]++
		}
	}
	to := make([]place, len(from))
	for d := range starts {
		start := &starts[d]
		if slices.Contains(start[:], int32(len(from))) {
			continue // all have the same digit
		}
		sum := int32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, p := range from {
			i := p >> (32 + d*bits) % (1 << bits)
			to[start[i]] = p
			start[i]++
		}
		from, to = to, from
	}
	return from
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
	one := func(r Role, i int, c Controller) error {
		if why := c.Explain(); why != "" {
			return fmt.Errorf("%s %d at the end: %s", r, i, why)
		}
		if c.HasDeferred() {
			return fmt.Errorf("%s %d at the end: has deferred work", r, i)
		}
		return nil
	}
	for i, c := range a.Caches {
		if err := one(Cache, i, c); err != nil {
			return err
		}
	}
	for i, c := range a.Banks {
		if err := one(Bank, i, c); err != nil {
			return err
		}
	}
	for i, c := range a.Memories {
		if err := one(Memory, i, c); err != nil {
			return err
		}
	}
	return nil
}

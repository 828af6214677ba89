package coherence

import (
	"cmp"
	"fmt"
	"slices"
)

// Audit is a chip under audit: every controller of a chip, by index, and every message that has been created and
// not yet accepted, once however many copies are on their way.
type Audit struct {
	Protocol Protocol
	Homes    *Homes
	Caches   []CacheController
	Banks    []Controller
	Memories []MemoryController
	InFlight []Message
}

// Check verifies the protocol's laws for every block that anybody holds or that is in flight. With final,
// nothing may move, wait or be owed any more.
func (a Audit) Check(final bool) error {
	type holding struct {
		block Block
		line  AgentLine
	}
	var held []holding
	gather := func(r Role, i int, c Controller) {
		c.VisitLines(func(b Block, l Line) {
			held = append(held, holding{b, AgentLine{Agent{r, uint16(i)}, l}})
		})
	}
	for i, c := range a.Caches {
		gather(Cache, i, c)
	}
	for i, c := range a.Banks {
		gather(Bank, i, c)
	}
	for i, c := range a.Memories {
		gather(Memory, i, c)
	}
	slices.SortStableFunc(held, func(x, y holding) int { return cmp.Compare(x.block, y.block) })
	messages := slices.Clone(a.InFlight)
	slices.SortStableFunc(messages, func(x, y Message) int { return cmp.Compare(x.Block, y.Block) })

	var lines []AgentLine
	for len(held) > 0 || len(messages) > 0 {
		b := ^Block(0)
		if len(held) > 0 {
			b = held[0].block
		}
		if len(messages) > 0 {
			b = min(b, messages[0].Block)
		}
		n, m := 0, 0
		lines = lines[:0]
		for ; n < len(held) && held[n].block == b; n++ {
			lines = append(lines, held[n].line)
		}
		for ; m < len(messages) && messages[m].Block == b; m++ {
		}
		// A memory controller visits only what has left its default state.
		home := Agent{Memory, a.Homes.Memory(b)}
		if len(lines) == 0 || lines[len(lines)-1].Agent != home {
			lines = append(lines, AgentLine{home, a.Memories[home.Index].Line(b)})
		}
		if err := a.Protocol.CheckBlock(b, lines, messages[:m], final); err != nil {
			return err
		}
		held, messages = held[n:], messages[m:]
	}
	if final {
		return a.idle()
	}
	return nil
}

// CheckOne verifies the laws for one block, with the messages in flight for it.
func (a Audit) CheckOne(b Block, lines []AgentLine, inFlight []Message) error {
	for i, c := range a.Caches {
		lines = append(lines, AgentLine{Agent{Cache, uint16(i)}, c.Line(b)})
	}
	bank, memory := a.Homes.Bank(b), a.Homes.Memory(b)
	lines = append(lines, AgentLine{Agent{Bank, bank}, a.Banks[bank].Line(b)},
		AgentLine{Agent{Memory, memory}, a.Memories[memory].Line(b)})
	return a.Protocol.CheckBlock(b, lines, inFlight, false)
}

// idle verifies that no controller waits for anything.
func (a Audit) idle() error {
	one := func(r Role, i int, c Controller) error {
		if why := c.Explain(); why != "" {
			return fmt.Errorf("%s %d at the end: %s", r, i, why)
		}
		if c.Owes() {
			return fmt.Errorf("%s %d at the end: has put work off", r, i)
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

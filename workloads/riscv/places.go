package riscv

import "github.com/carousel-sim/carousel/traces"

// Where in a program a hart accesses memory, for recordings: which loads repeat an earlier one, and
// which places are the same for all threads.

// nearStack is how many lines from the stack pointer at the latest ticket are those of the stack.
const nearStack = 1 << 10

// place returns the place of an access in the program, as in record.Step.
func (c *stream) place(h *hart, address uint64) uint64 {
	if lines := address/traces.LineBytes - c.pointer/traces.LineBytes + nearStack; lines < 2*nearStack {
		return 1<<63 | lines
	}
	return h.pc
}

// visit is a load of a hart since its latest store or atomic.
type visit struct {
	pc        uint64
	registers [64]uint64
}

// mostLoads is how many different loads a loop may have that waits.
const mostLoads = 4

// repeats notes the load at which a hart is, and reports whether it repeats one: the hart has been
// here with equal registers, and nothing has been stored since.
func (c *stream) repeats(h *hart) bool {
	for i := range c.loads {
		if v := &c.loads[i]; v.pc == h.pc {
			again := v.registers == h.r
			v.registers = h.r
			return again
		}
	}
	c.loads[c.next] = visit{h.pc, h.r}
	c.next = (c.next + 1) % mostLoads
	return false
}

// forget notes that something else than loads has happened.
func (c *stream) forget() {
	for i := range c.loads {
		c.loads[i].pc = 0
	}
}

package engine

import "github.com/carousel-sim/carousel/noc"

// refWires names a bundle of wires of the reference: a part of a router, and which wires of it.
type refWires struct {
	of    any
	name  string
	index int
}

// pass lets one phit of a copy cross wires and counts the bits that flip, one by one.
func (m *reference) pass(w refWires, c *refCopy, phit int) (flips uint64) {
	if m.content == nil {
		return 0
	}
	next := m.word(c, phit)
	for bit := range m.config.PhitBits {
		if m.wires[w][bit/64]>>(bit%64)&1 != next[bit/64]>>(bit%64)&1 {
			flips++
		}
	}
	m.wires[w] = next
	return flips
}

// word is what a phit of a copy holds as it leaves where it is: routers write the destinations into the header.
func (m *reference) word(c *refCopy, phit int) noc.Word {
	w := m.content(c.packet)[phit]
	if phit > 0 {
		return w
	}
	w[1] = 0
	for _, d := range c.owed {
		if m.config.Multicast == Replicate {
			w[1] = uint64(d)
		} else {
			w[1] ^= 1 << (d % 64)
		}
	}
	return w
}

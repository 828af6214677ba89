package buffered

import (
	"math/rand/v2"

	"github.com/carousel-sim/carousel/noc"
)

// refWires names a bundle of wires of the reference: a part of a router, and which wires of it.
type refWires struct {
	of    any
	name  string
	index int
}

// pass lets one phit cross wires and counts the bits that flip, one by one.
func (m *reference) pass(w refWires, phit *refPhit) (flips uint64) {
	if m.content == nil {
		return 0
	}
	next := m.word(phit)
	for bit := range m.c.PhitBits {
		if m.wires[w][bit/64]>>(bit%64)&1 != next[bit/64]>>(bit%64)&1 {
			flips++
		}
	}
	m.wires[w] = next
	return flips
}

// word is what a phit holds; in the header stand the destinations of its copy.
func (m *reference) word(phit *refPhit) noc.Word {
	p := phit.packet
	w := m.content(noc.Packet{Tag: p.tag, Phits: uint16(p.phits)})[phit.index]
	if phit.index > 0 {
		return w
	}
	w[1] = 0
	for _, d := range p.to {
		if m.c.Multicast == Replicate {
			w[1] = uint64(d)
		} else {
			w[1] ^= 1 << (d % 64)
		}
	}
	return w
}

// tagged is a random content that follows from a packet's tag.
func tagged(p noc.Packet) []noc.Word {
	r := rand.New(rand.NewPCG(uint64(p.Tag), 3))
	words := make([]noc.Word, p.Phits)
	for i := range words {
		words[i] = noc.Word{r.Uint64(), r.Uint64()}
	}
	return words
}

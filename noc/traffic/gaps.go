package traffic

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// gaps draws the number of cycles that a node lets pass before its next message: a geometric
// number, which is what a coin toss in every cycle comes to, without the tosses.
//
// The binary digits of a geometric number are independent. With q the chance that a cycle brings
// no message, digit i is 1 with probability r/(1+r) for r = q^(2^i). The low digits are drawn one
// by one, and the rest of the number, again geometric, by tossing for one more block of 2^digits
// cycles. All of it is integer arithmetic, the same on every machine.
type gaps struct {
	one  []uint64 // of 2^64: chance that a digit is 1
	more uint64   // of 2^64: chance of one more block
}

// newGaps prepares gaps between messages that come with the given probability per cycle, above 0
// and up to 1.
func newGaps(perCycle float64) gaps {
	if perCycle >= 1 {
		return gaps{}
	}
	var g gaps
	// q as a fraction of 2^64: the distance of p to 1, of which the scaled p is exact.
	g.more = -uint64(perCycle * (1 << 63) * 2)
	for g.more > 1<<62 { // at most one block in four goes on
		r := g.more
		digit, _ := bits.Div64(r>>1, r<<63, 1<<63+r>>1)
		g.one = append(g.one, digit)
		g.more, _ = bits.Mul64(r, r)
	}
	return g
}

// draw returns the number of cycles without a message.
func (g *gaps) draw(r *random.Stream) uint64 {
	var n uint64
	for i, one := range g.one {
		_, less := bits.Sub64(r.Uint64(), one, 0) // 1 when the draw is below: a branch would be a coin toss too
		n |= less << i
	}
	for r.Uint64() < g.more {
		n += 1 << len(g.one)
	}
	return n
}

package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Routers that are not narrow, and headers that speculate, have their inputs dealt with word by word, and their outputs one
// by one.

// nominees are what the inputs of a router have nominated: channels by word, and by output the inputs that want it.
type nominees struct {
	channels [wormhole.MaxPorts]uint64
	wants    [wormhole.MaxPorts]uint16
	outputs  uint32 // those that any input wants
}

// add lets the inputs of a word nominate some channels, one each.
func (m *nominees) add(l *layout, word int, channels uint64, codes *[64]uint8) {
	m.channels[word&(wormhole.MaxPorts-1)] = channels
	for ; channels != 0; channels &= channels - 1 {
		bit := bits.TrailingZeros64(channels) & 63
		output := codes[bit] >> (l.portBits & 7) & (wormhole.MaxPorts - 1)
		m.wants[output] |= 1 << (codes[bit] & (1<<(l.portBits&7) - 1))
		m.outputs |= 1 << output
	}
}

// allocateWide allocates the switches of some of the 64 routers of a bank, whatever they are.
func (n *Network) allocateWide(b int, live uint64) {
	for ; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live)
		router := b<<6 | r
		first := router * n.layout.words
		var m nominees
		active := uint64(0)
		for i := range n.layout.words {
			x := &n.words[first+i]
			active |= x.active
			if asks := x.active & x.some & x.room; asks != 0 {
				chosen, _ := n.layout.inputs.first(asks, n.robins[first+i].after)
				x.asked += uint64(bits.OnesCount64(asks))
				m.add(&n.layout, i, chosen, n.codesOf(first+i))
			}
		}
		if m.outputs == 0 {
			n.rest(b, r, active)
			continue
		}
		won := uint32(0)
		for ; m.outputs != 0; m.outputs &= m.outputs - 1 {
			o := bits.TrailingZeros32(m.outputs)
			inputs := m.wants[o]
			if p := &n.sides[n.layout.portAt(router, o)]; !p.shared {
				n.robins[first].losers += uint64(bits.OnesCount16(inputs) - 1)
				inputs = firstAfter(inputs, p.turns)
				p.turns = ^(inputs | (inputs - 1))
			}
			won |= uint32(inputs)
		}
		for i := range n.layout.words {
			n.award(first+i, &n.robins[first+i].after, m.channels[i], won>>(i*n.layout.perWord))
		}
	}
}

// award lets those nominees of a word go whose input has won, and makes them the last of their inputs.
func (n *Network) award(word int, after *uint64, channels uint64, won uint32) {
	if channels == 0 {
		return
	}
	if channels &= n.layout.bitsOf(won); channels != 0 {
		inputs := n.layout.inputs.filled(channels)
		*after = *after&^inputs | inputs&^(channels|(channels-n.layout.inputs.low&inputs))
		for ; channels != 0; channels &= channels - 1 {
			n.going = append(n.going, uint32(word<<6|bits.TrailingZeros64(channels)))
		}
	}
}

// firstAfter is the first of some inputs after the last, whose followers are given.
func firstAfter(inputs, after uint16) uint16 {
	if later := inputs & after; later != 0 {
		inputs = later
	}
	return inputs & -inputs
}

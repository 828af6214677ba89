package wormhole

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
)

// allocateSwitch is rule 7: each input nominates one of its requests, and each output takes one
// nominee, both round robin. An output that is shared takes all.
func (r *router) allocateSwitch(moves, requests []position, last func(*turn) int) []position {
	var nominees [MaxPorts]int
	var wants [MaxPorts]portSet // per output: the inputs whose nominees go there
	for i := 0; i < len(requests); {
		p, asks := requests[i].input, ChannelSet(0)
		for ; i < len(requests) && requests[i].input == p; i++ {
			asks.Add(requests[i].channel)
		}
		nominees[p] = arbiter.Next(uint64(asks), last(&r.inputs[p].turn))
		wants[r.at(position{p, nominees[p]}).output].Add(p)
	}
	for o := range r.outputs {
		takes := wants[o]
		if takes != 0 && !r.outputs[o].shared {
			takes = 1 << arbiter.Next(uint64(takes), last(&r.outputs[o].turn))
		}
		for p := range takes.All() {
			moves = append(moves, position{p, nominees[p]})
		}
	}
	return moves
}

func (t *turn) ordinary() int    { return t.last }
func (t *turn) speculative() int { return t.guessed }

// countRequests counts the requests to both stages of the switch's allocator.
func (r *router) countRequests(requests []position) {
	inputs := portSet(0)
	for _, p := range requests {
		inputs.Add(p.input)
	}
	nominees := uint64(inputs.Count())
	r.counts.ArbRequests[noc.SwitchInput] += uint64(len(requests))
	r.counts.ArbGrants[noc.SwitchInput] += nominees
	r.counts.ArbRequests[noc.SwitchOutput] += nominees
}

package wormhole

import "github.com/carousel-sim/carousel/noc"

// speculate is rule 8: headers that asked for a virtual channel in this cycle also get the switch,
// where the moves of the first allocator have left input and output.
func (n *Network) speculate(r *router, t noc.Cycle) {
	var inputs, outputs portSet
	for _, p := range n.moves {
		inputs.Add(p.input)
		outputs.Add(r.at(p).output)
	}
	n.guesses = r.allocateSwitch(n.guesses[:0], n.waiting, (*turn).speculative)
	for _, p := range n.guesses {
		ch := r.at(p)
		o := &r.outputs[ch.output]
		if inputs.Has(p.input) || outputs.Has(ch.output) && !o.shared || ch.stage != active || !r.hasRoom(ch) || t < o.idle {
			continue
		}
		r.inputs[p.input].turn.guessed, o.turn.guessed = p.channel, p.input
		r.counts.ArbRequests[noc.SwitchInput]++
		r.counts.ArbGrants[noc.SwitchInput]++
		r.counts.ArbRequests[noc.SwitchOutput]++
		n.send(r, p, t)
	}
}

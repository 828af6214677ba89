package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// maxPorts bounds the ports of a router: those of a grid of seven dimensions.
const maxPorts = 16

// allocate is rule 8 for one router: each idle output grants one of the inputs whose nominees ask
// for it. A single iteration: an input whose nominee loses waits for the next cycle.
func (n *Network) allocate(r *router, t noc.Cycle) {
	var nominees [maxPorts]uint64 // inputs, per output
	for port := range r.inputs {
		if out := n.nominate(r, port, t); out >= 0 {
			nominees[out] |= 1 << port
		}
	}
	for out := range r.outputs {
		if nominees[out] == 0 {
			continue
		}
		r.counts.ArbRequests[noc.SwitchOutput] += uint64(bits.OnesCount64(nominees[out]))
		r.counts.ArbGrants[noc.SwitchOutput]++
		r.outputs[out].last = arbiter.Next(nominees[out], r.outputs[out].last)
		n.grant(r, r.outputs[out].last, out)
	}
}

// nominate is rule 7: an idle input nominates a channel whose head can be granted an idle output,
// and returns the output, or a negative number.
func (n *Network) nominate(r *router, port int, t noc.Cycle) (out int) {
	in := &r.inputs[port]
	var can [noc.MaxClasses]uint64 // outputs, per class
	asking := uint64(0)
	for class := range in.channels {
		e := n.head(&in.channels[class], t)
		if e == nil {
			continue
		}
		if !e.counted {
			e.counted = true
			r.counts.RouteLookups++
		}
		if can[class] = n.grantable(r, port, class, e); can[class] != 0 {
			asking |= 1 << class
		}
	}
	if in.stream.active() || asking == 0 {
		return -1
	}
	r.counts.ArbRequests[noc.SwitchInput] += uint64(bits.OnesCount64(asking))
	r.counts.ArbGrants[noc.SwitchInput]++
	in.last = arbiter.Next(asking, in.last)
	return arbiter.Next(can[in.last], in.channels[in.last].lastBranch)
}

// head returns the packet of a channel that may ask for the switch: the first that is not
// leaving, if its route has been known for AllocationCycles.
func (n *Network) head(ch *channel, t noc.Cycle) *entry {
	for i := range ch.entries {
		if e := &ch.entries[i]; !e.leaving {
			if e.routed < t && t-e.routed >= noc.Cycle(n.config.AllocationCycles) {
				return e
			}
			break
		}
	}
	return nil
}

// grantable returns the idle outputs that a head may take next and that have space for it.
func (n *Network) grantable(r *router, port, class int, e *entry) (outputs uint64) {
	for m := uint(n.nextBranches(port, e)); m != 0; m &= m - 1 {
		if out := bits.TrailingZeros(m); !r.outputs[out].busy && n.admits(r, port, out, class) {
			outputs |= 1 << out
		}
	}
	return outputs
}

// nextBranches is rule 12: the outputs that a head may take next.
func (n *Network) nextBranches(port int, e *entry) uint16 {
	if e.branches&(1<<topology.Local) != 0 {
		return 1 << topology.Local
	}
	if turns := e.branches &^ (1 << n.opposite[port]); turns != 0 {
		return turns
	}
	return e.branches
}

// straight reports whether a packet that takes an output from an input stays in its ring.
func (n *Network) straight(port, out int) bool {
	return port != topology.Local && n.opposite[port] == out
}

// admits is rule 6: whether there is space behind an output for a packet from an input.
func (n *Network) admits(r *router, port, out, class int) bool {
	if out == topology.Local {
		return n.Sinks.Room(r.id, noc.Class(class))
	}
	free, space := r.outputs[out].seen[class], n.config.SpaceOf(class)
	if n.straight(port, out) || !n.grid.Wrap || !n.config.Bubble {
		return free >= space.Ahead
	}
	return free >= space.Enter
}

// grant is rule 9: it connects an input to an output; the phits follow from the next cycle on.
// They are counted now, all at once (rule 13).
func (n *Network) grant(r *router, port, out int) {
	in, o := &r.inputs[port], &r.outputs[out]
	ch := &in.channels[in.last]
	e := n.head(ch, n.Clock)
	e.branches &^= 1 << out
	e.leaving = e.branches == 0
	k := e.packet
	phits := uint64(k.phits)
	if !e.leaving {
		k.id = n.branch(r.id, k.id, out)
		ch.lastBranch = out
		r.counts.Replications++
		n.inside += phits
	}
	r.counts.Crossbar += phits
	r.counts.BufferReads[noc.VirtualChannel] += phits
	o.phits += phits
	if out == topology.Local {
		n.Sinks.Reserve(r.id, noc.Class(k.class), n.Clock)
		n.inside -= phits
	} else {
		k.hops++
		o.credits[k.class]--
		n.routers[o.peer].counts.BufferWrites[noc.VirtualChannel] += phits
	}
	o.busy = true
	in.stream = stream{packet: k, class: in.last, output: out, leaving: e.leaving}
}

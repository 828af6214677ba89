package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Totals are running sums over the whole network. PhitHops includes flits that follow a header that
// has crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.hops, n.buffered()
	return t
}

// buffered returns the number of flits in buffers: at each position those that have come in and
// not gone to all children.
func (n *Network) buffered() (sum uint64) {
	for _, w := range n.worms {
		for k := 1; k < len(w.positions); k++ {
			p := &w.positions[k]
			if p.node != None {
				continue
			}
			gone := len(p.crossed)
			for _, c := range w.children(p) {
				gone = min(gone, len(c.crossed))
			}
			if p.many == 0 {
				gone = 0
			}
			sum += uint64(len(p.crossed) - gone)
		}
	}
	return sum
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for r, a := range n.activity {
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-n.busy[r]
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i, c := range n.wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.channels[i].phits})
	}
	return into
}

// Hardware describes one router, the largest.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.wiring, n.stages, n.plans) }

// Hardware describes one router, the largest: a buffer per input and a crossbar. A node's own
// channels count as one port. stages is nil but for switches that replicate.
func (c Config) Hardware(w *topology.Wiring, stages *topology.Multistage, plans bool) noc.Hardware {
	ports, inputs := w.Ports(), make([]int, w.Routers)
	for _, l := range w.Channels {
		inputs[l.To]++
	}
	for _, entry := range w.Entry {
		if c.InjectionChannels {
			inputs[entry.Router] += c.InjectionPorts
		}
	}
	buffers := slices.Max(inputs)
	if stages != nil {
		ports = stages.Arity
		if stages.Bidirectional {
			ports *= 2
		}
		buffers = ports
	}
	h := noc.Hardware{Ports: ports, PhitBits: c.PhitBits, VirtualChannels: 1, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = buffers, c.BufferPhits
	if plans {
		h.DestinationBits = w.Nodes()
	}
	return h
}

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, and each channel and token is held by exactly the worm that stretches over it.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	held := 0
	for _, w := range n.worms {
		for k := range w.positions {
			p := &w.positions[k]
			held += len(p.copies)
			if p.left {
				held -= len(p.copies)
			}
			if p.token != None {
				held++
			}
			if p.channel == None || p.left {
				continue
			}
			held++
			if ch := &n.channels[p.channel]; ch.holder != w || ch.position != int32(k) {
				return fmt.Errorf("wormholeideal: cycle %d: a worm of node %d stretches over %s, which it does not hold",
					n.Clock, n.Dispatch.At(w.id).From, n.Name(p.channel))
			}
		}
	}
	for c := range n.channels {
		if n.channels[c].held {
			held--
		}
	}
	if held != 0 {
		return fmt.Errorf("wormholeideal: cycle %d: %d channels are held by no worm that stretches over them", n.Clock, -held)
	}
	return nil
}

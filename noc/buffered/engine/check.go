package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants is rule 14. It also checks that what is noted in more than one place agrees.
func (n *Network) CheckInvariants() error {
	if err := n.mirrored().CheckInvariants(); err != nil {
		return err
	}
	return n.checkNotes()
}

// checkNotes verifies what is noted in more than one place.
func (n *Network) checkNotes() error {
	if err := n.checkDestinations(); err != nil {
		return err
	}
	return n.checkReady()
}

// checkReady: the heads noted as ready are those that ask for an idle output with space for them,
// and a router that can grant something is due.
func (n *Network) checkReady() error {
	for node := range n.routers {
		r, before, at := *n.routers[node], n.routers[node].ready, n.routers[node].due
		word := *at
		n.of(noc.NodeID(node)).findReady(&r)
		due := *at
		*at = word
		if before != r.ready {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are noted as ready, %x are", n.Clock, node, before, r.ready)
		}
		if due != word {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are ready, but the router does not look", n.Clock, node, r.ready)
		}
	}
	return nil
}

// checkDestinations: what sources accepted is delivered, queued or in a channel, and every packet
// is in one place.
func (n *Network) checkDestinations() error {
	owed, packets := 0, 0
	for ch := range n.channels {
		c := &n.channels[ch]
		for i := range int(c.size) {
			packets++
			owed += n.Packets.Count(n.packetAt(ch, i).packet.id())
		}
	}
	queued, waiting := n.Sources.Waiting()
	if total := n.Owed(); owed+waiting != total {
		return fmt.Errorf("buffered: cycle %d: %d destinations in channels and %d in source queues, %d are owed", n.Clock, owed, waiting, total)
	}
	if live := n.Packets.Live(); packets+queued != live {
		return fmt.Errorf("buffered: cycle %d: %d packets in channels and %d in source queues, %d are alive", n.Clock, packets, queued, live)
	}
	return nil
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck { return n.mirrored().Explain() }

// mirrored shows the state of the network as plain routers, which know what to say about it.
func (n *Network) mirrored() *buffered.Mirror {
	if n.mirror == nil {
		n.mirror = buffered.NewMirror(n.grid, n.config)
		n.returning, n.heads = make([]uint8, len(n.channels)), make([]vcSet, n.nodes)
	}
	m := n.mirror
	m.Begin(n.Interfaces)
	clear(n.returning)
	clear(n.heads)
	for _, g := range n.regions {
		g.wheel.All(n.Clock, func(ahead noc.Cycle, a *events) {
			for _, list := range a.freed {
				for _, at := range list {
					n.returning[n.channelIndex(at)]++
				}
			}
			if ahead == 0 { // those that may ask from the current cycle on
				for _, at := range a.heads {
					n.heads[at.router()].Add(at.vc())
				}
			}
		})
	}
	for node, r := range n.routers {
		for p := range port(n.ports) {
			n.heads[node] |= r.output[p].asking
		}
		for p := range port(n.ports) {
			for class := range uint(n.config.Classes) {
				n.showChannel(m, r, p, class)
			}
		}
	}
	return m
}

// showChannel shows the packets of a channel, those on their way to it included, and what the
// output of the same number knows of the channel behind it.
func (n *Network) showChannel(m *buffered.Mirror, r *router, p port, class uint) {
	v := vcOf(p, class)
	node, ch := int(r.id), int(r.firstVC)+int(v)
	for i := range int(n.channels[ch].size) {
		stored := n.packetAt(ch, i)
		k := stored.packet
		s := buffered.Standing{Packet: k.id(), Phits: int(k.phits()), Written: n.since(stored.written)}
		if i == 0 && n.heads[node].Has(v) {
			if s.Branches = 1 << k.port(); k.several() {
				s.Branches = n.routes.Outputs(noc.NodeID(r.id), k.ties(), n.Packets.Set(k.id()))
			}
		}
		m.Put(node, int(p), int(class), s)
	}
	credits := int(r.output[p].credits[class])
	if p == topology.Local {
		credits = int(n.senders[node].credits[class]) + n.withheld(int(class))
	}
	if r.output[p].across >= 0 {
		m.Output(node, int(p), int(class), credits, int(n.returning[ch]))
	}
}

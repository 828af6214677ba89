package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, credits match slots, channels are not overfull, and every ring keeps a free
// slot. Built with the tag invariants it runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.checkDestinations(); err != nil {
		return err
	}
	if err := n.checkCredits(); err != nil {
		return err
	}
	if err := n.checkReady(); err != nil {
		return err
	}
	return n.checkRings()
}

// checkReady: the heads noted as ready are those that ask for an idle output with space for them,
// and a router that can grant something is due.
func (n *Network) checkReady() error {
	for node := range n.routers {
		r, before, word := *n.routers[node], n.routers[node].ready, n.due[node/64]
		n.findReady(&r)
		due := n.due[node/64]
		n.due[node/64] = word
		if before != r.ready {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are noted as ready, %x are", n.Clock, node, before, r.ready)
		}
		if due != word {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are ready, but nobody looks", n.Clock, node, r.ready)
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

// checkCredits: credits held, slots taken and credits under way add up to each channel's capacity.
func (n *Network) checkCredits() error {
	if n.underWay == nil {
		n.underWay = make([]uint8, len(n.channels))
	}
	underWay := n.underWay
	clear(underWay)
	n.wheel.All(n.Clock, func(_ noc.Cycle, a *events) {
		for _, list := range a.freed {
			for _, at := range list {
				underWay[n.channelIndex(at)]++
			}
		}
	})
	for ch := range n.channels {
		link := ch >> classBits
		if n.port[link].far < 0 || ch&7 >= n.config.Classes {
			continue
		}
		size := int(n.channels[n.channelIndex(n.port[link].far)|ch&7].size)
		slots := n.space[ch&7].Slots
		if size > slots || int(n.port[link].credits[ch&7])+size+int(underWay[ch]) != slots-n.withheld(n.number(link), ch&7) {
			return fmt.Errorf("buffered: cycle %d, node %d: %d credits for output %s class %d, %d on their way, %d of %d slots taken",
				n.Clock, link/n.ports, n.port[link].credits[ch&7], n.grid.PortName(n.number(link)), ch&7, underWay[ch], size, slots)
		}
	}
	return nil
}

// checkRings: in each ring of a torus and class some channel has space for a packet that goes on.
func (n *Network) checkRings() error {
	if !n.bubble {
		return nil
	}
	for link := range n.port {
		dim := int(n.routes.dimension[n.number(link)])
		if n.number(link) == topology.Local || n.grid.Coordinate(noc.NodeID(link/n.ports), dim) != 0 {
			continue
		}
		for class := range n.config.Classes {
			most := 0
			for at := link; ; {
				p := &n.port[at]
				most = max(most, n.space[class].Slots-int(n.channels[n.channelIndex(p.far)|class].size))
				next := n.straightOn(p, uint(class))
				if at = n.channelIndex(next) >> classBits; at == link {
					break
				}
			}
			if most < n.space[class].Ahead {
				return fmt.Errorf("buffered: cycle %d: the ring of class %d through output %s of node %d is full",
					n.Clock, class, n.grid.PortName(n.number(link)), link/n.ports)
			}
		}
	}
	return nil
}

// mustSplit panics unless a branch takes some but not all destinations of its packet.
func mustSplit(from, branch []uint64) {
	some, rest, foreign := uint64(0), uint64(0), uint64(0)
	for i := range from {
		some |= branch[i]
		rest |= from[i] &^ branch[i]
		foreign |= branch[i] &^ from[i]
	}
	if some == 0 || rest == 0 || foreign != 0 {
		panic(fmt.Sprintf("buffered: a packet for %x cannot be split into a branch for %x", from, branch))
	}
}

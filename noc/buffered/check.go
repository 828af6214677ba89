package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants tells whether the state between two cycles is sound: destinations are neither lost nor
// doubled, credits match slots, channels are not overfull, and every ring keeps a free slot. Built with
// the tag invariants it runs after every cycle.
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

// checkReady: the heads noted as ready are those that ask for an idle output with space for them.
func (n *Network) checkReady() error {
	for r := range n.routers {
		x := n.routers[r]
		before := x.ready
		n.findReady(&x, r*n.ports)
		if before != x.ready {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are noted as ready, %x are", n.now, r, before, x.ready)
		}
	}
	return nil
}

// checkDestinations: what sources accepted is delivered, queued or in a channel, and every worm is in one place.
func (n *Network) checkDestinations() error {
	owed, packets := 0, 0
	for ch := range n.channels {
		c := &n.channels[ch]
		for i := range int(c.size) {
			packets++
			owed += n.worms.Count(n.packetAt(ch, i).worm)
		}
	}
	queued, waiting := n.sources.Waiting()
	if total := n.sources.Owed() - int(n.sinks.Delivered()); owed+waiting != total {
		return fmt.Errorf("buffered: cycle %d: %d destinations in channels and %d in source queues, %d are owed", n.now, owed, waiting, total)
	}
	if live := n.worms.Live(); packets+queued != live {
		return fmt.Errorf("buffered: cycle %d: %d packets in channels and %d in source queues, %d are alive", n.now, packets, queued, live)
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
	for _, rows := range []*[maxAgendas][]address{&n.agendas.credits, &n.agendas.refills} {
		for _, row := range rows {
			for _, a := range row {
				if a >= 0 {
					underWay[n.channel(a)]++
				}
			}
		}
	}
	for ch := range n.channels {
		link := ch >> classBits
		if n.port[link].across < 0 || ch&7 >= n.config.Classes {
			continue
		}
		size := int(n.channels[int(n.port[link].across)<<classBits|ch&7].size)
		if size > n.slots || int(n.credits[ch])+size+int(underWay[ch]) != n.slots {
			return fmt.Errorf("buffered: cycle %d, node %d: %d credits for output %s class %d, %d on their way, %d of %d slots taken",
				n.now, n.port[link].router, n.credits[ch], n.grid.PortName(int(n.port[link].number)), ch&7, underWay[ch], size, n.slots)
		}
	}
	return nil
}

// checkRings: each ring of a torus has a free slot in each class.
func (n *Network) checkRings() error {
	if !n.bubble {
		return nil
	}
	for link := range n.port {
		dim := int(n.routes.dimension[n.port[link].number])
		if n.port[link].number == topology.Local || n.grid.Coordinate(noc.NodeID(n.port[link].router), dim) != 0 {
			continue
		}
		for class := range n.config.Classes {
			free := 0
			start := address(int(n.port[link].router)<<addressBits | int(n.port[link].number)<<classBits | class)
			for a := start; ; {
				free += n.slots - int(n.channels[int(n.port[n.link(a)].across)<<classBits|class].size)
				if a = n.straightOn(a); a == start {
					break
				}
			}
			if free < 1 {
				return fmt.Errorf("buffered: cycle %d: the ring of class %d through output %s of node %d is full",
					n.now, class, n.grid.PortName(int(n.port[link].number)), n.port[link].router)
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

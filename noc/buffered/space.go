package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend takes a credit for the channel across.
func (n *Network) spend(ch int, t noc.Cycle) {
	link := ch >> classBits
	n.credits[ch]--
	n.count(ch)
	if n.portOf[link] == topology.Local {
		return
	}
	n.testSpace(link)
	if n.local {
		// The router across tests this count; it sees the change from the next cycle on.
		row := &n.returns[(t+1)%4]
		*row = append(*row, ^int32(n.straightOn(link)))
	}
}

// takeCredits applies the credits that become usable in this cycle and wakes who waits for them.
func (n *Network) takeCredits(t noc.Cycle) {
	row := &n.returns[t%4]
	for _, ch := range *row {
		if ch < 0 {
			if link := int(^ch); n.across[link] >= 0 {
				n.testSpace(link)
			}
			continue
		}
		link := int(ch) >> classBits
		n.credits[ch]++
		n.count(int(ch))
		router := noc.NodeID(n.routerOf[link])
		if n.portOf[link] == topology.Local {
			if n.sources.Ready(router)>>(ch&7)&1 != 0 {
				n.wheel.Wake(router, t)
			}
			continue
		}
		n.testSpace(link)
		n.wakeFor(link, uint(ch&7), t)
		if n.local {
			if next := n.straightOn(link); n.across[next] >= 0 {
				n.testSpace(next)
				n.wakeFor(next, uint(ch&7), t)
			}
		}
	}
	*row = (*row)[:0]
}

// wakeFor wakes the router of a link for the first cycle in which the link can be granted to a head of
// the class that now finds space.
func (n *Network) wakeFor(link int, class uint, t noc.Cycle) {
	asking, open := &n.requests[link], &n.open[link]
	if (asking[0]&open[0]|asking[1]&open[1])&(everyPort<<class) != 0 {
		n.wheel.Wake(noc.NodeID(n.routerOf[link]), max(t, n.linkBusy[link]))
	}
}

// straightOn is the link by which a packet that arrives over the given link leaves in the same direction.
func (n *Network) straightOn(link int) int {
	there := int(n.across[link])
	return there - int(n.portOf[there]) + int(n.against[n.portOf[there]])
}

// count keeps the class masks of a link's credits.
func (n *Network) count(ch int) {
	link, bit := ch>>classBits, uint8(1)<<(ch&7)
	n.one[link] &^= bit
	n.two[link] &^= bit
	if n.credits[ch] >= 1 {
		n.one[link] |= bit
	}
	if n.credits[ch] >= 2 {
		n.two[link] |= bit
	}
}

// testSpace finds which channels the space behind a link admits: one free slot for packets that go
// straight on, two (the bubble) for those that enter the ring.
func (n *Network) testSpace(link int) {
	one, enter := n.one[link], n.one[link]
	straight := n.against[n.portOf[link]]
	if n.local {
		enter &= n.two[n.across[link-int(n.portOf[link])+int(straight)]]
	} else if n.bubble {
		enter = n.two[link]
	}
	open := inputs{everyPort * uint64(enter), everyPort * uint64(enter)}
	shift := straight & 7 * 8
	open[straight>>3] = open[straight>>3]&^(0xff<<shift) | uint64(one)<<shift
	n.open[link] = open
}

// testSink finds which classes the sink of a node takes.
func (n *Network) testSink(link int) {
	node, room := noc.NodeID(n.routerOf[link]), uint8(0)
	for c := range n.config.Classes {
		if n.sinks.Room(node, noc.Class(c)) {
			room |= 1 << c
		}
	}
	n.open[link] = inputs{everyPort * uint64(room), everyPort * uint64(room)}
}

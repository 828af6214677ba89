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
	if n.port[link].number == topology.Local {
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
			if link := int(^ch); n.port[link].across >= 0 {
				n.testSpace(link)
			}
			continue
		}
		link := int(ch) >> classBits
		n.credits[ch]++
		n.count(int(ch))
		router := noc.NodeID(n.port[link].router)
		if n.port[link].number == topology.Local {
			if n.sources.Ready(router)>>(ch&7)&1 != 0 {
				n.wheel.Wake(router, t)
			}
			continue
		}
		n.testSpace(link)
		n.wakeFor(link, uint(ch&7), t)
		if n.local {
			if next := n.straightOn(link); n.port[next].across >= 0 {
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
	p := &n.port[link]
	if (p.asking[0]&p.open[0]|p.asking[1]&p.open[1])&(everyPort<<class) != 0 {
		n.wheel.Wake(noc.NodeID(p.router), max(t, p.busy))
	}
}

// straightOn is the link by which a packet that arrives over the given link leaves in the same direction.
func (n *Network) straightOn(link int) int {
	there := int(n.port[link].across)
	number := n.port[there].number
	return there - int(number) + int(n.against[number])
}

// count keeps the class masks of a link's credits.
func (n *Network) count(ch int) {
	p, bit := &n.port[ch>>classBits], uint8(1)<<(ch&7)
	p.one &^= bit
	p.two &^= bit
	if n.credits[ch] >= 1 {
		p.one |= bit
	}
	if n.credits[ch] >= 2 {
		p.two |= bit
	}
}

// testSpace finds which channels the space behind a link admits: one free slot for packets that go
// straight on, two (the bubble) for those that enter the ring.
func (n *Network) testSpace(link int) {
	p := &n.port[link]
	enter := p.one
	straight := n.against[p.number]
	if n.local {
		behind := n.port[link-int(p.number)+int(straight)].across
		enter &= n.port[behind].two
	} else if n.bubble {
		enter = p.two
	}
	open := inputs{everyPort * uint64(enter), everyPort * uint64(enter)}
	shift := straight & 7 * 8
	open[straight>>3] = open[straight>>3]&^(0xff<<shift) | uint64(p.one)<<shift
	p.open = open
}

// testSink finds which classes the sink of a node takes.
func (n *Network) testSink(link int) {
	node, room := noc.NodeID(n.port[link].router), uint8(0)
	for c := range n.config.Classes {
		if n.sinks.Room(node, noc.Class(c)) {
			room |= 1 << c
		}
	}
	n.port[link].open = inputs{everyPort * uint64(room), everyPort * uint64(room)}
}

package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend takes a credit for the channel across.
func (n *Network) spend(ch int, t noc.Cycle) {
	n.credits[ch]--
	n.testSpace(ch)
	if n.local && n.port[ch>>classBits].number != topology.Local {
		// The router across tests this count; it sees the change from the next cycle on.
		row := &n.returns[(t+1)%4]
		*row = append(*row, ^int32(n.straightOn(ch)))
	}
}

// takeCredits applies the credits that become usable in this cycle and wakes who waits for them.
func (n *Network) takeCredits(t noc.Cycle) {
	row := &n.returns[t%4]
	for _, entry := range *row {
		if entry < 0 {
			n.testSpace(int(^entry))
			continue
		}
		ch := int(entry)
		n.credits[ch]++
		n.testSpace(ch)
		p := &n.port[ch>>classBits]
		if p.number == topology.Local {
			if n.sources.Ready(noc.NodeID(p.router))&p.free != 0 {
				n.wheel.Wake(noc.NodeID(p.router), t)
			}
			continue
		}
		n.wakeFor(ch, t)
		if n.local {
			next := n.straightOn(ch)
			n.testSpace(next)
			n.wakeFor(next, t)
		}
	}
	*row = (*row)[:0]
}

// wakeFor wakes a router for the first cycle in which its output can be granted to a head of the class
// that now finds space.
func (n *Network) wakeFor(ch int, t noc.Cycle) {
	p := &n.port[ch>>classBits]
	if (p.asking[0]&p.open[0]|p.asking[1]&p.open[1])&(everyPort<<(ch&7)) != 0 {
		n.wheel.Wake(noc.NodeID(p.router), max(t, p.busy))
	}
}

// straightOn is the link and class by which a packet that arrives over the given ones leaves in the same
// direction. On a torus there always is one.
func (n *Network) straightOn(ch int) int {
	there := int(n.port[ch>>classBits].across)
	number := n.port[there].number
	return (there-int(number)+int(n.against[number]))<<classBits | ch&7
}

// testSpace finds which inputs the credits for a channel admit: one is enough for a packet that goes
// straight on, one that enters the ring needs the bubble.
func (n *Network) testSpace(ch int) {
	class := uint(ch & 7)
	p := &n.port[ch>>classBits]
	held := n.credits[ch]
	if p.number == topology.Local {
		p.free &^= 1 << class
		if held > 0 {
			p.free |= 1 << class
		}
		return
	}
	straight := n.against[p.number]
	enter := held >= n.toEnter
	if n.local {
		behind := int(n.port[ch>>classBits-int(p.number)+int(straight)].across)
		enter = enter && n.credits[behind<<classBits|ch&7] >= 2
	}
	bit := uint64(everyPort) << class
	p.open[0] &^= bit
	p.open[1] &^= bit
	if enter {
		p.open[0] |= bit
		p.open[1] |= bit
	} else if held > 0 {
		p.open[straight>>3] |= 1 << (uint(straight&7)<<3 + class)
	}
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

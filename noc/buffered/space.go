package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend takes a credit of a network output for the channel across.
func (n *Network) spend(ch int, t noc.Cycle) {
	n.credits[ch]--
	n.testSpace(ch)
	if n.local {
		// The router across tests this count; it sees the change from the next cycle on.
		row := n.agendas.at(t + 1)
		row.credits = append(row.credits, ^int32(n.straightOn(ch)))
	}
}

// takeCredit applies a credit that becomes usable, or ^channel: a change of the count across.
func (n *Network) takeCredit(ch int) {
	if ch < 0 {
		n.testSpace(^ch)
		return
	}
	n.credits[ch]++
	n.testSpace(ch)
	n.wakeFor(ch)
	if n.local {
		next := n.straightOn(ch)
		n.testSpace(next)
		n.wakeFor(next)
	}
}

// wakeFor makes a router due if an output can be granted to a head of the class that now finds space.
func (n *Network) wakeFor(ch int) {
	link := ch >> classBits
	r := n.port[link].router
	link <<= n.wide
	raised := uint64(0)
	for half := range 1 + int(n.wide) {
		q := &n.requests[link+half]
		raised |= q.asking & q.open & n.routers[r].idle[half]
	}
	n.wake(r, raised&n.requests[link].idle&(everyPort<<(ch&7)))
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
	link := ch >> classBits
	p := &n.port[link]
	held := n.credits[ch]
	if p.number == topology.Local {
		x := &n.routers[p.router]
		x.free &^= 1 << class
		if held > 0 {
			x.free |= 1 << class
		}
		return
	}
	straight := n.against[p.number]
	enter := held >= n.toEnter
	if n.local {
		behind := int(n.port[link-int(p.number)+int(straight)].across)
		enter = enter && n.credits[behind<<classBits|ch&7] >= 2
	}
	bit := uint64(everyPort) << class
	for half := range 1 + int(n.wide) {
		q := &n.requests[link<<n.wide+half]
		q.open &^= bit
		if enter {
			q.open |= bit
		} else if held > 0 && int(straight>>halfBits) == half {
			q.open |= 1 << (uint(straight&7)<<3 + class)
		}
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
	for half := range 1 + int(n.wide) {
		n.requests[link<<n.wide+half].open = everyPort * uint64(room)
	}
}

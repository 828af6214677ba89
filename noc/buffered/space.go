package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend takes a credit of a network output for the channel across.
func (n *Network) spend(p *port, ch int, class uint, t noc.Cycle) {
	n.credits[ch]--
	if !n.local {
		n.setSpace(p, class, n.credits[ch])
		return
	}
	at := address(p.router<<addressBits|int32(p.number)<<classBits) | address(class)
	n.testSpace(at)
	// The router across tests this count; it sees the change from the next cycle on.
	i := n.agendas.at(t + 1)
	n.agendas.credits[i] = append(n.agendas.credits[i], ^n.straightOn(at))
}

// takeCredit applies a credit that becomes usable.
func (n *Network) takeCredit(a address) {
	link := n.link(a)
	ch := link<<classBits | int(a.class())
	n.credits[ch]++
	if n.local {
		n.retest(a)
		n.retest(n.straightOn(a))
		return
	}
	p, x := &n.port[link], &n.routers[a.router()]
	n.setSpace(p, a.class(), n.credits[ch])
	x.ready[0] |= p.asking[0] & p.open[0] & p.idle
	x.ready[1] |= p.asking[1] & p.open[1] & p.idle
	n.wake(a.router(), x)
}

// retest is the bubble test at the router itself, which may open or close an output.
func (n *Network) retest(a address) {
	n.testSpace(a)
	n.refresh(a.router())
}

// refresh finds all heads of a router that are ready.
func (n *Network) refresh(r int) {
	n.findReady(&n.routers[r], r*n.ports)
	n.wake(r, &n.routers[r])
}

// straightOn is the output by which a packet that leaves over the given one leaves the next router in the
// same direction. On a torus there always is one.
func (n *Network) straightOn(a address) address {
	far := n.port[n.link(a)].far
	return address(far.router()<<addressBits|int(n.against[far.port()])<<classBits) | address(a.class())
}

// pattern is the channels of class 0 that an output admits when it has no, one, or more credits.
type pattern [4]inputs

// patterns lists the patterns of the ports: one credit is enough for a packet that goes straight on, one
// that enters the ring needs the bubble.
func patterns(against [maxPorts]uint8, bubble bool) (all [maxPorts]pattern) {
	for number := range all {
		straight := uint(against[number]) << classBits
		all[number][1][straight>>halfBits] = 1 << (straight & 63)
		all[number][2] = inputs{everyPort, everyPort}
		if !bubble {
			all[number][1] = all[number][2]
		}
	}
	return all
}

// testSpace finds which channels the credits for one admit.
func (n *Network) testSpace(a address) {
	link := n.link(a)
	p := &n.port[link]
	held := n.credits[n.channel(a)]
	if n.local && held > 0 {
		behind := int(n.port[link-int(p.number)+int(n.against[p.number&(maxPorts-1)])].across)
		held = 1 + min(1, n.credits[behind<<classBits|int(a.class())]>>1)
	}
	n.setSpace(p, a.class(), held)
}

// setSpace notes which channels so many credits admit.
func (n *Network) setSpace(p *port, class uint, credits uint8) {
	admitted := &n.space[p.number&(maxPorts-1)][min(credits, 2)&3]
	class &= 1<<classBits - 1
	all := uint64(everyPort) << class
	p.open[0] = p.open[0]&^all | admitted[0]<<class
	p.open[1] = p.open[1]&^all | admitted[1]<<class
}

// testSink finds which classes the sink of a node takes.
func (n *Network) testSink(r int) {
	room := uint64(0)
	for c := range n.config.Classes {
		if n.sinks.Room(noc.NodeID(r), noc.Class(c)) {
			room |= 1 << c
		}
	}
	n.port[r*n.ports+topology.Local].open = inputs{everyPort * room, everyPort * room}
	n.refresh(r)
}

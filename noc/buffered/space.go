package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend takes a credit of a network output for the channel across.
func (n *Network) spend(a address, ch int, t noc.Cycle) {
	n.credits[ch]--
	n.testSpace(a, ch)
	if n.local {
		// The router across tests this count; it sees the change from the next cycle on.
		row := n.agendas.at(t + 1)
		row.credits = append(row.credits, ^n.straightOn(a))
	}
}

// takeCredit applies a credit that becomes usable, or the complement of an address: a change of the count
// across.
func (n *Network) takeCredit(a address) {
	if a < 0 {
		n.retest(^a)
		return
	}
	link := n.link(a)
	ch := link<<classBits | a.class()
	n.credits[ch]++
	n.testSpace(a, ch)
	x := &n.routers[a.router()]
	link <<= n.wide
	q := &n.requests[link]
	x.ready[0] |= q.asking & q.open & q.idle
	if n.wide != 0 {
		x.ready[1] |= n.requests[link+1].asking & n.requests[link+1].open & q.idle
	}
	n.wake(a.router())
	if n.local {
		n.retest(n.straightOn(a))
	}
}

// retest is the bubble test at the router itself, which may open or close an output.
func (n *Network) retest(a address) {
	n.testSpace(a, n.link(a)<<classBits|a.class())
	n.refresh(a.router())
}

// refresh finds all heads of a router that are ready.
func (n *Network) refresh(r int) {
	for half := range 1 + int(n.wide) {
		n.reconsider(&n.routers[r], r*n.ports, half, ^uint64(0))
	}
	n.wake(r)
}

// straightOn is the output by which a packet that leaves over the given one leaves the next router in the
// same direction. On a torus there always is one.
func (n *Network) straightOn(a address) address {
	far := n.port[n.link(a)].far
	return address(far.router()<<addressBits | int(n.against[far.port()])<<classBits | a.class())
}

// pattern is the inputs that an output admits to channels of class 0 when it has no, one, or more credits.
type pattern [2][3]uint64

// patterns lists the patterns of the ports: one credit is enough for a packet that goes straight on, one
// that enters the ring needs the bubble.
func patterns(against []uint8, bubble bool) []pattern {
	all := make([]pattern, len(against))
	for number := range all {
		for half := range 2 {
			straight := uint64(0)
			if int(against[number]>>halfBits) == half {
				straight = 1 << (against[number] & 7 << 3)
			}
			if !bubble {
				straight = everyPort
			}
			all[number][half] = [3]uint64{0, straight, everyPort}
		}
	}
	return all
}

// testSpace finds which inputs the credits for a channel admit.
func (n *Network) testSpace(a address, ch int) {
	held, number, class := int(n.credits[ch]), a.port(), a.class()
	if number == topology.Local {
		n.routers[a.router()].free |= 1 << class // wire gives the first credits
		return
	}
	if held > 2 {
		held = 2
	}
	if n.local && held > 0 {
		behind := n.port[n.link(a)-number+int(n.against[number])].across
		held = 1 + min(1, int(n.credits[int(behind)<<classBits|class])>>1)
	}
	link := ch >> classBits << n.wide
	for half := range 1 + int(n.wide) {
		q := &n.requests[link+half]
		q.open = q.open&^(everyPort<<class) | n.space[number][half&1][held]<<class
	}
}

// testSink finds which classes the sink of a node takes.
func (n *Network) testSink(r int) {
	room := uint8(0)
	for c := range n.config.Classes {
		if n.sinks.Room(noc.NodeID(r), noc.Class(c)) {
			room |= 1 << c
		}
	}
	for half := range 1 + int(n.wide) {
		n.requests[(r*n.ports+topology.Local)<<n.wide+half].open = everyPort * uint64(room)
	}
	n.refresh(r)
}

package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/set"
)

// sender is the interface of a node, as far as it sends. Interfaces use the source queues and the
// arena, and belong to no region: the thread that steps the network simulates all of them.
type sender struct {
	credits   [maxClasses]uint8 // for the channels of the local input
	sending   bool              // a packet
	lastClass int8              // sent
	credited  classSet          // classes for which it has a credit
	injected  uint64            // phits
}

// nodeSet is a set of nodes within 64.
type nodeSet = set.Of64[noc.NodeID]

// interfaces are those of all nodes.
type interfaces struct {
	senders []sender
	feeding []nodeSet // per 64 nodes: those that have something to send
}

// newInterfaces makes interfaces with all credits.
func (n *Network) newInterfaces() {
	n.senders, n.feeding = make([]sender, n.nodes), make([]nodeSet, noc.SetWords(n.nodes))
	for i := range n.senders {
		s := &n.senders[i]
		s.lastClass, s.credited = -1, 1<<n.config.Classes-1
		for class := range n.config.Classes {
			s.credits[class] = uint8(n.space[class].Slots - n.withheld(class))
		}
	}
}

// withheld returns how many slots of a channel an interface gets no credit for: it may send while it
// has any credit, so that it cannot take what has to stay free for others.
func (n *Network) withheld(class int) int { return n.space[class].Ahead - 1 }

// Offer puts a packet into the source queue of its node and class.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Sources.Offer(&p, n.Clock) {
		return false
	}
	n.feeding[p.Src>>6].Add(p.Src)
	return true
}

// takeInterfaceEvents lets interfaces fall idle and get credits.
func (n *Network) takeInterfaceEvents() {
	for _, g := range n.regions {
		if !g.wheel.Due(n.Clock) {
			continue
		}
		a := g.wheel.At(n.Clock)
		for _, node := range a.senders {
			n.senders[node].sending = false
			n.wakeInterface(node)
		}
		for _, at := range a.freed[0] {
			node, class := noc.NodeID(at.router()), at.vc().class()
			s := &n.senders[node]
			s.credits[class]++
			s.credited.Add(noc.Class(class))
			n.wakeInterface(node)
		}
	}
}

// wakeInterface makes an interface due if it has something to send.
func (n *Network) wakeInterface(node noc.NodeID) {
	if s := &n.senders[node]; !s.sending && classSet(n.Sources.Ready(node))&s.credited != 0 {
		n.feeding[node>>6].Add(node)
	}
}

// injectAll lets all interfaces with work send.
func (n *Network) injectAll() {
	if n.config.EveryCycle {
		for node := range noc.NodeID(n.nodes) {
			n.feeding[node>>6].Add(node)
		}
	}
	for i, set := range n.feeding {
		for n.feeding[i] = 0; set != 0; set &= set - 1 {
			n.inject(noc.NodeID(i<<6) + set.First())
		}
	}
}

// deliver hands a packet that left its router in this cycle to the node.
func (n *Network) deliver(e ejected) {
	at, seen := noc.NodeID(e.node), n.Clock+ejectDelay
	w := n.Packets.At(e.packet)
	n.Sinks.Deliver(w, uint16(n.routes.Hops(w.Src, at)), at, seen, seen+noc.Cycle(w.Phits))
	n.Packets.Free(e.packet)
}

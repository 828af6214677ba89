package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Delays of the pipeline in cycles, from the cycle of the SA grant.
const (
	creditDelay = 2 // ST frees the slot, the credit is usable one cycle later
	writeDelay  = 3 // ST, LT, then the write into the next channel
	ejectDelay  = 2 // ST, then the node consumes the header
	injectDelay = 1 // from the cycle in which the interface sends a header to its write
	readyDelay  = 2 // from the write, or from the last tail's last cycle in the switch, over RC to SA
)

// grant sends the head of a channel, or one branch of it, through an output.
func (n *Network) grant(ch, link int, t noc.Cycle) {
	c := &n.channels[ch]
	p := &n.port[link]
	router, out := p.router, p.number
	id := n.places[ch*n.slots+int(c.head)]
	phits := uint64(n.worms.At(id).Phits)
	end := t + noc.Cycle(phits)
	p.busy, n.port[ch>>classBits].inputBusy = end, end
	n.counters[router].crossed += phits
	n.withdraw(ch)
	if c.branches &^= 1 << out; c.branches != 0 {
		id = n.branch(id, router, out, t)
		c.lastTurn = int8(out)
		n.ask(ch, t)
	} else {
		n.pop(ch, t, end)
	}
	worm := n.worms.At(id)
	if out == topology.Local {
		n.inside.leave(t+ejectDelay, phits)
		n.sinks.Accept(worm, noc.NodeID(router), t+ejectDelay)
		n.worms.Free(id)
		if n.bounded {
			n.testSink(link)
		}
		return
	}
	p.phits += phits
	n.phitHops += phits
	worm.Hops++
	worm.Since = t + writeDelay
	there := int(p.across)
	peer := n.port[there].router
	n.counters[peer].written += phits
	n.presence[peer].arrive(t, t+writeDelay)
	n.push(there<<classBits|ch&7, id, t+writeDelay)
	n.spend(link<<classBits|ch&7, t)
}

// branch splits the destinations behind an output off a multicast and gives them a worm of their own.
func (n *Network) branch(id fabric.WormID, router int32, out uint8, t noc.Cycle) fabric.WormID {
	src, phits := n.worms.At(id).Src, uint64(n.worms.At(id).Phits)
	split := n.worms.New(*n.worms.At(id))
	from, to := n.worms.Set(id), n.worms.Set(split)
	n.routes.behind(router, out, src, from, to)
	if checking {
		mustSplit(from, to)
	}
	for i := range from {
		from[i] &^= to[i]
	}
	markSingle(n.worms, id)
	markSingle(n.worms, split)
	n.counters[router].copies++
	n.inside.enter(t+1, phits)
	return split
}

// pop removes the head of a channel, whose tail crosses the switch in the cycle before end: its slot's
// credit goes back, and the next packet becomes the head.
func (n *Network) pop(ch int, t, end noc.Cycle) {
	c := &n.channels[ch]
	link := ch >> classBits
	if c.head++; int(c.head) == n.slots {
		c.head = 0
	}
	c.size--
	c.next = t + 1
	if n.config.RouteAfterTail {
		c.next = end + readyDelay
	}
	if c.size > 0 {
		written := n.worms.At(n.places[ch*n.slots+int(c.head)]).Since
		n.becomeHead(ch, max(c.next, written+readyDelay))
	}
	n.presence[n.port[link].router].depart(t, end)
	row := &n.returns[(t+creditDelay)%4]
	*row = append(*row, n.port[link].across<<classBits|int32(ch&7))
}

// push appends a packet to a channel, whose header is written in the given cycle.
func (n *Network) push(ch int, id fabric.WormID, written noc.Cycle) {
	c := &n.channels[ch]
	i := int(c.head) + int(c.size)
	if i >= n.slots {
		i -= n.slots
	}
	n.places[ch*n.slots+i] = id
	if c.size++; c.size == 1 {
		n.becomeHead(ch, max(c.next, written+readyDelay))
	}
}

// becomeHead notes when a channel's new head may first ask for the switch.
func (n *Network) becomeHead(ch int, at noc.Cycle) {
	slot := at % fabric.Horizon
	n.heads[slot] = append(n.heads[slot], int32(ch))
	n.busy |= 1 << slot
}

// inject lets the interface send the next packet, or copy, into the local port: one phit per cycle for
// all classes together, round-robin over the classes that find a slot.
func (n *Network) inject(r int, t noc.Cycle) {
	node, link := noc.NodeID(r), r*n.ports
	if busy := n.interfaceBusy[r]; busy > t {
		n.wheel.Wake(node, busy)
		return
	}
	class := fabric.RoundRobin(uint64(n.sources.Ready(node)&n.port[link].free), int(n.lastClass[r]))
	if class < 0 {
		return
	}
	n.lastClass[r] = int8(class)
	id := n.take(node, noc.Class(class))
	worm := n.worms.At(id)
	worm.Injected, worm.Since = t, t+injectDelay
	phits := uint64(worm.Phits)
	n.injected++
	n.inside.enter(t, phits)
	n.interfaceBusy[r] = t + noc.Cycle(phits)
	if n.sources.Ready(node) != 0 {
		n.wheel.Wake(node, n.interfaceBusy[r])
	}
	k := &n.counters[r]
	k.injected += phits
	k.written += phits
	n.presence[r].arriveHere(t + injectDelay)
	ch := link<<classBits | class
	n.push(ch, id, t+injectDelay)
	n.spend(ch, t)
}

// take removes the next packet from a source queue, or under Replicate the next copy of it.
func (n *Network) take(node noc.NodeID, class noc.Class) fabric.WormID {
	if n.config.Multicast == Tree {
		id := n.sources.Pop(node, class)
		markSingle(n.worms, id)
		return id
	}
	id := n.sources.Head(node, class)
	if markSingle(n.worms, id) {
		return n.sources.Pop(node, class)
	}
	after := node
	if n.config.CopyOrder == Ascending {
		after = noc.NodeID(n.nodes - 1)
	}
	to := fabric.NextAfter(n.worms.Set(id), after)
	split := n.worms.New(*n.worms.At(id))
	n.worms.Set(id)[to/64] &^= 1 << (to % 64)
	n.worms.Set(split)[to/64] |= 1 << (to % 64)
	markSingle(n.worms, split)
	return split
}

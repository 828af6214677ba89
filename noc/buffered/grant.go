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

// grant sends the nominated head of an input, or one branch of it, through an output. What every grant needs is
// written out here, and only what few do is called: a call costs as much as what it would do.
func (n *Network) grant(x *router, p *port, out, spot uint, t noc.Cycle) {
	c := &x.channel[spot&spotMask]
	s := &n.sent[n.sending]
	s.packet = c.head // changed there: a packet put together first would wait for its parts to reach the cache
	end := t + noc.Cycle(s.phits)
	a := n.agendas.on(end)
	a.releases = append(a.releases, release(x.id<<(2*portBits)|int32(out)<<portBits|int32(spot>>classBits)))
	half, class := spot>>halfBits&1, spot&(1<<classBits-1)
	x.idleLines[half] &^= 0xff << (spot & 63 &^ (1<<classBits - 1))
	p.phits += uint64(s.phits)
	p.idle = 0 // and heads that ask for it are ready no more
	x.ready[0] &^= p.asking[0]
	x.ready[1] &^= p.asking[1]
	p.asking[half] &^= 1 << (spot & 63)
	if x.several[0]|x.several[1] != 0 {
		n.withdraw(c, x, p, spot)
	}
	if c.branches &^= 1 << (out & (maxPorts - 1)); c.branches != 0 {
		n.branch(c, &s.packet, x, spot, uint8(out), t)
	} else {
		x.depart(t, end)
		c.next = t + 1
		if n.afterTail {
			c.next = end + readyDelay
		}
		if c.size--; c.size > 0 {
			n.advance(x, spot, c)
		}
		if spot>>classBits == topology.Local {
			n.soon.refills = append(n.soon.refills, address(x.id<<addressBits)|address(class))
		} else {
			n.soon.credits = append(n.soon.credits, x.port[spot>>classBits&(maxPorts-1)].far|address(class))
		}
	}
	if n.toggles != nil {
		n.leave(s.worm, x, spot, out)
	}
	if out == topology.Local {
		n.eject(&s.packet, x.id, t)
		return
	}
	n.sending++
	s.to = p.far | address(class)
	n.phitHops += uint64(s.phits)
	s.written = uint32(t + writeDelay)
	p.credits[class]--
	if n.local {
		n.spend(x, p, out<<classBits|class, t)
	} else {
		admitted := &n.space[out&(maxPorts-1)][min(p.credits[class], 2)]
		p.open[0] &^= (everyPort &^ admitted[0]) << class
		if n.wide {
			p.open[1] &^= (everyPort &^ admitted[1]) << class
		}
	}
	if s.left--; s.left == 0 {
		n.routes.aim(&s.packet, int32(p.far>>addressBits))
	}
}

// receive puts the packets sent in a cycle into their channels. In a large network the channels are far from
// what the processor has at hand: a loop that only reads them first fetches many at a time. Together with
// the list this saves a third of the time of a hop at 64x64 nodes.
func (n *Network) receive(t noc.Cycle) {
	touched := uint8(0)
	sent := n.sent[:n.sending]
	for i := range sent {
		s := &sent[i]
		touched |= n.at(s.to).channel[s.to.spot()].size
	}
	n.touched = touched
	for i := range sent {
		s := &sent[i]
		x := n.at(s.to)
		x.arrive(t, t+writeDelay)
		n.push(x, s.to.spot(), &s.packet, t+writeDelay+readyDelay)
	}
	n.sending = 0
}

// eject hands a packet to the node.
func (n *Network) eject(k *packet, r int32, t noc.Cycle) {
	at := noc.NodeID(r)
	worm := n.worms.At(k.worm)
	n.inside.leave(t+ejectDelay, uint64(k.phits))
	n.sinks.Accept(worm, n.routes.distance(worm.Src, at), at, t+ejectDelay)
	n.news |= 1 << ((t + ejectDelay + noc.Cycle(k.phits)) % fabric.Horizon)
	n.worms.Free(k.worm)
	if n.bounded {
		n.testSink(int(r))
	}
}

// branch splits the destinations behind an output of a router off a multicast, gives them, as packet k, a worm
// of their own, and lets what stays ask for its next outputs.
func (n *Network) branch(c *channel, k *packet, x *router, spot uint, out uint8, t noc.Cycle) {
	src := n.worms.At(k.worm).Src
	k.worm = n.worms.NewSeveral(*n.worms.At(k.worm))
	from, to := n.worms.Set(c.head.worm), n.worms.Set(k.worm)
	n.routes.behind(x.id, out, src, from, to)
	if checking {
		mustSplit(from, to)
	}
	for i := range from {
		from[i] &^= to[i]
	}
	c.head.head(n.worms.Settle(c.head.worm))
	n.routes.aim(&c.head, x.id)
	k.head(n.worms.Settle(k.worm))
	if n.toggles != nil {
		n.toggles.split(c.head.worm, k.worm)
	}
	n.inside.enter(t+1, uint64(k.phits))
	c.lastTurn = int8(out)
	x.copies++
	n.ask(c, x, spot)
}

// advance makes the second packet of a channel its head, and notes when it may first ask for the switch.
func (n *Network) advance(x *router, spot uint, c *channel) {
	c.head = c.second
	if c.size > 1 {
		c.second = n.waiting[(int(x.id)*n.ports<<classBits+int(spot))*n.further+int(c.first)]
		if c.first++; int(c.first) == n.further {
			c.first = 0
		}
	}
	// The difference is right whatever the upper halves are, and a packet that has waited for half of all
	// cycles that fit must not seem to be on its way.
	coming := max(0, min(int32(c.head.written-uint32(n.now)), writeDelay)+readyDelay)
	a := n.agendas.on(max(c.next, n.now+noc.Cycle(coming)))
	a.heads = append(a.heads, address(x.id<<addressBits)|address(spot))
}

// push appends a packet to a channel, which may ask for the switch from a cycle on if it is the head.
func (n *Network) push(x *router, spot uint, k *packet, from noc.Cycle) {
	c := &x.channel[spot&spotMask]
	switch c.size++; c.size {
	case 1:
		c.head = *k
		a := n.agendas.on(max(c.next, from))
		a.heads = append(a.heads, address(x.id<<addressBits)|address(spot))
	case 2:
		c.second = *k
	default:
		i := int(c.first) + int(c.size) - 3
		if i >= n.further {
			i -= n.further
		}
		n.waiting[(int(x.id)*n.ports<<classBits+int(spot))*n.further+i] = *k
	}
}

// packetAt is the i-th packet of a channel.
func (n *Network) packetAt(ch, i int) *packet {
	c := &n.channels[ch]
	switch i {
	case 0:
		return &c.head
	case 1:
		return &c.second
	}
	return &n.waiting[ch*n.further+(int(c.first)+i-2)%n.further]
}

// inject lets the interface send the next packet, or copy, into the local port: one phit per cycle for
// all classes together, round-robin over the classes that find a slot.
func (n *Network) inject(x *router, t noc.Cycle) {
	ready := n.sources.Ready(noc.NodeID(x.id)) & x.free
	if x.sending || ready == 0 {
		return
	}
	class := next8(ready, x.lastClass)
	x.lastClass = int8(class)
	var id fabric.WormID
	if n.toggles == nil {
		id = n.take(noc.NodeID(x.id), noc.Class(class))
	} else {
		id = n.takeCounted(noc.NodeID(x.id), noc.Class(class))
	}
	worm := n.worms.At(id)
	worm.Inject(t)
	k := packet{worm: id, phits: uint8(worm.Phits), odd: n.routes.parity[x.id], written: uint32(t + injectDelay)}
	k.head(n.worms.Only(id))
	n.routes.aim(&k, x.id)
	n.injected++
	n.inside.enter(t, uint64(k.phits))
	x.sending = true
	a := n.agendas.on(t + noc.Cycle(k.phits))
	a.senders = append(a.senders, address(x.id<<addressBits))
	x.injected += uint64(k.phits)
	x.arriveHere(t + injectDelay)
	n.push(x, class, &k, t+injectDelay+readyDelay)
	left := &x.port[topology.Local].credits[class&(1<<classBits-1)]
	if *left--; *left == 0 {
		x.free &^= 1 << class
	}
}

// take removes the next packet from a source queue, or under Replicate the next copy of it.
func (n *Network) take(node noc.NodeID, class noc.Class) fabric.WormID {
	switch {
	case n.config.Multicast == Tree:
		return n.sources.Pop(node, class)
	case n.config.CopyOrder == Ascending:
		return n.sources.PopCopy(node, class, noc.NodeID(n.nodes-1))
	}
	return n.sources.PopCopy(node, class, node)
}

// head makes a packet one for the given destination, or for several, to be aimed at the next router.
func (k *packet) head(only int32) {
	k.left, k.port = 1, severalPorts
	if only >= 0 {
		k.to, k.port = uint16(only), topology.Local
	}
}

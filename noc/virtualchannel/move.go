package virtualchannel

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// moving is what the loops of move hand to each other: channels whose header, and whose tail, is among some flits.
// One loop with everything in it would have more at hand than a processor has registers.
type moving struct{ heads, tails [batch]uint32 }

const batch = 1 << 10

// move lets the front flits of some channels through their switches: granted in cycle t, they are in the next buffers,
// or with the nodes, flight cycles later. Every flit is treated alike; headers and tails are only noted.
func (n *Network) move(list []uint32, t noc.Cycle) {
	n.moved += uint64(len(list))
	n.returned.credits = append(n.returned.credits, list...)
	for len(list) > 0 {
		some := list[:min(batch, len(list))]
		list = list[len(some):]
		from := len(n.sent.flits)
		n.sent.flits = n.sent.flits[:from+len(some)]
		to := n.sent.flits[from:]
		heads, tails := n.moving.leave(some, to, n.front)
		n.credits[n.nowhere] = math.MaxInt32
		use(some, to, n.front, n.credits, n.lanes)
		for _, ch := range n.moving.heads[:heads] {
			n.departHeader(ch, t)
		}
		for _, ch := range n.moving.tails[:tails] {
			n.release(ch, t)
		}
	}
}

// leave takes the front flit out of each channel, and lists where it goes.
//
//go:noinline
func (m *moving) leave(list, to []uint32, fronts []front) (heads, tails int) {
	to = to[:len(list)]
	for i, ch := range list {
		f := fronts[ch] - oneHere - oneLeft
		m.heads[heads&(batch-1)], m.tails[tails&(batch-1)] = ch, ch
		heads += f.fresh()
		f &^= fresh
		fronts[ch] = f
		tails += int(isZero(f.left()))
		to[i] = f.to()
	}
	return heads, tails
}

// use takes a place of each channel that a flit goes to, and notes which have no other, and which channels have become
// empty.
//
//go:noinline
func use(list, to []uint32, fronts []front, credits []int32, lanes []lane) {
	to, credits = to[:len(list)], credits[:len(fronts)]
	for i, ch := range list {
		next := to[i]
		room := credits[next] - 1
		credits[next] = room
		x := &lanes[ch>>6]
		x.some &^= isZero(fronts[ch].here()) << (ch & 63)
		x.room &^= isZero(room) << (ch & 63)
	}
}

// isZero is 1 for 0, else 0.
func isZero[number int | int32 | uint64](i number) uint64 {
	if i == 0 {
		return 1
	}
	return 0
}

// departHeader notes that the header of a channel's front packet moves on.
func (n *Network) departHeader(ch uint32, t noc.Cycle) {
	c, f := &n.channel[ch], n.front[ch]
	w := &n.worms[c.worm]
	n.port[c.out].phits += uint64(w.phits)
	if c.own {
		n.routers[c.router].injected += uint64(w.phits)
		n.Dispatch.Leaves(c.worm, t)
	}
	if to := f.to(); to != n.nowhere {
		w.hops++
		n.sent.headers = append(n.sent.headers, arrival{to, c.worm})
	}
	if c.flags&copies != 0 {
		n.routers[c.router].copied += uint64(w.phits)
	}
}

// release ends the front packet of a channel, whose tail has been granted, and starts the next.
func (n *Network) release(ch uint32, t noc.Cycle) {
	c := &n.channel[ch]
	x := &n.lanes[ch>>6]
	x.active &^= 1 << (ch & 63)
	n.banks[c.router>>6].live[c.place>>6] &^= isZero(x.active) << (c.place & 63)
	if c.flags != 0 {
		n.deliver(c, t)
	}
	if c.flags&leaves == 0 {
		n.owner[n.front[ch].to()] = n.nowhere
		out := &n.port[c.out]
		out.free |= 1 << (c.last & 31)
		if out.sleeper != n.nowhere {
			n.wakeSleepers(out)
		}
	}
	if c.queued > 0 {
		worm := n.behind[int(ch)*n.config.BufferPhits+int(c.first)]
		if c.first++; int(c.first) == n.config.BufferPhits {
			c.first = 0
		}
		c.queued--
		n.begin(c, ch, worm, t+1)
		return
	}
	c.stage = empty
	n.routers[c.router].Exit(t)
	if c.own {
		s := n.at(t + 1)
		s.ports = append(s.ports, ch)
	}
}

// deliver hands the whole of a channel's front packet, or a copy of it, to a node.
func (n *Network) deliver(c *channel, t noc.Cycle) {
	n.Dispatch.Tail(c.worm, noc.NodeID(c.node), int32(c.hops), t, t+noc.Cycle(n.flight))
	if c.flags&copies != 0 {
		n.routers[c.router].branched++
	}
	if c.flags&leaves != 0 {
		n.Dispatch.End(c.worm)
	}
}

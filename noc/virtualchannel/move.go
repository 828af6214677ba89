package virtualchannel

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// A move is a flit that a switch has let pass: in the lower half the channel that it has left, which has a place again after
// back cycles, in the upper the one in which it is after flight cycles.
type move uint64

func (m move) from() uint32 { return uint32(m) }
func (m move) to() uint32   { return uint32(m >> 32) }

// move lets the flits that have been granted in cycle t through their switches. All are treated alike; headers and tails
// are only noted.
func (n *Network) move(t noc.Cycle) {
	at := n.at(t + noc.Cycle(n.flight))
	n.at(t + noc.Cycle(n.back))
	moves := &n.movesOf[uint(t)&n.mask]
	*moves = (*moves)[:len(n.going)]
	headed, tailed := leave(n.going, *moves, n.front, n.heads, n.tails)
	use(*moves, n.front, n.upstream, n.words)
	for _, ch := range n.heads[:headed] {
		n.departHeader(ch, at, t)
	}
	for _, ch := range n.tails[:tailed] {
		n.release(ch, t)
	}
	n.flits += uint64(len(n.going))
	n.ejected += uint64(math.MaxInt32 - n.upstream[n.nowhere].credits)
	n.upstream[n.nowhere].credits = math.MaxInt32
}

// leave takes the front flits out of some channels.
//
//go:noinline
func leave(going []uint32, moves []move, fronts []front, heads, tails []uint32) (headed, tailed int) {
	moves = moves[:len(going)]
	for i, ch := range going {
		f := fronts[ch] - oneHere - oneLeft
		heads[headed], tails[tailed] = ch, ch
		headed += f.fresh()
		f &^= fresh
		fronts[ch] = f
		tailed += int(isZero(f.left()))
		moves[i] = move(f&^(1<<32-1)) | move(ch)
	}
	return headed, tailed
}

// use takes a place of each channel that a flit goes to, and notes which have no other, and which channels have become
// empty.
//
//go:noinline
func use(moves []move, fronts []front, upstream []upstream, words []word) {
	for _, m := range moves {
		ch, to := m.from(), &upstream[m.to()]
		room := to.credits - 1
		to.credits = room
		x := &words[ch>>6]
		x.some &^= isZero(fronts[ch].here()) << (ch & 63)
		x.room &^= isZero(room) << (ch & 63)
	}
}

// isZero is 1 for 0, else 0.
func isZero[number int32 | uint16 | uint64](i number) uint64 {
	if i == 0 {
		return 1
	}
	return 0
}

// departHeader notes that the header of a channel's front packet moves on.
func (n *Network) departHeader(ch uint32, sent *slot, t noc.Cycle) {
	c := &n.channel[ch]
	if c.own {
		n.Dispatch.Leaves(c.worm, t)
	}
	if to := n.frontOf(ch).to(); to != n.nowhere {
		sent.headers = append(sent.headers, arrival{to, c.worm})
	}
}

// release ends the front packet of a channel, whose tail has been granted, and starts the next.
func (n *Network) release(ch uint32, t noc.Cycle) {
	c := &n.channel[ch]
	n.words[ch>>6].active &^= 1 << (ch & 63)
	if c.flags != 0 {
		n.deliver(c, t)
	}
	if c.flags&leaves == 0 {
		n.upstream[n.frontOf(ch).to()].owner = n.nowhere
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

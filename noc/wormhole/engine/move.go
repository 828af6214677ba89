package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// moves are the flits that the switches have let pass in a cycle: the channel that each has left, which has a place again after
// back cycles, and the one in which it is after flight cycles. Whoever is concerned with the one does not read the other.
type moves struct{ from, to []uint32 }

// movesAt is the flits granted in a cycle, as long as it matters.
func (n *Network) movesAt(t noc.Cycle) *moves { return &n.movesOf[uint(t)&n.mask&(ahead-1)] }

// move lets the flits that have been granted in cycle t through their switches. All are treated alike; headers and tails
// are only noted.
func (n *Network) move(t noc.Cycle) {
	at := n.at(t + noc.Cycle(n.flight))
	n.at(t + noc.Cycle(n.back))
	moves := n.movesAt(t)
	going := n.going
	moves.from, n.going = going, moves.from[:0]
	moves.to = moves.to[:len(going)]
	headed, tailed := n.leave(going)
	use(going, moves.to, n.front, n.upstream, n.words)
	n.departHeaders(n.heads[:headed], at, t)
	n.release(n.tails[:tailed], t)
	n.flits += uint64(len(going))
	if n.upstream[n.nowhere].credits < math.MaxInt32/2 {
		n.countEjected()
	}
}

// countEjected counts the flits that have gone to nodes since the last time: each took a place of the channel nowhere.
func (n *Network) countEjected() {
	y := &n.upstream[n.nowhere]
	n.ejected += uint64(math.MaxInt32 - y.credits)
	y.credits = math.MaxInt32
}

// leave takes the front flits out of some channels.
//
//go:noinline
func (n *Network) leave(going []uint32) (headed, tailed int) {
	fronts, heads, tails := n.front, n.heads[:len(going)], n.tails[:len(going)] // one length to keep
	for _, ch := range going {
		f := fronts[ch] - oneHere - oneLeft
		heads[headed], tails[tailed] = ch, ch
		headed += f.fresh()
		tailed += int(isZero(f & leftBits))
		fronts[ch] = f &^ fresh
	}
	return headed, tailed
}

// use takes a place of each channel that a flit goes to, which it lists, and notes which have no other, and which channels have
// become empty.
//
//go:noinline
func use(going, list []uint32, fronts []front, upstream []upstream, words []word) {
	list, upstream = list[:len(going)], upstream[:len(fronts)] // one length of two to keep
	for i, ch := range going {
		f := fronts[ch]
		list[i] = f.to()
		to := &upstream[f.to()]
		credits := to.credits - 1
		to.credits = credits
		x := &words[ch>>6]
		x.some = without(x.some, ch, f.here() == 0)
		x.room = without(x.room, ch, credits == 0)
	}
}

// without is a word without a channel's bit if that goes, without a branch.
func without(set uint64, ch uint32, goes bool) uint64 {
	less := set &^ (1 << (ch & 63)) // here, so that the compiler has only to choose
	if goes {
		set = less
	}
	return set
}

// isZero is 1 for 0, else 0.
func isZero[number int32 | uint16 | front | uint64](i number) uint64 {
	if i == 0 {
		return 1
	}
	return 0
}

// departHeaders notes that the headers of the front packets of some channels move on.
func (n *Network) departHeaders(list []uint32, sent *slot, t noc.Cycle) {
	headers := sent.headers
	for _, ch := range list {
		c := &n.channel[ch]
		if c.own {
			n.Dispatch.Leaves(c.worm, t)
		}
		if c.flags&leaves == 0 {
			headers = append(headers, arrival{n.frontOf(ch).to(), c.worm})
		}
	}
	sent.headers = headers
}

// release ends the front packets of some channels, whose tails have been granted, and starts the next.
func (n *Network) release(list []uint32, t noc.Cycle) {
	for _, ch := range list {
		c := &n.channel[ch]
		n.words[ch>>6].active &^= 1 << (ch & 63)
		if c.flags != 0 {
			n.deliver(c, t)
		}
		if c.flags&leaves == 0 {
			out, to := &n.port[c.out], n.frontOf(ch).to()
			n.upstream[to].owner, n.turns[to] = n.nowhere, c.place
			c.last = int8(to - out.down)
			out.free |= 1 << (c.last & 31)
			if out.sleeper != n.nowhere {
				n.wakeSleepers(out)
			}
		}
		if c.queued > 0 {
			n.follow(c, ch, t)
			continue
		}
		c.stage = empty
		n.routers[c.router].Exit(t)
		if c.own {
			s := n.at(t + 1)
			s.ports = append(s.ports, ch)
		}
	}
}

// follow starts the next packet of a channel whose tail goes in cycle t.
func (n *Network) follow(c *channel, ch uint32, t noc.Cycle) {
	worm := n.behind[int(ch)*n.config.BufferPhits+int(c.first)]
	if c.first++; int(c.first) == n.config.BufferPhits {
		c.first = 0
	}
	c.queued--
	c.worm, c.stage = worm, coming
	s := n.at(t + 1)
	s.headers = append(s.headers, arrival{ch, worm})
}

// deliver hands the whole of a channel's front packet, or a copy of it, to a node.
func (n *Network) deliver(c *channel, t noc.Cycle) {
	n.Dispatch.Tail(c.worm, noc.NodeID(c.node), n.links(c), t, t+noc.Cycle(n.flight))
	if c.flags&copies != 0 {
		n.routers[c.router].branched++
	}
	if c.flags&leaves != 0 {
		n.Dispatch.End(c.worm)
	}
}

// links is how many the front packet of a channel has crossed, of which a node takes a copy, or the whole.
func (n *Network) links(c *channel) int32 {
	if c.flags&leaves != 0 {
		return int32(n.worms[c.worm].routers) - 1
	}
	return int32(c.hops)
}

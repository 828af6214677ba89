package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// transfer moves flits that have been granted through their switches, over the links and into the
// next channels. All flits are treated alike; headers and tails are only noted, and dealt
// with one by one.
type transfer struct {
	net       *Network
	traversal int        // cycles from a switch grant to the flit's arrival in the next buffer
	credit    int        // cycles from a switch grant to the credit's use upstream
	heads     []globalVC // headers among the flits that go
	tails     []globalVC // tails among them
}

// land puts flits into channels, those for nodes into noChannel.
//
//go:noinline
func land(list []globalVC, fronts []front, words []word) {
	for _, ch := range list {
		fronts[ch] += oneHere
		words[ch.router()].occupied.Add(ch.vc())
	}
}

// giveBack frees a place in each channel of the list, and marks the channel that sends into it. A
// channel that no packet sends into has the owner noChannel.
//
//go:noinline
func giveBack(list []globalVC, upstream []upstream, words []word) {
	for _, ch := range list {
		to := &upstream[ch]
		to.credits++
		owner := to.owner
		words[owner.router()].credited.Add(owner.vc())
	}
}

// send is rule 9: it lets the flits that have been granted in cycle t through their switches.
func (x *transfer) send(t noc.Cycle) {
	n := x.net
	at := n.schedule.On(t + noc.Cycle(x.traversal))
	back, granted := n.schedule.On(t+noc.Cycle(x.credit)), n.switches.granted
	back.freed, n.switches.granted = granted, back.freed[:0]
	at.landing = at.landing[:len(granted)]
	headed, tailed := leave(granted, n.front, x.heads[:len(granted)], x.tails[:len(granted)])
	use(granted, at.landing, n.front, n.upstream, n.switches.words)
	x.departHeaders(x.heads[:headed], at, t)
	x.release(x.tails[:tailed], t)
	n.upstream[n.noChannel].credits = math.MaxInt32
}

// leave takes the front flits out of some channels, and lists those that send a header or a tail.
//
//go:noinline
func leave(granted []globalVC, fronts []front, heads, tails []globalVC) (headed, tailed int) {
	heads, tails = heads[:len(granted)], tails[:len(granted)] // one length to keep
	for _, ch := range granted {
		f := fronts[ch] - oneHere - oneLeft
		heads[headed], tails[tailed] = ch, ch
		headed += f.fresh()
		tailed += isZero(f & leftBits)
		fronts[ch] = f &^ fresh
	}
	return headed, tailed
}

// use takes a place of each channel that a flit goes to, which it lists, and notes which have no
// other, and which channels have become empty.
//
//go:noinline
func use(granted, list []globalVC, fronts []front, upstream []upstream, words []word) {
	list, upstream = list[:len(granted)], upstream[:len(fronts)] // one length of two to keep
	for i, ch := range granted {
		f := fronts[ch]
		list[i] = f.to()
		to := &upstream[f.to()]
		credits := to.credits - 1
		to.credits = credits
		word := &words[ch.router()]
		word.occupied = without(word.occupied, ch.vc(), f.here() == 0)
		word.credited = without(word.credited, ch.vc(), credits == 0)
	}
}

// departHeaders notes that the headers of the front packets of some channels move on.
func (x *transfer) departHeaders(list []globalVC, sent *slot, t noc.Cycle) {
	arrivals := sent.arrivals
	for _, ch := range list {
		if to := x.departHeader(ch, t); to != x.net.noChannel {
			arrivals = append(arrivals, arrival{to, x.net.channel[ch].worm})
		}
	}
	sent.arrivals = arrivals
}

// departHeader does so for one, and returns the channel that it goes to.
func (x *transfer) departHeader(ch globalVC, t noc.Cycle) globalVC {
	n := x.net
	if c := &n.channel[ch]; c.own {
		n.Dispatch.Leaves(c.worm, t)
		n.inside += uint64(c.phits)
	}
	return n.front[ch].to()
}

// release is rule 10: it ends the front packets of some channels, whose tails have been granted,
// and starts the next.
func (x *transfer) release(list []globalVC, t noc.Cycle) {
	n := x.net
	for _, ch := range list {
		c := &n.channel[ch]
		n.switches.words[ch.router()].active.Remove(ch.vc())
		if c.flags != 0 {
			x.deliver(c, t)
		}
		if c.flags&leaves == 0 {
			out, to := &n.port[c.out], n.front[ch].to()
			n.upstream[to].owner, n.allocator.last[to] = n.noChannel, c.place
			if c.last = int8(to - out.down); !n.lonely.Has(int(c.last)) {
				n.allocator.free(out, int(c.last))
			}
		}
		if c.queued > 0 {
			n.headers.follow(c, ch, t)
			continue
		}
		c.stage = idle
		n.routers[c.router].Exit(t + 1)
		if c.own {
			s := n.schedule.On(t + 1)
			s.ports = append(s.ports, ch)
		}
	}
}

// freeEmptied is the part of rule 10 for channels that take a packet only when they are empty: flits have left those of the
// list.
func (x *transfer) freeEmptied(list []globalVC) {
	n := x.net
	for _, ch := range list {
		c, to := &n.channel[ch], &n.upstream[ch]
		if n.lonely.Has(int(c.number)) && !c.own && to.owner == n.noChannel && int(to.credits) == n.config.BufferPhits {
			n.allocator.free(&n.port[n.sources[c.base+uint32(c.input)].feeder], int(c.number))
		}
	}
}

// deliver is rule 12: a node has a channel's front packet, or a copy of it, when its tail has
// crossed switch and link.
func (x *transfer) deliver(c *channel, t noc.Cycle) {
	n := x.net
	n.Dispatch.Tail(c.worm, noc.NodeID(c.node), n.headers.links(c), t, t+noc.Cycle(x.traversal))
	if c.flags&copies != 0 {
		n.routers[c.router].branched++
	}
	if c.flags&leaves != 0 {
		n.inside -= uint64(c.phits)
		n.Dispatch.End(c.worm)
	}
}

// without returns a set without a channel if that goes, without a branch.
func without(set vcSet, v vc, goes bool) vcSet {
	less := set &^ (1 << (v & 63)) // here, so that the compiler has only to choose
	if goes {
		set = less
	}
	return set
}

// isZero returns 1 if no bit is set, else 0.
func isZero(f front) int {
	if f == 0 {
		return 1
	}
	return 0
}

// slot is what takes effect in a cycle.
type slot struct {
	landing  []globalVC // channels in which flits are now
	freed    []globalVC // channels that flits have left, which have a place again
	arrivals []arrival  // headers that reach a channel with their flit, or its front
	routed   []globalVC // channels whose header has its route
	ports    []globalVC // channels of nodes that can take the next packet
}

// arrival is a header that reaches a channel.
type arrival struct {
	channel globalVC
	worm    int32
}

// newSchedule makes room for delays up to the longest, and for some flits in a cycle.
func newSchedule(longest noc.Cycle, most int) fabric.Wheel[slot] {
	s := fabric.NewWheel[slot](int(longest))
	for t := range 2 * longest { // all slots, as their number is a power of two
		*s.At(t) = slot{landing: make([]globalVC, 0, most), freed: make([]globalVC, 0, most)}
	}
	return s
}

package virtualchannel

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Step simulates cycles up to until, or to the first one with news for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.Clock < until {
		if !n.config.EveryCycle && n.Skip(n.nextWork(), until) {
			break
		}
		n.cycle()
		if n.News() {
			break
		}
	}
	return n.Clock
}

// nextWork is the next cycle in which a router, an interface, an event or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	if len(n.asking) > 0 || n.restless {
		return n.Clock
	}
	next := n.Next()
	if n.busy != 0 {
		i := uint(n.Clock) & n.mask
		turned := n.busy>>i | n.busy<<(n.mask+1-i)
		next = min(next, n.Clock+noc.Cycle(bits.TrailingZeros64(turned)))
	}
	return next
}

// at is the agenda of a cycle to come, less than its length away, to which something is added.
func (n *Network) at(c noc.Cycle) *slot {
	i := uint(c) & n.mask
	n.busy |= 1 << i
	return &n.agenda[i]
}

// cycle simulates the current cycle: flits, credits and routes take effect, nodes start packets, flits get the switches,
// headers virtual channels, and what has been granted moves.
func (n *Network) cycle() {
	t := n.Clock
	if i := uint(t) & n.mask; n.busy>>i&1 != 0 {
		n.busy &^= 1 << i
		n.takeEffect(&n.agenda[i], t)
	}
	if n.Dispatch.Next(t) <= t {
		for _, id := range n.Dispatch.Serve(t) {
			n.launch(id, t)
		}
	}
	if n.config.EveryCycle {
		n.wakeAll()
	}
	n.allocateSwitches()
	n.restless = len(n.asking) > 0
	if n.restless {
		n.allocateChannels()
	}
	if n.guesses != nil {
		n.guess()
	}
	if len(n.going) > 0 {
		n.restless = true
		n.move(t)
	}
	n.Clock++
	if fabric.Invariants {
		if err := n.CheckInvariants(); err != nil {
			panic(err)
		}
	}
}

// wakeAll lets all headers that wait ask.
func (n *Network) wakeAll() {
	for i := range n.port {
		n.wakeSleepers(&n.port[i])
	}
}

// takeEffect carries out what is due in cycle t.
func (n *Network) takeEffect(s *slot, t noc.Cycle) {
	landing, freed := &n.movesOf[uint(t-noc.Cycle(n.flight))&n.mask], &n.movesOf[uint(t-noc.Cycle(n.back))&n.mask]
	land(landing.to, n.front, n.words)
	giveBack(freed.from, n.upstream, n.words)
	if n.back > n.flight {
		landing = freed
	}
	landing.from, landing.to = landing.from[:0], landing.to[:0] // the later of the two
	for _, a := range s.headers {
		n.arrive(a, t)
	}
	for _, ch := range s.heads {
		n.routed(ch)
	}
	for _, ch := range s.ports {
		c := &n.channel[ch]
		n.Dispatch.FreePort(noc.NodeID(n.port[n.inputOf(c)].node), int32(c.number))
	}
	s.headers, s.heads, s.ports = s.headers[:0], s.heads[:0], s.ports[:0]
}

// land puts flits into channels, those for nodes nowhere.
//
//go:noinline
func land(list []uint32, fronts []front, words []word) {
	for _, ch := range list {
		fronts[ch] += oneHere
		words[ch>>6].some |= 1 << (ch & 63)
	}
}

// giveBack gives places of channels back to whoever sends into them. Those of nodes belong to nobody and nowhere.
//
//go:noinline
func giveBack(list []uint32, upstream []upstream, words []word) {
	for _, ch := range list {
		x := &upstream[ch]
		x.credits++
		from := x.owner
		words[from>>6].room |= 1 << (from & 63)
	}
}

// launch puts a worm into a virtual channel of its node: its flits wait in the node's memory, and its
// header has crossed to the router after LinkCycles.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, flight{})
	}
	w := n.Dispatch.At(id)
	ch := n.entry[w.From] + uint32(w.Port)
	n.worms[id] = flight{from: uint32(w.From), stop: uint32(w.Stops[0]), phits: uint16(w.Phits), class: w.Class, ordered: w.Ordered,
		simple: w.Routed && len(w.Stops) == 1}
	n.front[ch] = front(w.Phits) * oneHere
	n.words[ch>>6].some |= 1 << (ch & 63)
	c := &n.channel[ch]
	n.routers[c.router].Enter(t)
	n.begin(c, ch, id, t+noc.Cycle(n.config.LinkCycles))
}

// arrive takes a header into a channel.
func (n *Network) arrive(a arrival, t noc.Cycle) {
	c := &n.channel[a.channel]
	if c.stage != empty {
		at := int(c.first) + int(c.queued)
		if at >= n.config.BufferPhits {
			at -= n.config.BufferPhits
		}
		n.behind[int(a.channel)*n.config.BufferPhits+at] = a.worm
		c.queued++
		return
	}
	n.routers[c.router].Enter(t)
	n.begin(c, a.channel, a.worm, t)
}

// begin starts the packet that has come to the front of a channel: its header takes its way through the
// pipeline from cycle t on.
func (n *Network) begin(c *channel, ch uint32, worm int32, t noc.Cycle) {
	c.worm, c.stage = worm, unrouted
	f := n.frontOf(ch)
	*f = f.start(n.worms[worm].phits, n.nowhere)
	if n.config.RouteCycles == 0 && t == n.Clock {
		n.routed(ch)
		return
	}
	s := n.at(t + noc.Cycle(n.config.RouteCycles))
	s.heads = append(s.heads, ch)
}

// routed decides where the front packet of a channel goes on; its header asks for a virtual channel from
// this cycle on.
func (n *Network) routed(ch uint32) {
	c := &n.channel[ch]
	f := &n.worms[c.worm]
	n.routers[c.router].lookups++
	c.hops, c.flags, c.stage = f.hops, 0, waiting
	f.hops++
	if !f.simple {
		n.nextStop(c, f)
	}
	exit := &n.exit[f.stop]
	output, half := exit.number, uint8(1)
	switch {
	case exit.router == c.router:
		c.node = f.stop
		c.flags |= leaves
	case !f.simple && !n.Dispatch.At(c.worm).Routed:
		w := n.Dispatch.At(c.worm)
		output = n.routes.towards(c.router, w.Path[w.Step])
		w.Step++
	case n.routes.adaptive != nil && !f.ordered:
		output = n.choose(c.router, f.class, noc.NodeID(f.stop))
	case f.simple:
		way := n.known.way(c.router, f.stop)
		if way == 0 {
			way = n.known.learn(&n.routes, c.router, f.from, f.stop)
		}
		output, half = way.output(), way.half()
	default:
		output, half = n.routes.next(c.router, f.from, f.stop)
	}
	c.allowed = n.sets[f.class][half&1]
	if f.ordered {
		c.allowed &= -c.allowed
	}
	n.robins[ch>>6].codes[ch&63] = n.layout.code(output, c.input)
	if n.guesses != nil {
		n.guesses.words[ch>>6].waiting |= 1 << (ch & 63)
	}
	c.out, c.output = c.base+uint32(output), output
	n.asking = append(n.asking, ch)
}

// nextStop finds the stop that a worm goes on to, and whether it leaves a copy here.
func (n *Network) nextStop(c *channel, f *flight) {
	w := n.Dispatch.At(c.worm)
	f.stop = uint32(w.Stops[w.Next])
	if n.exit[f.stop].router == c.router && int(w.Next) < len(w.Stops)-1 {
		c.flags |= copies
		c.node = f.stop
		w.Next++
		f.stop = uint32(w.Stops[w.Next])
	}
}

// choose is the output of a header that has a choice: the first with a virtual channel that is free for it, or else
// the first. Only what routers did in earlier cycles counts, so that the order of events changes nothing.
func (n *Network) choose(router uint32, class noc.Class, stop noc.NodeID) uint8 {
	outputs := n.routes.outputs(router, stop)
	for _, o := range outputs {
		if n.port[n.layout.portAt(int(router), int(o))].free&n.sets[class][1] != 0 {
			return uint8(o)
		}
	}
	return uint8(outputs[0])
}

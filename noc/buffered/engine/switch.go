package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// allocate is rule 8 for one router: each idle output grants one nominee. A single iteration: an
// input whose nominee loses waits for the next cycle.
func (g *region) allocate(r *router, t noc.Cycle) {
	heads := r.ready & r.idleLines // may be empty: routers are due, or visited in every cycle, for less
	if !heads.Many() {
		if heads != 0 {
			g.allocateOne(r, heads.First(), t)
		}
		return
	}
	for outputs := g.nominate(r, heads); outputs != 0; outputs &= outputs - 1 {
		out := outputs.First()
		in := arbiter.Next8(uint8(g.nominees[out]), r.lastInput[out])
		g.nominees[out] = 0
		r.lastInput[out] = int8(in)
		r.granted++
		g.grant(r, out, g.nominated[in], t)
	}
	g.wake(r)
}

// allocateOne is allocate where only one head can be granted something, as is most often so: no
// arbiter has a choice, and nothing is left to grant.
func (g *region) allocateOne(r *router, v vc, t noc.Cycle) {
	out := r.channel[v].front[0].port()
	if out == severalPorts {
		out = r.chooseBranch(v)
	}
	r.lastInput[out] = int8(v.port())
	line := ofPort(v)
	r.after = r.after&^line | line&-(2<<v)
	r.asked++
	r.nominated++
	r.granted++
	g.grant(r, out, v, t)
}

// nominate is rule 7: the idle inputs of a router nominate of the channels that could be granted
// something. It returns the outputs that nominees ask for.
func (g *region) nominate(r *router, heads vcSet) (outputs portSet) {
	nominated, after := arbiter.Octets(uint64(heads), uint64(r.after))
	r.after = vcSet(after)
	r.asked += uint64(bits.OnesCount64(uint64(heads)))
	for rest := vcSet(nominated); rest != 0; rest &= rest - 1 {
		v := rest.First()
		out := r.channel[v].front[0].port()
		if out == severalPorts {
			out = r.chooseBranch(v)
		}
		r.nominated++
		g.nominated[v.port()] = v
		g.nominees[out].Add(v.port())
		outputs.Add(out)
	}
	return outputs
}

// chooseBranch picks the output that a nominated head with several destinations asks for: the next
// of those that could be granted.
func (r *router) chooseBranch(v vc) port {
	c, can := &r.channel[v], portSet(0)
	for out := range c.wanted.All() {
		if o := &r.output[out]; (o.open & o.idle).Has(v) {
			can.Add(out)
		}
	}
	return port(arbiter.Next8(uint8(can), c.lastTurn))
}

// nextBranches is rule 12: the outputs that a head from an input may take next.
func (t *tables) nextBranches(in port, branches portSet) portSet {
	if branches.Has(topology.Local) {
		return 1 << topology.Local
	}
	// A packet from the node turns into every ring: opposite[Local] is Local, which it no longer
	// wants.
	if turns := branches &^ (1 << t.opposite[in&(maxPorts-1)]); turns != 0 {
		return turns
	}
	return branches
}

// request raises the request of a head for one output. It returns what the switch can grant of
// all requests for it.
func (r *router) request(o *output, v vc) vcSet {
	asking := o.asking
	asking.Add(v)
	o.asking = asking
	can := asking & o.open & o.idle // the others are known as ready
	r.ready |= can
	return can & r.idleLines
}

// requestSeveral raises the requests of a head with several destinations.
func (g *region) requestSeveral(c *channel, r *router, v vc) {
	c.wanted = g.nextBranches(v.port(), c.branches)
	if c.wanted.Many() {
		r.several.Add(v)
	}
	for out := range c.wanted.All() {
		r.request(&r.output[out], v)
	}
}

// withdraw takes back the requests of a granted head for other outputs, and finds the heads that
// are ready when some ask for more than one output: such a head may ask for another that is idle.
func (g *region) withdraw(c *channel, r *router, o *output, v vc) {
	if r.several.Has(v) {
		r.several.Remove(v)
		for out := range c.wanted.All() {
			r.output[out].asking.Remove(v)
		}
		g.findReady(r)
	} else if o.asking&r.several != 0 {
		g.findReady(r)
	}
}

// findReady finds all heads of a router that are ready.
func (g *region) findReady(r *router) {
	r.ready = 0
	for out := range g.ports {
		o := &r.output[out&(maxPorts-1)]
		r.ready |= o.asking & o.open & o.idle
	}
	g.wake(r)
}

// admits is rule 6: the channels from which an output takes a packet of a class, with a
// number of credits.
func (t *tables) admits(out port, class uint, credits uint8) vcSet {
	return t.admitted[out&(maxPorts-1)][t.level(class, credits)] << class
}

// level returns which packets a number of credits of a class admits: none (0), those that go
// straight on (1), or also those that enter a ring (2).
func (t *tables) level(class uint, credits uint8) uint8 {
	if !t.reserved {
		return min(credits, 2)
	}
	switch s := &t.space[class&(maxClasses-1)]; {
	case int(credits) < s.Ahead:
		return 0
	case int(credits) < s.Enter:
		return 1
	}
	return 2
}

// pattern is the channels of class 0 that an output admits, by level.
type pattern [4]vcSet

// patterns lists the patterns of the outputs: a packet that goes straight on stays in its ring,
// others enter it and need the bubble.
func patterns(opposite [maxPorts]port, bubble bool) (all [maxPorts]pattern) {
	for out := range all {
		all[out][1], all[out][2] = 1<<vcOf(opposite[out], 0), ofClass(0)
		if !bubble {
			all[out][1] = all[out][2]
		}
	}
	return all
}

// testSink finds which classes the sink of a node takes.
func (g *region) testSink(node noc.NodeID) {
	r, open := g.routers[node], vcSet(0)
	for class := range noc.Class(g.config.Classes) {
		if g.sinks.Room(node, class) {
			open |= ofClass(uint(class))
		}
	}
	r.output[topology.Local].open = open
	g.findReady(r)
}

// grant is rule 9: it sends the head of a channel, or one branch of it, through an output. The
// work of every grant is inlined here, and only rare work is called, because a call costs as much
// as the work itself.
func (g *region) grant(r *router, out port, v vc, t noc.Cycle) {
	v &= maxVCs - 1
	out &= maxPorts - 1
	c, o, here := &r.channel[v], &r.output[out], r.base|globalVC(v)
	k := c.front[0]
	phits := k.phits()
	end := t + noc.Cycle(phits)
	a := g.wheel.On(end)
	a.releases = append(a.releases, release(here)<<portBits|release(out))
	r.idleLines &^= ofPort(v)
	o.phits += uint64(phits)
	o.idle = 0 // and heads that ask for it are ready no more
	r.ready &^= o.asking
	o.asking.Remove(v)
	if r.several != 0 {
		g.withdraw(c, r, o, v)
	}
	if k.several() && c.take(out) {
		k = g.branch(c, r, v, out)
	} else {
		r.Exit(end + 1)
		next := t + 1
		if g.config.RouteAfterTail {
			next = end + g.delays.ready
		}
		if c.size--; c.size > 0 {
			g.advance(r, v, c, next)
		} else {
			c.setHeadFrom(next)
		}
		freed := &g.freedNow.freed[min(v.port(), 1)] // no branch: it would often be mispredicted
		if g.more != nil && g.more[int(r.firstVC+int32(v))>>classBits] > 0 {
			freed = &g.wheel.On(t + creditDelay + noc.Cycle(g.more[int(r.firstVC+int32(v))>>classBits])).freed[1]
		}
		*freed = append(*freed, r.output[v.port()].across|globalVC(v.class()))
	}
	if out == topology.Local {
		g.eject(k, r.id, v.class())
		return
	}
	class := v.class()
	across := o.across | globalVC(class)
	o.credits[class]--
	o.open = o.open&^ofClass(class) | g.admits(out, class, o.credits[class])
	if g.routes.near != nil && !k.several() {
		k = g.routes.look(k, across)
	} else {
		k = g.routes.step(k, int32(across.router()))
	}
	g.sent[g.sending] = shipment{k, across, o.peerVC | int32(class)}
	g.sending++
}

// take notes that a head takes an output, and reports whether it has others left to take.
func (c *channel) take(out port) bool {
	c.branches.Remove(out)
	return c.branches != 0
}

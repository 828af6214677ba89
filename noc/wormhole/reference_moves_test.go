package wormhole

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

type refMove struct{ in, vc int }

// requests lists the channels in a stage that can ask for the switch, or for a channel.
func (m *reference) requests(r int, s stage) (list []refMove) {
	x := m.routers[r]
	for in, row := range x.inputs {
		for vc, ch := range row {
			if ch.stage != s || s == active && (len(ch.fifo) == 0 || !ch.leaves && x.outputs[ch.output].credits[ch.vc] == 0) {
				continue
			}
			list = append(list, refMove{in, vc})
		}
	}
	return list
}

// wait is how far i is behind the last that had its turn, of n.
func wait(i, last, n int) int { return ((i-last-1)%n + n) % n }

// match is a separable allocation of the switch, inputs first.
func (m *reference) match(r int, requests []refMove, last func(*refOutput) (channel, input *int)) (moves []refMove) {
	x := m.routers[r]
	nominee := map[int]refMove{}
	for _, v := range requests {
		c, _ := last(x.outputs[v.in])
		if old, ok := nominee[v.in]; !ok || wait(v.vc, *c, m.vcs) < wait(old.vc, *c, m.vcs) {
			nominee[v.in] = v
		}
	}
	winner := map[int]refMove{}
	for in := range x.inputs {
		v, ok := nominee[in]
		if !ok {
			continue
		}
		o := x.inputs[in][v.vc].output
		if x.outputs[o].exit && m.c.EjectionPerInput {
			moves = append(moves, v)
			continue
		}
		_, i := last(x.outputs[o])
		if old, ok := winner[o]; !ok || wait(in, *i, len(x.inputs)) < wait(old.in, *i, len(x.inputs)) {
			winner[o] = v
		}
	}
	for o := range x.outputs {
		if v, ok := winner[o]; ok {
			moves = append(moves, v)
		}
	}
	return moves
}

// allocateChannels is the separable allocation of virtual channels.
func (m *reference) allocateChannels(r int) map[refMove]int {
	x := m.routers[r]
	granted := map[refMove]int{}
	type outputChannel struct{ out, vc int }
	best := map[outputChannel]refMove{}
	number := func(v refMove) int { return v.in*m.vcs + v.vc }
	asking := m.requests(r, waiting)
	turn := func(v refMove) int {
		return wait(v.in, x.entered, len(x.inputs))*32 + wait(v.vc, x.enteredBy[v.in], m.vcs)
	}
	order := map[refMove]int{}
	for _, v := range asking {
		order[v] = turn(v)
	}
	slices.SortFunc(asking, func(a, b refMove) int { return order[a] - order[b] })
	for _, v := range asking {
		ch := x.inputs[v.in][v.vc]
		w := m.Dispatch.At(ch.fifo[0].worm)
		if (ch.copies || ch.leaves) && !m.Sinks.Room(ch.node, w.Class) {
			continue
		}
		if ch.leaves {
			m.Sinks.Reserve(ch.node, w.Class)
			x.entered, x.enteredBy[v.in] = v.in, v.vc
			granted[v] = -1
			continue
		}
		proposal := -1
		for vc := range m.vcs {
			allowed := m.sets[w.Class][ch.half]>>vc&1 != 0
			if w.Ordered && m.sets[w.Class][ch.half]&(1<<vc-1) != 0 {
				allowed = false
			}
			if allowed && !x.outputs[ch.output].taken[vc] && (proposal < 0 || wait(vc, ch.last, 64) < wait(proposal, ch.last, 64)) {
				proposal = vc
			}
		}
		if proposal < 0 {
			continue
		}
		o := outputChannel{ch.output, proposal}
		last, inputs := x.outputs[o.out].turn[o.vc], len(x.inputs)*m.vcs
		if old, ok := best[o]; !ok || wait(number(v), last, inputs) < wait(number(old), last, inputs) {
			best[o] = v
		}
	}
	for o, v := range best {
		ch := x.inputs[v.in][v.vc]
		x.outputs[o.out].turn[o.vc], x.outputs[o.out].taken[o.vc], ch.last = number(v), true, o.vc
		if ch.copies {
			m.Sinks.Reserve(ch.node, m.Dispatch.At(ch.fifo[0].worm).Class)
		}
		granted[v] = o.vc
	}
	return granted
}

// send moves the front flit of a channel through the switch.
func (m *reference) send(r int, v refMove, t noc.Cycle) {
	x := m.routers[r]
	ch := x.inputs[v.in][v.vc]
	f := ch.fifo[0]
	ch.fifo = ch.fifo[1:]
	a := &m.activity[r]
	a.ArbGrants[noc.SwitchOutput]++
	a.BufferReads[noc.VirtualChannel]++
	a.Crossbar++
	arrives := t + noc.Cycle(1+m.c.SwitchCycles+m.c.LinkCycles)
	feeder := x.feeders[v.in]
	if feeder.own {
		a.InjectPhits++
		a.BufferWrites[noc.VirtualChannel]++
		m.inside++
		if f.header {
			m.Dispatch.Leaves(f.worm, t)
		}
	} else {
		m.credits = append(m.credits, refCredit{t + noc.Cycle(1+m.c.CreditCycles), feeder.router, feeder.out, v.vc})
	}
	o := x.outputs[ch.output]
	o.phits++
	if ch.copies {
		a.EjectPhits++
		a.Crossbar++
	}
	if ch.leaves {
		m.inside--
		a.EjectPhits++
	} else {
		a.LinkPhits++
		o.credits[ch.vc]--
		m.flits = append(m.flits, refArrival{arrives, o.peer, o.entry, ch.vc, f})
		if f.header {
			m.hops[f.worm] = ch.hops + 1
		}
	}
	if !f.tail {
		return
	}
	if ch.copies || ch.leaves {
		m.Dispatch.Tail(f.worm, ch.node, ch.hops, t, arrives)
	}
	if ch.copies {
		a.Replications++
	}
	ch.stage = empty
	ch.since = t + 1
	if ch.leaves {
		m.Dispatch.End(f.worm)
	} else {
		o.taken[ch.vc] = false
	}
	if feeder.own {
		m.ports = append(m.ports, refPort{t + 1, feeder.node, int32(v.vc)})
	}
}

// Buffered is the number of flits inside.
func (m *reference) Buffered() uint64 { return m.inside }

// Activity appends the counters of every router, LinkPhits tells the flits of a link.
func (m *reference) Activity(into []noc.Activity) []noc.Activity { return append(into, m.activity...) }
func (m *reference) LinkPhits(from noc.NodeID, port uint8) uint64 {
	return m.routers[from].outputs[port].phits
}

// FreeSink gives back a place of a bounded sink.
func (m *reference) FreeSink(node noc.NodeID, class noc.Class) { m.Sinks.Release(node, class) }

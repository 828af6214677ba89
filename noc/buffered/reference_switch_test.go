package buffered

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// head is the packet of a channel that may ask for the switch, if any.
func (m *reference) head(ch *refChannel) *refEntry {
	for _, e := range ch.entries {
		if e.leaving {
			continue
		}
		if e.routed && e.routedAt < m.now {
			return e
		}
		return nil
	}
	return nil
}

// branchesNow are the outputs that a packet may take next: local, then turns, straight on last.
func (m *reference) branchesNow(input int, e *refEntry) []int {
	if slices.Contains(e.branches, topology.Local) {
		return []int{topology.Local}
	}
	var turns []int
	for _, b := range e.branches {
		if !m.straight(input, b) {
			turns = append(turns, b)
		}
	}
	if len(turns) > 0 {
		return turns
	}
	return e.branches
}

func (m *reference) straight(input, output int) bool {
	if input == topology.Local || output == topology.Local {
		return false
	}
	d, s := m.g.Direction(input)
	e, u := m.g.Direction(output)
	return d == e && s == -u
}

// admits is the flow control of one move.
func (m *reference) admits(r *refRouter, input, output, class int) bool {
	if output == topology.Local {
		free, bounded := m.places[[2]int{int(r.id), class}]
		return !bounded || free > 0
	}
	free := r.seen[output][class]
	if m.straight(input, output) || !m.g.Wrap || !m.c.Bubble {
		return free >= 1
	}
	if m.c.BubbleAt == Downstream {
		return free >= 2
	}
	// Packets that come this way arrive over the link from the router behind.
	dim, sign := m.g.Direction(output)
	behind, _, _ := m.g.Neighbour(r.id, m.g.Port(dim, -sign))
	return free >= 1 && m.routers[behind].seen[output][class] >= 2
}

// after picks the smallest candidate above last, or the smallest of all.
func after(candidates []int, last int) int {
	slices.Sort(candidates)
	for _, c := range candidates {
		if c > last {
			return c
		}
	}
	return candidates[0]
}

// allocate is SA: inputs nominate, outputs grant.
func (m *reference) allocate(r *refRouter) {
	outputBusy := map[int]bool{}
	for _, s := range r.streams {
		if s != nil {
			outputBusy[s.output] = true
		}
	}
	nominees := map[int][]int{} // output -> inputs
	for input, row := range r.channels {
		if r.streams[input] != nil {
			continue
		}
		can := map[int][]int{} // class -> outputs
		var classes []int
		for class, ch := range row {
			e := m.head(ch)
			if e == nil {
				continue
			}
			for _, out := range m.branchesNow(input, e) {
				if !outputBusy[out] && m.admits(r, input, out, class) {
					can[class] = append(can[class], out)
				}
			}
			if len(can[class]) > 0 {
				classes = append(classes, class)
			}
		}
		if len(classes) == 0 {
			continue
		}
		class := after(classes, r.lastChannel[input])
		if m.c.ChannelArbiter == Priority {
			class = slices.Max(classes)
		}
		r.lastChannel[input] = class
		out := after(can[class], row[class].lastTurn)
		nominees[out] = append(nominees[out], input)
		r.activity.ArbRequests[noc.SwitchInput] += uint64(len(classes))
		r.activity.ArbGrants[noc.SwitchInput]++
	}
	for out := range m.g.Ports() {
		if len(nominees[out]) == 0 {
			continue
		}
		r.activity.ArbRequests[noc.SwitchOutput] += uint64(len(nominees[out]))
		r.activity.ArbGrants[noc.SwitchOutput]++
		input := after(nominees[out], r.lastInput[out])
		r.lastInput[out] = input
		m.grant(r, input, out)
	}
}

// grant connects an input to an output; the phits follow from the next cycle on.
func (m *reference) grant(r *refRouter, input, out int) {
	ch := r.channels[input][r.lastChannel[input]]
	e := m.head(ch)
	p := *e.packet
	p.to = nil
	for _, to := range e.packet.to {
		if m.nextPort(p.src, r.id, to) == out {
			p.to = append(p.to, to)
		}
	}
	e.packet.to = slices.DeleteFunc(e.packet.to, func(n noc.NodeID) bool { return slices.Contains(p.to, n) })
	e.branches = slices.DeleteFunc(e.branches, func(b int) bool { return b == out })
	e.leaving = len(e.branches) == 0
	if !e.leaving {
		r.activity.Replications++
		ch.lastTurn = out
	}
	if out == topology.Local {
		key := [2]int{int(r.id), p.class}
		if _, bounded := m.places[key]; bounded {
			m.places[key]--
		}
	} else {
		p.hops++
		r.credits[out][p.class]--
	}
	r.streams[input] = &refStream{entry: e, as: &p, channel: ch, last: e.leaving, output: out}
}

// send is the interface: one phit per cycle into the local port.
func (m *reference) send(r *refRouter) {
	if r.sending == nil {
		var classes []int
		for class := range r.queues {
			if len(r.queues[class]) > 0 && r.seen[topology.Local][class] > 0 {
				classes = append(classes, class)
			}
		}
		if len(classes) == 0 {
			return
		}
		r.lastClass = after(classes, r.lastClass)
		r.sending, r.sent = m.nextCopy(r, r.lastClass), 0
		r.sending.injected = m.now
		r.credits[topology.Local][r.lastClass]--
	}
	r.wire[topology.Local] = &refPhit{packet: r.sending, index: r.sent}
	r.activity.InjectPhits++
	if r.sent++; r.sent == r.sending.phits {
		r.sending = nil
	}
}

// nextCopy takes the next packet of a queue, or the next copy of it.
func (m *reference) nextCopy(r *refRouter, class int) *refPacket {
	p := r.queues[class][0]
	if m.c.Multicast == Tree || len(p.to) == 1 {
		r.queues[class] = r.queues[class][1:]
		return p
	}
	i := 0
	if m.c.CopyOrder == AfterSource {
		if j := slices.IndexFunc(p.to, func(n noc.NodeID) bool { return n > r.id }); j > 0 {
			i = j
		}
	}
	one := *p
	one.to = []noc.NodeID{p.to[i]}
	p.to = slices.Delete(slices.Clone(p.to), i, i+1)
	return &one
}

// phits counts every phit in channels, on links, and between crossbar and link.
func (m *reference) phits() (sum uint64) {
	for _, r := range m.routers {
		for port := range r.channels {
			for _, p := range []*refPhit{r.crossed[port], r.wire[port]} {
				if p != nil {
					sum++
				}
			}
			for _, ch := range r.channels[port] {
				for _, e := range ch.entries {
					sum += uint64(e.written)
				}
			}
			if s := r.streams[port]; s != nil && s.last {
				sum -= uint64(s.next)
			}
		}
	}
	return sum
}

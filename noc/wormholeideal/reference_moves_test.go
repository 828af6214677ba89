package wormholeideal

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// order sorts headers that ask for one place: the oldest first, then by input port and injection port.
func order(a, b *refWorm) int {
	return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.in, b.in), cmp.Compare(a.port, b.port))
}

// ask puts the header into the queue of its next place.
func (m *reference) ask(w *refWorm, t noc.Cycle) {
	w.waiting, w.since = true, t
	if m.c.InjectionChannels && len(w.way) == 1 && w.port != dispatch.Loopback {
		ch := m.injection[w.plan.From][w.port]
		ch.asking = append(ch.asking, w)
		return
	}
	stop := w.plan.Stops[w.next]
	if m.w.Exit[stop].Router == w.router || w.port == dispatch.Loopback {
		m.nodes[stop].asking = append(m.nodes[stop].asking, w)
		return
	}
	var c int
	if w.plan.Path == nil {
		c = int(m.router.Next(w.router, stop))
	} else {
		c = m.w.Channel(w.router, w.plan.Path[w.step])
		w.step++
	}
	m.activity[w.router].RouteLookups++
	if m.adaptive != nil {
		w.choices = []int32{int32(c)}
		if w.plan.Path == nil && !w.p.Ordered {
			w.choices = m.adaptive.Choices(w.router, stop, nil)
		}
		m.wanting[w.router] = append(m.wanting[w.router], w)
		return
	}
	m.channels[c].asking = append(m.channels[c].asking, w)
}

// round lets headers in every router choose among the channels that are free now, and cross them.
func (m *reference) round(t noc.Cycle) (changed bool) {
	free := map[*refChannel]bool{}
	for _, ch := range m.channels {
		free[ch] = ch.holder == nil && ch.freeAt <= t
	}
	for r, list := range m.wanting {
		slices.SortFunc(list, order)
		asked, granted := uint64(len(list)), uint64(0)
		m.wanting[r] = slices.DeleteFunc(slices.Clone(list), func(w *refWorm) bool {
			for _, c := range w.choices {
				if ch := m.channels[c]; free[ch] {
					free[ch], changed = false, true
					m.enter(w, ch, t)
					granted++
					return true
				}
			}
			return false
		})
		if granted > 0 {
			m.activity[r].ArbRequests[noc.SwitchOutput] += asked
			m.activity[r].ArbGrants[noc.SwitchOutput] += granted
		}
	}
	return changed
}

// take lets a node take copies of the worms that have asked longest.
func (m *reference) take(node noc.NodeID, t noc.Cycle) bool {
	s := m.nodes[node]
	s.ejecting = slices.DeleteFunc(s.ejecting, func(until noc.Cycle) bool { return until <= t })
	slices.SortFunc(s.asking, order)
	asking, granted := len(s.asking), 0
	for i := 0; i < len(s.asking); {
		w := s.asking[i]
		key := [2]int{int(node), int(w.p.Class)}
		places, bounded := m.places[key]
		if len(s.ejecting) >= m.c.EjectionChannels || bounded && places == 0 {
			i++
			continue
		}
		if bounded {
			m.places[key]--
		}
		s.asking = slices.Delete(s.asking, i, i+1)
		s.ejecting = append(s.ejecting, noc.Never)
		granted++
		w.waiting, w.ready = false, t
		w.visits = append(w.visits, refVisit{node: node, position: len(w.way) - 1})
		w.next++
		a := &m.activity[w.router]
		a.Crossbar += uint64(w.flits)
		a.EjectPhits += uint64(w.flits)
		if m.c.CutThrough {
			m.forward(w, w.visits[len(w.visits)-1], t+1)
		}
		if w.next < len(w.plan.Stops) {
			a.Replications++
			continue
		}
		if len(w.way) == 1 {
			a.InjectPhits += uint64(w.flits)
		} else {
			a.BufferReads[noc.VirtualChannel] += uint64(w.flits)
		}
		w.done = true
		w.way, w.x = append(w.way, &refChannel{holder: w}), append(w.x, nil)
		m.put(w, 0, t)
	}
	if granted > 0 {
		a := &m.activity[m.w.Exit[node].Router]
		a.ArbRequests[noc.SwitchOutput] += uint64(asking)
		a.ArbGrants[noc.SwitchOutput] += uint64(granted)
	}
	return granted > 0
}

// put moves flit i of a worm into its next position.
func (m *reference) put(w *refWorm, i int, t noc.Cycle) {
	w.at[i]++
	k := w.at[i]
	w.moved[i] = t + 1
	w.way[k].crossed = t + 1
	w.x[k] = append(w.x[k], t)
	if i == w.flits-1 {
		m.tailLeft(w, k-1, t)
	}
}

// tailLeft frees a position, and completes the copies that were taken behind it.
func (m *reference) tailLeft(w *refWorm, k int, t noc.Cycle) {
	if k == 0 {
		m.nodes[w.plan.From].portFree[min(w.port, len(m.nodes[0].ports)-1)] = t + 1
	} else {
		w.way[k].holder, w.way[k].freeAt = nil, t+noc.Cycle(m.c.CreditCycles)
	}
	for j := range w.visits {
		v := &w.visits[j]
		if v.position != k || v.over {
			continue
		}
		v.over = true
		s := m.nodes[v.node]
		s.ejecting[slices.Index(s.ejecting, noc.Never)] = t + 1
		links := v.position
		if m.c.InjectionChannels && links > 0 {
			links--
		}
		m.arrived = append(m.arrived, noc.Delivery{Tag: w.p.Tag, Src: w.p.Src, At: v.node, Class: w.p.Class, Offered: w.p.offered,
			Injected: w.x[1][0], Arrived: t + 1, Hops: uint16(w.base + links)})
		if !m.c.CutThrough {
			m.forward(w, *v, t+1)
		}
	}
}

// forward gives a node the worms that start from it when w has reached it.
func (m *reference) forward(w *refWorm, v refVisit, ready noc.Cycle) {
	found := false
	for _, o := range w.p.worms {
		if o.plan.After == w.index && o.plan.From == v.node {
			found = true
			o.base = w.base + v.position
			if m.c.InjectionChannels {
				o.base--
			}
		}
	}
	if found {
		m.nodes[v.node].forwards = append(m.nodes[v.node].forwards, refErrand{w.p, w.index, ready})
	}
}

// cross lets the header that has asked longest cross a free channel.
func (m *reference) cross(ch *refChannel, t noc.Cycle) bool {
	if ch.holder != nil || ch.freeAt > t || len(ch.asking) == 0 {
		return false
	}
	slices.SortFunc(ch.asking, order)
	a := &m.activity[ch.to]
	if ch.from >= 0 {
		a = &m.activity[ch.from]
	}
	a.ArbRequests[noc.SwitchOutput] += uint64(len(ch.asking))
	a.ArbGrants[noc.SwitchOutput]++
	w := ch.asking[0]
	ch.asking = ch.asking[1:]
	m.enter(w, ch, t)
	return true
}

// enter lets a header cross a channel.
func (m *reference) enter(w *refWorm, ch *refChannel, t noc.Cycle) {
	a := &m.activity[ch.to]
	if ch.from >= 0 {
		a = &m.activity[ch.from]
	}
	phits := uint64(w.flits)
	ch.phits += phits
	if len(w.way) == 1 {
		m.activity[w.router].InjectPhits += phits
	}
	if ch.from >= 0 {
		a.Crossbar += phits
		a.LinkPhits += phits
		if len(w.way) > 1 {
			a.BufferReads[noc.VirtualChannel] += phits
		}
	}
	m.activity[ch.to].BufferWrites[noc.VirtualChannel] += phits
	ch.holder = w
	w.way, w.x = append(w.way, ch), append(w.x, nil)
	m.put(w, 0, t)
	w.waiting, w.ready, w.router, w.in = false, t+1+noc.Cycle(m.c.RouteCycles), ch.to, ch.in
}

// move lets a body flit move if it can: one flit per channel and cycle, into a slot that is free.
func (m *reference) move(w *refWorm, i int, t noc.Cycle) bool {
	k := w.at[i] + 1
	if i == 0 || k >= len(w.way) || w.moved[i] > t || w.way[k].crossed > t || w.at[i-1] < k {
		return false
	}
	last := w.done && k == len(w.way)-1
	if before := i - m.c.BufferPhits; !last && before >= 0 {
		if w.at[before] <= k || w.x[k+1][before]+noc.Cycle(m.c.CreditCycles) > t {
			return false
		}
	}
	m.put(w, i, t)
	return true
}

// finish ends the cycle: worms that are out go, and routers without a worm count it.
func (m *reference) finish(t noc.Cycle) {
	busy := make([]bool, len(m.activity))
	for _, w := range m.worms {
		for k := 0; k < len(w.way)-1 || k < len(w.way) && !w.done; k++ {
			first, last := noc.Cycle(0), noc.Cycle(0)
			switch {
			case k == 0 && (m.c.InjectionChannels || len(w.way) < 2):
				continue
			case k == 0:
				first = w.x[1][0]
			default:
				first = w.x[k][0] + 1
			}
			last = t
			if k+1 < len(w.x) && len(w.x[k+1]) == w.flits {
				last = w.x[k+1][w.flits-1]
			}
			if t < first || t > last {
				continue
			}
			if k == 0 {
				busy[m.w.Entry[w.plan.From].Router] = true
			} else {
				busy[w.way[k].to] = true
			}
		}
	}
	for r := range m.activity {
		m.activity[r].Cycles++
		if !busy[r] {
			m.activity[r].IdleCycles++
		}
	}
	m.worms = slices.DeleteFunc(m.worms, func(w *refWorm) bool {
		return w.done && w.at[w.flits-1] == len(w.way)-1
	})
	slices.SortStableFunc(m.arrived, func(a, b noc.Delivery) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Src, b.Src), cmp.Compare(b.Class, a.Class), cmp.Compare(a.Tag, b.Tag))
	})
}

// Buffered is the number of flits in the network.
func (m *reference) Buffered() (sum uint64) {
	for _, w := range m.worms {
		for i := range w.flits {
			if w.at[i] > 0 && (!w.done || w.at[i] < len(w.way)-1) {
				sum++
			}
		}
	}
	return sum
}

// Deliveries lists what the last cycle delivered.
func (m *reference) Deliveries() []noc.Delivery {
	list := m.arrived
	m.arrived = nil
	return list
}

// Activity appends the counters of every router, LinkPhits tells the flits of a link.
func (m *reference) Activity(into []noc.Activity) []noc.Activity { return append(into, m.activity...) }
func (m *reference) LinkPhits(from noc.NodeID, port uint8) uint64 {
	for i, c := range m.w.Channels {
		if c.From == from && uint8(c.Out) == port {
			return m.channels[i].phits
		}
	}
	panic("no such link")
}

// LimitSink bounds a sink, FreeSink gives a place of it back.
func (m *reference) LimitSink(node noc.NodeID, class noc.Class, places int) {
	m.places[[2]int{int(node), int(class)}] = places
}
func (m *reference) FreeSink(node noc.NodeID, class noc.Class) {
	m.places[[2]int{int(node), int(class)}]++
}

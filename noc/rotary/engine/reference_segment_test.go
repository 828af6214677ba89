package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

func (m *reference) send(id, p int) {
	r := m.routers[id]
	o := r.outputs[p]
	if !o.read.idle(m.now) {
		return
	}
	var able []int
	for lane := range o.lanes {
		if len(o.lanes[lane]) > 0 && o.lanes[lane][0].headerHere(m.now) && m.accepts(id, p, o.lanes[lane][0].copy) {
			able = append(able, lane)
		}
	}
	if len(able) == 0 {
		return
	}
	r.activity.ArbRequests[noc.OutputLane] += uint64(len(able))
	r.activity.ArbGrants[noc.OutputLane]++
	lane := able[0]
	if len(able) == 2 {
		lane = 1 - o.last
	}
	o.last = lane
	slot := o.lanes[lane][0]
	o.lanes[lane] = o.lanes[lane][1:]
	c := slot.copy
	o.read.until = m.now + noc.Cycle(c.packet.Phits)
	a := &r.activity
	if p == topology.Local {
		if k, ok := m.room[[2]int{id, int(c.packet.Class)}]; ok && m.config.UnlimitedOutput {
			m.room[[2]int{id, int(c.packet.Class)}] = k - 1
		}
		if c.spread {
			r.owed += (100 - m.config.SenderPercent) * int(c.packet.Phits)
		}
		m.stream(id, slot, nil, 0, c, func(phit int, _ bool) {
			a.BufferReads[noc.OutputStage]++
			a.OutputMux++
			a.EjectPhits++
			a.Toggles.BufferReads[noc.OutputStage] += m.pass(refWires{o, "lane", lane}, c, phit)
			a.Toggles.Eject += m.pass(refWires{o, "multiplexer", 0}, c, phit)
		})
		return
	}
	peer, entry, _ := m.grid.Neighbour(noc.NodeID(id), p)
	next := m.routers[peer]
	c.hops++
	c.turns = 0
	c.origin = entry
	to := &refSlot{copy: c, enters: m.now + 1}
	next.inputs[entry].slots = append(next.inputs[entry].slots, to)
	m.stream(id, slot, to, 1, c, func(phit int, _ bool) {
		a.BufferReads[noc.OutputStage]++
		a.OutputMux++
		a.LinkPhits++
		next.activity.BufferWrites[noc.InputStage]++
		a.Toggles.BufferReads[noc.OutputStage] += m.pass(refWires{o, "lane", lane}, c, phit)
		a.Toggles.Link += m.pass(refWires{o, "multiplexer", 0}, c, phit)
		flips := m.pass(refWires{next.inputs[entry], "write", 0}, c, phit)
		next.activity.Toggles.BufferWrites[noc.InputStage] += flips
		next.activity.Toggles.Arrived += flips
	})
}

func (m *reference) accepts(id, p int, c *refCopy) bool {
	if p == topology.Local {
		k, bounded := m.room[[2]int{id, int(c.packet.Class)}]
		return !m.config.UnlimitedOutput || !bounded || k > 0 // else its place is reserved
	}
	peer, entry, _ := m.grid.Neighbour(noc.NodeID(id), p)
	return m.inputFree[peer][entry] > 0
}

type refAsk struct {
	leave bool // whole to the output
	split bool // a replica to the output
}

// wish applies ref 3.1 to the copy at the head of a lane of ring's segment s.
func (m *reference) wish(id, ring int, s *refSegment, c *refCopy) refAsk {
	r, p := m.routers[id], s.outPort
	o := r.outputs[p]
	yes, no := m.serving(id, p, c)
	scale := float64(m.grid.Ports()) / 5
	misroutable := m.isLost(c) && p != topology.Local
	spare := true // a place that is left if this copy takes one
	available := (m.config.UnlimitedOutput || len(o.lanes[ring]) < m.laneSlots()) && s.out.idle(m.now)
	if p != topology.Local {
		peer, entry, ok := m.grid.Neighbour(noc.NodeID(id), p)
		available = available && ok && !m.refused(int(peer), entry, int(c.packet.Class), 1, r.passed[p])
		spare = ok && !m.refused(int(peer), entry, int(c.packet.Class), 2, r.passed[p])
	} else {
		k, bounded := m.room[[2]int{id, int(c.packet.Class)}]
		available = available && (!bounded || k > 0 || m.config.UnlimitedOutput)
	}
	stage := 2*m.laneSlots() - len(o.lanes[0]) - len(o.lanes[1])
	if m.config.Rule4Scope == LaneScope {
		stage = m.laneSlots() - len(o.lanes[ring])
	}
	switch {
	case !available || (len(yes) == 0 && !misroutable):
		return refAsk{}
	case len(yes) > 0 && len(no) == 0:
		return refAsk{leave: true}
	case len(yes) > 0 && m.config.Multicast == Tree:
		return refAsk{split: true}
	case misroutable:
		r.activity.Misroutes++
		return refAsk{leave: true}
	case p == topology.Local:
		return refAsk{split: true}
	case spare && (stage >= m.config.ReplicateSlots || m.config.UnlimitedOutput):
		return refAsk{split: true}
	case c.turns <= int(float64(m.config.PruneAfter)*scale+0.5):
		return refAsk{}
	}
	return refAsk{leave: true}
}

// held counts, per class, the packets in a router and on their way to it.
func (m *reference) held(id int) []int {
	count := make([]int, noc.MaxClasses)
	add := func(slots []*refSlot) {
		for _, s := range slots {
			count[s.copy.packet.Class]++
		}
	}
	r := m.routers[id]
	for p := range r.inputs {
		add(r.segments[0][p].lanes[0])
		add(r.segments[0][p].lanes[1])
		add(r.segments[1][p].lanes[0])
		add(r.segments[1][p].lanes[1])
		add(r.inputs[p].slots)
	}
	for from, other := range m.routers {
		for p := 1; p < m.grid.Ports(); p++ {
			if peer, _, ok := m.grid.Neighbour(noc.NodeID(from), p); ok && int(peer) == id {
				add(other.outputs[p].lanes[0])
				add(other.outputs[p].lanes[1])
			}
		}
	}
	return count
}

// refused reports whether router id lacks places for a packet that comes from its port from.
func (m *reference) refused(id, from, class int, need int, passed bool) bool {
	if !m.config.ClassLimit {
		return false
	}
	most := 2*m.grid.Ports()*m.segmentSlots() - 3
	everybody := 2 * m.grid.Ports()
	least := 1 << 20
	for level := class; level < m.config.Classes; level++ {
		room := max(2, most-m.config.ClassStep*(m.config.Classes-1-level))
		for c := 0; c <= level; c++ {
			room -= m.places[id][c]
		}
		least = min(least, room)
	}
	if least >= everybody {
		return false
	}
	return passed || least < need || int(m.now)%m.grid.Ports() != from
}

// arbitrate decides for all segments on the counts at the start of the cycle, then makes the turns. It
// returns the segments that turning headers took a slot of.
func (m *reference) arbitrate(id int) map[*refSegment]bool {
	r := m.routers[id]
	var turns []refTurn
	start := map[*refSegment]int{}
	for ring := range r.segments {
		for _, s := range r.segments[ring] {
			start[s] = m.free(s)
		}
	}
	for ring := range r.segments {
		for _, s := range r.segments[ring] {
			next := r.segments[ring][s.ringPort]
			first := s.first
			for _, lane := range []int{first, 1 - first} {
				if len(s.lanes[lane]) == 0 || !s.lanes[lane][0].headerHere(m.now) || !s.laneOut[lane].idle(m.now) {
					continue
				}
				slot := s.lanes[lane][0]
				c := slot.copy
				ask := m.wish(id, ring, s, c)
				turn := s.ring.idle(m.now) && start[next] >= m.config.TurnSlots && r.holder[ring] != s.ringPort &&
					(!m.config.RingTurnBalance || start[next] >= start[s])
				until := m.now + noc.Cycle(c.packet.Phits)
				if ask.leave || ask.split {
					s.out.until = until
					m.eject(id, ring, s.outPort, slot, ask.split)
				}
				if !ask.leave && turn {
					s.ring.until = until
					turns = append(turns, refTurn{slot, next})
				}
				if ask.leave || turn {
					s.lanes[lane] = s.lanes[lane][1:]
					s.first = 1 - lane
					s.laneOut[lane].until = m.now + 1
					if m.config.LaneBlock {
						s.laneOut[lane].until = until
					}
					s.draining = append(s.draining, slot)
				}
			}
		}
	}
	return m.makeTurns(id, turns)
}

// refTurn is a header between two segments.
type refTurn struct {
	slot *refSlot
	to   *refSegment
}

func (m *reference) makeTurns(id int, turns []refTurn) map[*refSegment]bool {
	a := &m.routers[id].activity
	wrote := map[*refSegment]bool{}
	for _, t := range turns {
		t.slot.copy.turns++
		c := t.slot.copy
		m.write(id, t.to, t.slot, 2, false, func(phit int, dual bool) {
			flips := m.pass(refWires{t.to, "ring", 0}, c, phit)
			a.Toggles.RingHop += flips
			if !dual {
				a.BufferReads[noc.RingSegment]++ // a dual read is counted by the output's stream
				a.Toggles.BufferReads[noc.RingSegment] += flips
			} else {
				a.RingDual++
				a.Toggles.RingDual += flips
			}
			a.BufferWrites[noc.RingSegment]++
			a.RingHop++
		})
		a.ArbRequests[noc.RingEntry]++
		a.ArbGrants[noc.RingEntry]++
		wrote[t.to] = true
	}
	return wrote
}

// eject starts a copy, or a replica of it, towards an output stage.
func (m *reference) eject(id, ring, p int, slot *refSlot, split bool) {
	r, c := m.routers[id], slot.copy
	a := &r.activity
	if split {
		yes, no := m.serving(id, p, c)
		taken := *c
		taken.owed = yes
		c.owed = no
		c.served = noc.NodeID(id)
		c = &taken
		a.Replications++
		a.HeaderWrites += 2 * uint64(m.grid.Nodes())
	} else {
		in := r.inputs[c.origin]
		in.inRings--
		if c.packet.Ordered {
			in.ordered = false
		}
		if m.config.EntryHysteresis && in.inRings < 4 {
			in.tight = true
		}
	}
	to := &refSlot{copy: c, enters: m.now}
	r.outputs[p].lanes[ring] = append(r.outputs[p].lanes[ring], to)
	if p != topology.Local {
		r.passed[p] = true
	} else if k, ok := m.room[[2]int{id, int(c.packet.Class)}]; ok && !m.config.UnlimitedOutput {
		m.room[[2]int{id, int(c.packet.Class)}] = k - 1
	}
	m.stream(id, slot, to, 2, c, func(phit int, _ bool) {
		a.BufferReads[noc.RingSegment]++
		a.BufferWrites[noc.OutputStage]++
		a.RingEject++
		flips := m.pass(refWires{r.outputs[p], "write", ring}, c, phit)
		a.Toggles.BufferReads[noc.RingSegment] += flips // the port of the segment that feeds the lane
		a.Toggles.BufferWrites[noc.OutputStage] += flips
	})
}

// write reserves a slot in a segment and starts the copy towards it. from is nil for the source.
func (m *reference) write(id int, s *refSegment, from *refSlot, delay noc.Cycle, source bool, count func(int, bool)) {
	c := from.copy
	lane := s.first
	busy0, busy1 := !s.written[0].idle(m.now), !s.written[1].idle(m.now)
	switch {
	case busy0 && !busy1:
		lane = 1
	case busy1 && !busy0:
		lane = 0
	case len(s.lanes[0]) < len(s.lanes[1]):
		lane = 0
	case len(s.lanes[1]) < len(s.lanes[0]):
		lane = 1
	}
	to := &refSlot{copy: c, enters: m.now}
	if source {
		to.enters, from = m.now+1, nil
	}
	s.lanes[lane] = append(s.lanes[lane], to)
	s.written[lane].until = m.now + noc.Cycle(c.packet.Phits)
	if m.config.Multicast != Replicate {
		m.routers[id].activity.HeaderTests += uint64(m.grid.Nodes())
	}
	a := &m.routers[id].activity
	m.stream(id, from, to, delay, c, func(phit int, dual bool) {
		count(phit, dual)
		a.Toggles.BufferWrites[noc.RingSegment] += m.pass(refWires{s, "lane", lane}, c, phit)
	})
}

// checkPhits verifies that the phits in each segment fit its memory.
func (m *reference) checkPhits() error {
	for id, r := range m.routers {
		for ring := range r.segments {
			for p, s := range r.segments[ring] {
				total := 0
				var draining []*refSlot
				for _, d := range s.draining {
					if d.sent < int(d.copy.packet.Phits) {
						draining = append(draining, d)
					}
				}
				s.draining = draining
				for _, list := range [][]*refSlot{s.lanes[0], s.lanes[1], draining} {
					for _, slot := range list {
						for i, at := range slot.phits {
							if at <= m.now && i >= slot.sent {
								total++
							}
						}
					}
				}
				if total > m.config.SegmentPhits {
					return fmt.Errorf("cycle %d: router %d ring %d segment %d holds %d phits", m.now, id, ring, p, total)
				}
			}
		}
	}
	return nil
}

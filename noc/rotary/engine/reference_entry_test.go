package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

func (m *reference) mayUse(c *refCopy, ring, p int) bool {
	if !c.packet.Ordered {
		return true
	}
	plus := false
	for dim := range m.grid.Radix {
		plus = plus || m.grid.Port(dim, +1) == p
	}
	return (ring == 1) == plus
}

func (m *reference) enter(id, p int, wrote map[*refSegment]bool) {
	r := m.routers[id]
	in := r.inputs[p]
	if len(in.slots) == 0 || !in.slots[0].headerHere(m.now) || !in.read.idle(m.now) {
		return
	}
	slot := in.slots[0]
	c := slot.copy
	if c.packet.Ordered && in.ordered {
		return
	}
	need := m.config.EnterSlots
	if in.tight {
		need++
	}
	var rings []int
	for ring := range r.segments {
		s := r.segments[ring][p]
		switch {
		case !m.mayUse(c, ring, p):
		case m.free(s) >= need:
			rings = append(rings, ring)
		case wrote[s] && m.free(s)+1 >= need:
			r.activity.ArbRequests[noc.RingEntry]++
		}
	}
	if len(rings) == 0 {
		in.refused++
		return
	}
	in.refused = 0
	in.slots = in.slots[1:]
	in.read.until = m.now + noc.Cycle(c.packet.Phits)
	m.release(r, p)
	m.intoRing(id, p, rings, slot, 1, false)
}

// release ends the holds for input p.
func (m *reference) release(r *refRouter, p int) {
	if p == 0 {
		r.begs = false
	}
	for ring := range r.holder {
		if r.holder[ring] == p {
			r.holder[ring] = -1
		}
	}
}

// intoRing chooses among the rings that admit a copy (ref 2.5) and starts it.
func (m *reference) intoRing(id, p int, rings []int, slot *refSlot, delay noc.Cycle, source bool) {
	r, c := m.routers[id], slot.copy
	ring := rings[0]
	if len(rings) == 2 {
		ring = m.chooseRing(id, p, c)
	}
	in := r.inputs[p]
	if in.inRings++; in.inRings >= 6 {
		in.tight = false
	}
	in.ordered = in.ordered || c.packet.Ordered
	c.turns = 1
	c.origin = p
	a := &r.activity
	a.ArbRequests[noc.RingEntry]++
	a.ArbGrants[noc.RingEntry]++
	m.write(id, r.segments[ring][p], slot, delay, source, func(phit int, _ bool) {
		a.BufferReads[noc.InputStage]++
		a.InputDemux++
		a.RingInject++
		a.BufferWrites[noc.RingSegment]++
		if source {
			a.InjectPhits++
			a.BufferWrites[noc.InputStage]++
			flips := m.pass(refWires{in, "write", 0}, c, phit)
			a.Toggles.BufferWrites[noc.InputStage] += flips
			a.Toggles.Arrived += flips
		}
		a.Toggles.BufferReads[noc.InputStage] += m.pass(refWires{in, "read", 0}, c, phit)
		a.Toggles.InputDemux += m.pass(refWires{in, "ring", ring}, c, phit)
	})
}

func (m *reference) chooseRing(id, p int, c *refCopy) int {
	r := m.routers[id]
	if a, b := m.free(r.segments[0][p]), m.free(r.segments[1][p]); a != b {
		if a > b {
			return 0
		}
		return 1
	}
	var last, first [2]int
	for ring := range r.segments {
		owed := slices.Clone(c.owed)
		if m.config.Multicast == Path {
			owed = []noc.NodeID{m.nextStop(c)}
		}
		at := p
		for k := 1; len(owed) > 0; k++ {
			yes, no := m.serves(id, r.segments[ring][at].outPort, owed)
			if len(yes) > 0 {
				last[ring] = k
				if first[ring] == 0 {
					first[ring] = k
				}
			}
			owed = no
			at = r.segments[ring][at].ringPort
		}
	}
	switch {
	case last[0] < last[1]:
		return 0
	case last[0] > last[1]:
		return 1
	case first[0] < first[1]:
		return 0
	case first[0] > first[1]:
		return 1
	}
	return int(scramble(m.config.Seed, uint64(id), m.now) >> uint(p) & 1)
}

func (m *reference) inject(id int) {
	r := m.routers[id]
	limit := int(float64(m.config.InjectLimit)*float64(2*m.grid.Ports()*m.segmentSlots())/40 + 0.5)
	if !r.source.idle(m.now) {
		return
	}
	if r.used() >= limit || (m.config.PacePercent > 0 && r.owed > 100*m.config.PaceSlack) {
		m.release(r, 0)
		return
	}
	lost, jammed := m.lostClass(id)
	patient := m.now >= r.served+noc.Cycle(m.config.CalmPatience)
	need := m.config.InjectSlots
	if m.config.ClassLimit && patient {
		need = min(need, m.config.EnterSlots)
	}
	admits := func(c *refCopy) (rings []int) {
		for ring := range r.segments {
			if m.mayUse(c, ring, 0) && m.free(r.segments[ring][0]) >= need {
				rings = append(rings, ring)
			}
		}
		return rings
	}
	space := m.free(r.segments[0][0]) >= need || m.free(r.segments[1][0]) >= need
	chosen := -1
	for k := 1; k <= m.config.Classes && chosen < 0; k++ {
		class := (r.lastTake + k) % m.config.Classes
		if m.config.InterfaceOrder == Priority {
			class = m.config.Classes - k
		}
		if len(r.queues[class]) == 0 {
			continue
		}
		c := r.queues[class][0]
		calm := !m.config.CalmInjection || lost < 0 || (class > lost && (patient || !jammed))
		if !calm || m.refused(id, 0, class, 2, false) {
			continue
		}
		if !space {
			r.begs = m.config.ClassLimit && m.config.EntryHold && patient
			return
		}
		if len(admits(c)) == 0 || (c.packet.Ordered && r.inputs[0].ordered) {
			continue
		}
		chosen = class
	}
	m.release(r, 0)
	if chosen < 0 {
		return
	}
	r.lastTake = chosen
	c := r.queues[chosen][0]
	price, several := m.config.PacePercent, len(c.owed) > 1
	if several {
		price = 100
	}
	c.spread = several && m.config.Multicast != Replicate && !c.packet.Ordered
	r.served = m.now
	ahead, behind := m.bothWays(c)
	if m.config.Multicast == Path && !c.packet.Ordered && len(ahead) > 0 && len(behind) > 0 {
		one := *c
		one.owed = ahead
		c.owed, c.back = behind, true
		c = &one
	} else if len(c.owed) > 1 && (m.config.Multicast == Replicate || c.packet.Ordered) {
		k := 0 // the first destination after the source, wrapping
		for i, d := range c.owed {
			if d > noc.NodeID(id) {
				k = i
				break
			}
		}
		one := *c
		one.owed = []noc.NodeID{c.owed[k]}
		c.owed = slices.Delete(slices.Clone(c.owed), k, k+1)
		c = &one
	} else {
		r.queues[chosen] = r.queues[chosen][1:]
		c.back = len(ahead) == 0
	}
	if c.spread {
		price = m.config.SenderPercent * len(c.owed)
	}
	r.owed += price * int(c.packet.Phits)
	c.injected = m.now
	r.source.until = m.now + noc.Cycle(c.packet.Phits)
	m.intoRing(id, 0, admits(c), &refSlot{copy: c}, 2, true)
}

// lostClass is the highest class of the lost packets on a router's rings, or -1, and whether any of them is of a
// class whose sink takes packets.
func (m *reference) lostClass(id int) (highest int, jammed bool) {
	highest = -1
	r := m.routers[id]
	for ring := range r.segments {
		for _, s := range r.segments[ring] {
			for _, lane := range s.lanes {
				for _, slot := range lane {
					if class := int(slot.copy.packet.Class); m.isLost(slot.copy) {
						highest = max(highest, class)
						places, bounded := m.room[[2]int{id, class}]
						jammed = jammed || !bounded || places != 0
					}
				}
			}
		}
	}
	return highest, jammed
}

// isLost is rule 3: the copy has turned for so long that it may leave by any network port.
func (m *reference) isLost(c *refCopy) bool {
	limit := int(float64(m.config.MissLimit)*float64(m.grid.Ports())/5 + 0.5)
	return c.turns > limit && m.config.MissLimit < 255 && !c.packet.Ordered
}

// hold chooses the segment of each ring that refuses ring traffic from the next cycle on.
func (m *reference) hold(id int) {
	r := m.routers[id]
	for ring := range r.holder {
		free := 0
		for _, s := range r.segments[ring] {
			free += m.free(s)
		}
		if free < m.config.EnterSlots {
			r.holder[ring] = -1
		}
		if r.holder[ring] >= 0 || free < m.config.EnterSlots || !m.config.EntryHold {
			continue
		}
		var longest noc.Cycle
		chosen := -1
		for p, in := range r.inputs {
			since := m.now + 1 - noc.Cycle(in.refused)
			wants := in.refused >= m.config.HoldAfter && m.mayUse(in.slots[0].copy, ring, p)
			if p == 0 {
				since, wants = r.served, r.begs
			}
			if wants && m.free(r.segments[ring][p]) == m.config.EnterSlots-1 && (chosen < 0 || since < longest) {
				longest, chosen = since, p
			}
		}
		r.holder[ring] = chosen
	}
}

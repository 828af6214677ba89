package fabric

import "github.com/carousel-sim/carousel/noc"

// Presence counts the cycles in which nothing is in a router, for engines that look at a router only
// when something comes or goes: a gap is counted when it ends.
type Presence struct {
	Here   uint32
	Absent uint64    // cycles of the gaps that have ended
	End    noc.Cycle // first cycle after the last one in which something that has left was there
}

// Enter notes one more from a cycle on. Whether it ends a gap cannot be predicted, so there is no
// branch.
func (p *Presence) Enter(from noc.Cycle) {
	gap := max(from, p.End) - p.End
	if p.Here > 0 {
		gap = 0
	}
	p.Absent += uint64(gap)
	p.Here++
}

// Exit notes that one is here until before a cycle.
func (p *Presence) Exit(end noc.Cycle) {
	p.End = max(p.End, end)
	p.Here--
}

// Idle returns the number of cycles before now with nothing here.
func (p *Presence) Idle(now noc.Cycle) uint64 {
	if p.Here > 0 {
		return p.Absent
	}
	return p.Absent + uint64(max(now, p.End)-p.End)
}

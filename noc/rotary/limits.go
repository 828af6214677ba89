package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
)

// Rings is the number of rings of a router. They turn in opposite directions.
const Rings = 2

// NeverAged is the MissLimit from which on packets are never misrouted.
const NeverAged = 255

// Limits are the numbers of a Config for the routers of one network: phits turned into slots, and
// limits that are stated for a router of five ports scaled to the ports at hand.
type Limits struct {
	Ports        int
	SegmentSlots int // per buffering segment, both lanes together
	InputSlots   int // per input stage
	LaneSlots    int // per lane of an output stage

	MissLimit   int // segment entries above which a packet is aged (rule 3)
	InjectLimit int // ring slots in use from which on nothing is injected (rule 17)

	// Quota is the most packets of each class and those below it that a router may hold (rule 18).
	// It is negative where there is no limit.
	Quota [noc.MaxClasses]int
}

// unlimitedSlots is more than the packets that a network can hold (rule 25).
const unlimitedSlots = 1 << 29

// LimitsOf returns the limits of a valid configuration for routers of some ports. It is rule 25, too: it makes
// lanes unlimited and leaves no quotas.
func LimitsOf(ports int, c Config) Limits {
	l := Limits{
		Ports:        ports,
		SegmentSlots: c.SegmentPhits / c.SlotPhits,
		InputSlots:   c.InputStagePhits / c.SlotPhits,
		LaneSlots:    c.OutputStagePhits / c.SlotPhits / Rings,
		MissLimit:    scaled(c.MissLimit, ports, referencePorts),
	}
	if c.UnlimitedOutput {
		l.LaneSlots = unlimitedSlots
	}
	if max(c.MissLimit, l.MissLimit) >= NeverAged {
		l.MissLimit = NeverAged
	}
	l.InjectLimit = scaled(c.InjectLimit, l.RingSlots(), referenceSlots)
	for class := range l.Quota {
		l.Quota[class] = -1
		if c.HasQuota() && class < c.Classes {
			l.Quota[class] = max(2, l.RingSlots()-quotaReserve-classStep*(c.Classes-1-class))
		}
	}
	return l
}

// RingSlots returns the slots of all segments of a router.
func (l Limits) RingSlots() int { return Rings * l.Ports * l.SegmentSlots }

// Takers returns the packets that may take quota of one router in a cycle, one more included that
// is left over: two rings of each neighbour, and the interface.
func (l Limits) Takers() int { return 2 * l.Ports }

// quotaReserve is the ring slots that no quota gives away: two rings with two free slots in one of
// them and a packet before it, so that rule 1 can be met.
const quotaReserve = 3

// classStep is the slots by which the quota of a class exceeds that of the class below it.
const classStep = 2

// HasQuota reports whether classes are limited. With UnlimitedOutput no packet blocks another one,
// so there are no limits then.
func (c Config) HasQuota() bool { return c.ClassLimit && !c.UnlimitedOutput }

// Next returns the port whose segment follows that of port p on a ring, which is also the port of
// the output that the segment of p drains to (rule 6).
func (l Limits) Next(ring, p int) int {
	return tables.Next(ring, p, l.Ports)
}

// scaled returns value*count/reference, to the nearest integer.
func scaled(value, count, reference int) int { return (2*value*count + reference) / (2 * reference) }

// HardwareOf describes one router. Its ring segments and output stages hold the 300 phits that the
// MRR paper states; the input stages come on top. Of unlimited output stages it is the configured
// size.
func HardwareOf(nodes, ports int, c Config) noc.Hardware {
	h := noc.Hardware{Ports: ports, PhitBits: c.PhitBits, TableBits: ports * nodes}
	h.FIFOs[noc.InputStage], h.Depth[noc.InputStage] = h.Ports, c.InputStagePhits
	h.FIFOs[noc.RingSegment], h.Depth[noc.RingSegment] = Rings*h.Ports, c.SegmentPhits
	h.FIFOs[noc.OutputStage], h.Depth[noc.OutputStage] = h.Ports, c.OutputStagePhits
	if c.Multicast != Replicate {
		h.DestinationBits = nodes
	}
	return h
}

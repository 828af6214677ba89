package engine

import "github.com/carousel-sim/carousel/noc"

// A stream has no event at its end: it goes on until a cycle, of which the low bits are kept. What
// streams until a cycle behind the present one by less than halfAround is over. Streams that are
// over are forgotten every forgetEvery cycles, so that none is taken for one to come.
const (
	halfAround  = 1 << 15
	forgetEvery = 1 << 14
)

// until is the low bits of the cycle from which on something no longer streams.
type until = uint16

// until is rule 5: the cycle from which on what a packet streams through is idle again, if its
// header leaves now.
func (k *packet) until(now noc.Cycle) noc.Cycle { return now + noc.Cycle(k.phits) }

// busy reports whether something still streams.
func busy(u until, now noc.Cycle) bool { return int16(u-until(now)) > 0 }

// ending returns the cycle, not before now, in which something stops streaming.
func ending(u until, now noc.Cycle) noc.Cycle { return now + noc.Cycle(max(0, int16(u-until(now)))) }

// blocked reports whether a packet still streams out of a lane.
func (r *router) blocked(l lane) bool {
	j, now := l.segment(), r.net.Clock
	return busy(r.turned[j], now) && r.toRing.Bit(j) == l.number() ||
		busy(r.ejected[j], now) && !r.copying.Has(j) && r.toOutput.Bit(j) == l.number()
}

// blockedLanes returns the lanes out of which a packet streams, and those of segments that stream
// both ways, given the segments that stream to the ring and to the output.
func (r *router) blockedLanes(toRing, toOutput segmentSet) laneSet {
	both, whole := toRing&toOutput, toOutput&^r.copying
	return laneSet(both|toRing&^r.toRing|whole&^r.toOutput) | laneSet(both|toRing&r.toRing|whole&r.toOutput)<<maxSegments
}

// streaming returns the segments that stream to the ring, and to the output. It is branch-free: the
// branches would be mispredicted.
func (r *router) streaming() (toRing, toOutput segmentSet) {
	now := until(r.net.Clock)
	for p := port(r.net.limits.Ports); p > 0; p-- {
		at := (p - 1) & portBits
		toRing = toRing<<1 | segmentSet((now-r.turned[at])>>15) | segmentSet((now-r.turned[at+maxPorts])>>15)<<maxPorts
		toOutput = toOutput<<1 | segmentSet((now-r.ejected[at])>>15) | segmentSet((now-r.ejected[at+maxPorts])>>15)<<maxPorts
	}
	return toRing, toOutput
}

// advance brings all regions to the current cycle.
func (n *Network) advance() {
	for _, g := range n.regions {
		g.Clock = n.Clock
	}
	if n.Clock-n.forgotten >= forgetEvery {
		n.keepPast()
	}
	for _, g := range n.regions {
		if len(g.quotas.changed) > 0 {
			g.publish()
		}
	}
}

// keepPast makes sure that no stream which is over is taken for one to come. The network may have been
// idle for any time.
func (n *Network) keepPast() {
	silence := n.Clock - n.forgotten
	n.forgotten = n.Clock
	for i := range n.routers {
		r := &n.routers[i]
		for _, list := range [...][]until{r.turned[:], r.ejected[:], r.sent[:], r.entered[:]} {
			for k, u := range list {
				if silence >= halfAround || !busy(u, n.Clock) {
					list[k] = until(n.Clock)
				}
			}
		}
	}
}

package silicon

import (
	"cmp"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// The vendor's estimator, as far as its publication tells: no routers and no queues, but transfers
// that share bandwidth. A transfer starts at its recorded issue and a latency, or when the one two
// before it from the same node over the same first link has ended. In each step all that are under
// way ask for their best rate; the worst ratio of what a link or an interface of a transfer's route
// can carry to what it is asked for scales the transfer down. Barriers and requests play no part.
// Steps are shorter than the vendor's 128 cycles, because here a transfer that waits for another
// one begins in the step after that one's end.

const (
	vendorStep = 8    // cycles
	vendorLink = 30.0 // bytes per cycle
)

// flow is one transfer.
type flow struct {
	issue float64 // and latency
	start float64 // when it may begin
	first int     // resource that it needs first: a link, or the source's interface
	needs []int   // resources of its route
	best  float64 // rate
	after *flow   // that has to end before, or nil
	left  float64 // bytes
	end   float64
	done  bool
}

// vendorEstimate is the estimator's number of cycles, from the first event to the last transfer's
// end.
func vendorEstimate(p closedloop.Program) uint64 {
	flows, capacity := vendorFlows(p)
	demand := make([]float64, len(capacity))
	last, now := 0.0, 0.0
	var live []*flow
	for open := flows; len(open) > 0; now += vendorStep {
		now = max(now, math.Floor(open[0].issue/vendorStep)*vendorStep)
		live = liveFlows(open, now, live[:0])
		clear(demand)
		for _, f := range live {
			for _, r := range f.needs {
				demand[r] += f.best * f.share(now)
			}
		}
		for _, f := range live {
			last = max(last, f.move(now, demand, capacity))
		}
		for len(open) > 0 && open[0].done {
			open = open[1:]
		}
	}
	return uint64(last)
}

// liveFlows lists the transfers that are under way in the step from now on. No transfer begins
// before it is issued, and the list is in the order of issues.
func liveFlows(open []*flow, now float64, live []*flow) []*flow {
	for _, f := range open {
		if f.issue >= now+vendorStep {
			break
		}
		if f.after != nil && f.after.done {
			f.start, f.after = max(f.start, f.after.end), nil
		}
		if !f.done && f.after == nil && f.start < now+vendorStep {
			live = append(live, f)
		}
	}
	return live
}

// move lets a transfer go on for a step, and returns its end if it is complete, or 0.
func (f *flow) move(now float64, demand, capacity []float64) float64 {
	ratio := 1.0
	for _, r := range f.needs {
		ratio = min(ratio, capacity[r]/max(demand[r], capacity[r]))
	}
	rate := f.best * ratio
	if moved := rate * vendorStep * f.share(now); moved < f.left {
		f.left -= moved
		return 0
	}
	f.end, f.done = max(now, f.start)+f.left/rate, true
	return f.end
}

// share is the part of the step in which it is.
func (f *flow) share(now float64) float64 { return min(1, (now+vendorStep-f.start)/vendorStep) }

// vendorFlows lists the transfers in the order of their starts for each source and first link, and
// what each resource can carry: the links of both networks, and the interfaces of nodes as sources
// and sinks.
func vendorFlows(p closedloop.Program) (flows []*flow, capacity []float64) {
	var ways [2]topology.UniTorus
	for i, name := range Topologies {
		ways[i], _ = topology.ParseUniTorus(name)
	}
	const perNetwork = 4 * Nodes
	capacity = make([]float64, 2*perNetwork)
	for r := range capacity {
		node, kind := placeOf(noc.NodeID(r%Nodes)), r%perNetwork/Nodes
		capacity[r] = vendorLink
		if kind >= 2 {
			capacity[r] = interfaceRate(KindOf(node), kind == 2)
		}
	}
	for i := range p.Processes {
		q := &p.Processes[i]
		for _, s := range q.Steps {
			if s.Kind != closedloop.Read || s.Bytes == 0 {
				continue
			}
			base := int(s.Network) * perNetwork
			issue := float64(s.At) + readStart(s.Peer, q.Node)
			f := &flow{issue: issue, start: issue, left: float64(s.Bytes)}
			f.best = min(bestRate(s.Bytes), interfaceRate(KindOf(placeOf(s.Peer)), true))
			f.first = base + 2*Nodes + int(s.Peer)
			at := s.Peer
			for k, next := range ways[s.Network].Route(s.Peer, q.Node) {
				link := base + int(at)
				if placeOf(next).X == placeOf(at).X {
					link += Nodes
				}
				if k == 0 {
					f.first = link
				}
				f.needs = append(f.needs, link)
				at = next
			}
			f.needs = append(f.needs, base+2*Nodes+int(s.Peer), base+3*Nodes+int(q.Node))
			flows = append(flows, f)
		}
	}
	return inOrder(flows), capacity
}

// readStart is from a read's issue to its first data, by the vendor's table.
func readStart(from, to noc.NodeID) float64 {
	a, b := placeOf(from), placeOf(to)
	switch {
	case from == to:
		return 70
	case a.X == b.X:
		return 154
	case a.Y == b.Y:
		return 170
	}
	return 270
}

// bestRate is what one transfer reaches alone, linear between the points of the vendor's table.
func bestRate(bytes uint32) float64 {
	points := [][2]float64{{0, 0}, {128, 5.5}, {256, 10.1}, {512, 18.0}, {1024, 27.4}, {2048, 30.0}}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; float64(bytes) <= b[0] {
			return max(0.1, a[1]+(b[1]-a[1])*(float64(bytes)-a[0])/(b[0]-a[0]))
		}
	}
	return 30
}

// interfaceRate is what a node sends, or takes, by the vendor's tables, in bytes per cycle.
func interfaceRate(kind NodeKind, sends bool) float64 {
	switch {
	case kind == DRAM && sends:
		return 23.2
	case kind == DRAM, kind == Ethernet && !sends:
		return 24.0
	}
	return 28.1
}

// inOrder sorts transfers by their starts, and lets each wait for the one two before it that needs
// the same first link.
func inOrder(flows []*flow) []*flow {
	slices.SortStableFunc(flows, func(a, b *flow) int { return cmp.Compare(a.issue, b.issue) })
	before := map[int][]*flow{}
	for _, f := range flows {
		line := before[f.first]
		if len(line) >= 2 {
			f.after = line[len(line)-2]
		}
		before[f.first] = append(line, f)
	}
	return flows
}

package silicon

import (
	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// NullNames lists the models without a network of routers, with what they are.
var NullNames = []struct{ Name, Doc string }{
	{"last_issue", "the last recorded issue and what one read takes alone: no network, open loop"},
	{"no_contention", "closed loop with every read as fast as alone"},
}

// nullModels are what the models without a network of routers say.
func nullModels(t *ttmetal.Trace, q Parameters) (map[string]uint64, error) {
	p, err := Program(t)
	if err != nil {
		return nil, ForeignKernel{err}
	}
	return map[string]uint64{"last_issue": counted(lastIssue(p, q)), "no_contention": counted(withoutContention(p, q))}, nil
}

// lastIssue adds to the last issue what the read takes alone.
func lastIssue(p closedloop.Program, q Parameters) (end noc.Cycle) {
	for i := range p.Processes {
		for _, s := range p.Processes[i].Steps {
			if s.Kind == closedloop.Read {
				end = max(end, s.At+q.alone(p.Processes[i].Node, &s)+barrier)
			} else {
				end = max(end, s.At)
			}
		}
	}
	return end
}

// alone is what a step's transfer takes alone.
func (p Parameters) alone(node noc.NodeID, s *closedloop.Step) noc.Cycle {
	return p.zeroLoad(links(node, s.Peer), KindOf(placeOf(s.Peer)), s.Bytes)
}

// withoutContention goes through each process by itself: each of its requests is answered as fast
// as if it were alone, and its barriers wait for all its requests.
func withoutContention(p closedloop.Program, q Parameters) (end noc.Cycle) {
	for i := range p.Processes {
		now, last := p.Processes[i].Start, noc.Cycle(0)
		for _, s := range p.Processes[i].Steps {
			now += s.After
			switch {
			case s.Kind.Waits():
				now = max(now, last) + barrier
			case s.Kind != closedloop.Pause && s.Kind != closedloop.Multicast:
				last = max(last, now+q.alone(p.Processes[i].Node, &s))
			}
		}
		end = max(end, now)
	}
	return end
}

package silicon

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// waits is what each end of a barrier waits for.
var waits = map[ttmetal.Kind]closedloop.Kind{
	ttmetal.ReadBarrierEnd: closedloop.AwaitReads, ttmetal.WriteBarrierEnd: closedloop.AwaitWrites, ttmetal.WriteFlush: closedloop.AwaitSent,
	ttmetal.AtomicBarrier: closedloop.AwaitAtomics, ttmetal.FullBarrier: closedloop.AwaitAll,
}

// transfers is what each kind of transfer does.
var transfers = map[ttmetal.Kind]closedloop.Kind{
	ttmetal.Read: closedloop.Read, ttmetal.Write: closedloop.Write, ttmetal.Multicast: closedloop.Multicast, ttmetal.Atomic: closedloop.Atomic,
}

// Program turns a recorded kernel into a program for replay. What a processor did between two
// events stays the time between two steps; what it waited at a barrier does not.
func Program(t *ttmetal.Trace) (closedloop.Program, error) {
	var p closedloop.Program
	for i := range t.Processes {
		q, err := process(&t.Processes[i])
		if err != nil {
			return p, fmt.Errorf("%s: %w", t.Name, err)
		}
		p.Processes = append(p.Processes, q)
	}
	return p, nil
}

// process is what one processor does.
func process(from *ttmetal.Process) (closedloop.Process, error) {
	node, err := nodeID(from.Node)
	if err != nil {
		return closedloop.Process{}, err
	}
	q := closedloop.Process{Node: node, Start: noc.Cycle(from.Start)}
	last := from.Start
	began := map[ttmetal.Kind]uint64{} // barriers that have, and when
	for _, e := range from.Events {
		s := closedloop.Step{Network: e.Network, At: noc.Cycle(e.Time), After: noc.Cycle(e.Time - last), Bytes: e.Bytes, Posted: e.Posted}
		switch kind, isWait := waits[e.Kind]; {
		case e.Kind == ttmetal.ReadBarrierStart || e.Kind == ttmetal.WriteBarrierStart:
			began[e.Kind+1] = e.Time
			continue
		case isWait:
			s.Kind = kind
			at := last // where nothing says when it began
			if since, said := began[e.Kind]; said {
				at = max(since, last)
				delete(began, e.Kind)
			}
			s.At, s.After = noc.Cycle(at), noc.Cycle(at-last)
			if e.Kind == ttmetal.FullBarrier {
				s.Network = closedloop.AllNetworks
			}
		case e.Kind.Transfer():
			s.Kind = transfers[e.Kind]
			if err := destination(&s, &e, from.Node); err != nil {
				return q, err
			}
		}
		last = e.Time
		q.Steps = append(q.Steps, s)
	}
	for _, since := range began { // a barrier without an end is a pause
		if since > last {
			q.Steps = append(q.Steps, closedloop.Step{At: noc.Cycle(since), After: noc.Cycle(since - last)})
			last = since
		}
	}
	return q, nil
}

// destination fills in where a transfer goes. A multicast goes to the workers of its rectangle,
// which may lead around the edges, but for the node itself.
func destination(s *closedloop.Step, e *ttmetal.Event, from ttmetal.Node) (err error) {
	if s.Peer, err = nodeID(e.Peer); err != nil || e.Kind != ttmetal.Multicast {
		return err
	}
	if _, err := nodeID(e.Corner); err != nil {
		return err
	}
	s.Set = noc.NewNodeSet(Nodes)
	for _, n := range e.Workers(from) {
		id, _ := nodeID(n)
		s.Set.Add(id)
	}
	if s.Set.Count() == 0 {
		s.Kind = closedloop.Pause
	}
	return nil
}

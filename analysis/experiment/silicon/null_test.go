package silicon

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// reads is a process at a worker that reads 4096 bytes at some times, and waits for all of them.
func reads(x, y int, peer ttmetal.Node, at ...noc.Cycle) closedloop.Process {
	node, _ := nodeID(ttmetal.Node{X: x, Y: y})
	source, _ := nodeID(peer)
	p := closedloop.Process{Node: node}
	last := noc.Cycle(0)
	for _, t := range at {
		p.Steps = append(p.Steps, closedloop.Step{Kind: closedloop.Read, Peer: source, Bytes: 4096, At: t, After: t - last})
		last = t
	}
	p.Steps = append(p.Steps, closedloop.Step{Kind: closedloop.AwaitReads, At: last + 100, After: 100})
	return p
}

// TestWithoutNetwork: the last issue counts in an open loop, and every barrier in a closed one.
func TestWithoutNetwork(t *testing.T) {
	p := Default()
	alone := noc.Cycle(20 + 9*22 + p.L1Latency + 128)
	q := reads(3, 3, ttmetal.Node{X: 1, Y: 1}, 10, 50)
	q.Steps = append(q.Steps, reads(3, 3, ttmetal.Node{X: 1, Y: 1}, 40).Steps...)
	program := closedloop.Program{Processes: []closedloop.Process{q}}
	if got, want := lastIssue(program, p), 50+alone+barrier; got != want {
		t.Errorf("the last issue leads to cycle %d, want %d", got, want)
	}
	if got, want := withoutContention(program, p), 50+alone+barrier+40+alone+barrier; got != want {
		t.Errorf("without contention it ends in cycle %d, want %d", got, want)
	}
}

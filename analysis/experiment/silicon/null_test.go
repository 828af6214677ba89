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

// TestVendor: a transfer starts after the latency of its pair of nodes and goes at its source's
// rate; two that share a source have half of it each; the third from a node waits for the first;
// long gaps cost no time.
func TestVendor(t *testing.T) {
	source := ttmetal.Node{X: 1, Y: 1}
	alone := 4096 / 28.1
	for _, c := range []struct {
		processes []closedloop.Process
		want      float64
	}{
		{[]closedloop.Process{reads(1, 1, source, 10)}, 10 + 70 + alone},
		{[]closedloop.Process{reads(1, 3, source, 10)}, 10 + 154 + alone},
		{[]closedloop.Process{reads(3, 1, source, 10)}, 10 + 170 + alone},
		{[]closedloop.Process{reads(3, 3, source, 10)}, 10 + 270 + alone},
		{[]closedloop.Process{reads(3, 3, source, 10), reads(4, 4, source, 10)}, 10 + 270 + 2*alone},
		{[]closedloop.Process{reads(3, 3, source, 10, 10, 10)}, 10 + 270 + 3*alone},
		{[]closedloop.Process{reads(3, 3, ttmetal.Node{X: 0, Y: 1}, 10)}, 10 + 270 + 4096/23.2},
		{[]closedloop.Process{reads(3, 3, source, 10, 1e9)}, 1e9 + 270 + alone},
	} {
		got := float64(vendorEstimate(closedloop.Program{Processes: c.processes}))
		if got < c.want-2 || got > c.want+2*vendorStep {
			t.Errorf("%d processes: %.0f cycles, want %.0f", len(c.processes), got, c.want)
		}
	}
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

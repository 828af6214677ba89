package models

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestReplicaAtTheFork is figure 4 and section 3.1 of Abad, Puente and Gregorio: in an empty
// network a packet whose destinations are two behind one port and one behind another leaves one
// replica for the two and goes on for the third, all over shortest paths.
func TestReplicaAtTheFork(t *testing.T) {
	o := DefaultOptions()
	o.Grid = topology.Mesh(3, 3)
	m, err := Lookup("mrr")
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	n.Offer(noc.Packet{Dst: noc.SetOf(9, 1, 3, 6), Phits: 5})
	for _, d := range noctest.Drain(t, n) {
		if int(d.Hops) != o.Grid.Distance(0, d.At) {
			t.Errorf("node %d is reached over %d links, and is %d away", d.At, d.Hops, o.Grid.Distance(0, d.At))
		}
	}
	leaving, all := uint64(0), uint64(0)
	for _, l := range n.Links(nil) {
		if all += l.Phits; l.From == 0 {
			leaving += l.Phits
		}
	}
	if copies := n.Activity(nil)[0].Replications; leaving != 10 || all != 15 || copies != 1 {
		t.Errorf("%d phits leave router 0 after %d replications, %d cross links in all; want 10, 1 and 15", leaving, copies, all)
	}
}

// TestLastStageCanDeadlock refutes section 3.2 of Varavithya and Mohapatra, which gives the last
// stage of a bidirectional network no tokens where there are as many consumption channels as ports:
// six messages that meet in one switch of it can wait in a circle. Tokens of the switch prevent it.
func TestLastStageCanDeadlock(t *testing.T) {
	try := func(tokens bool, wait noc.Cycle) (stuck []noc.Stuck) {
		c := wormholeideal.DefaultTree()
		c.EjectionChannels, c.Startup, c.BufferPhits = 3, 0, 1
		c.Tree.Arbitration, c.Tree.LocalTokens = wormholeideal.RoundRobin, tokens
		n, err := wormholeideal.NewStages(topology.Multistage{Bidirectional: true, Arity: 3, Stages: 2}, c, wormholeideal.TreePlanner{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []struct {
			at   noc.Cycle
			from noc.NodeID
			to   []noc.NodeID
		}{
			{0, 3, nodes{0}}, {0, 4, nodes{2}}, {300, 1, nodes{0}}, {300, 2, nodes{1}}, // set whose turn it is at each output
			{600, 3, nodes{0, 1, 2}}, {600, 4, nodes{0, 1, 2}}, {600, 5, nodes{0, 1, 2}},
			{600 + wait, 0, nodes{1, 2}}, {600 + wait, 1, nodes{0, 2}}, {600 + wait, 2, nodes{0, 1}},
		} {
			for n.Now() < e.at {
				n.Step(e.at)
				n.Deliveries()
			}
			n.Offer(noc.Packet{Src: e.from, Dst: noc.SetOf(9, e.to...), Phits: 60})
		}
		for n.Now() < 3000 {
			n.Step(3000)
			n.Deliveries()
		}
		if n.InFlight() == 0 {
			return nil
		}
		return n.Deadlock()
	}
	circles := 0
	for wait := noc.Cycle(0); wait < 40; wait++ {
		if len(try(false, wait)) > 0 {
			circles++
		}
		if stuck := try(true, wait); stuck != nil {
			t.Errorf("with tokens, %d cycles apart: %+v", wait, stuck)
		}
	}
	if circles == 0 {
		t.Error("without tokens of the last stage nothing deadlocks")
	}
}

// nodes are destinations.
type nodes = []noc.NodeID

package models

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestReplicaAtTheFork is figure 4 and section 3.1 of Abad, Puente and Gregorio: in an empty
// network a packet whose destinations are two behind one port and one behind another leaves one
// replica for the two and goes on for the third, all over shortest paths.
func TestReplicaAtTheFork(t *testing.T) {
	o := DefaultOptions()
	o.Grid = topology.Mesh(3, 3)
	m := noctest.Must(Lookup("mrr"))
	n := noctest.Must(m.Build(o))
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

package ideal

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestTimelines tells what becomes of copies, cycle by cycle, in the scenarios of
// testdata/timelines.
func TestTimelines(t *testing.T) {
	stories.Play(t, "testdata/timelines", func(l topology.Layout, _ *datadriven.TestData) (stories.Network, error) {
		n, err := New(*l.Grid, Default())
		return stories.Network{Network: n, Watch: func() []string { return copies(n) }, Places: true}, err
	})
}

// copies lists where copies are: on their way, or in front of a full sink.
func copies(n *Network) (events []string) {
	for _, f := range n.flying.all {
		events = append(events, fmt.Sprintf("packet %d: flies to node %d, header there in cycle %d", f.packet.Tag, f.at, f.start))
	}
	for _, s := range n.Explain() {
		events = append(events, fmt.Sprintf("packet %d: %s of node %d waits for %s", s.Tag, s.Holds, s.At, s.Waits))
	}
	return events
}

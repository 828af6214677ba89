package ideal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestTimelines tells what becomes of copies, cycle by cycle, in the scenarios of
// testdata/timelines. Run it with -rewrite to write down what the network does.
func TestTimelines(t *testing.T) {
	datadriven.Walk(t, "testdata/timelines", func(t *testing.T, path string) {
		n, err := New(topology.Torus(4, 4), Default())
		if err != nil {
			t.Fatal(err)
		}
		tag := noc.Tag(0)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "offer":
				var from, phits int
				var to string
				d.ScanArgs(t, "from", &from)
				d.ScanArgs(t, "to", &to)
				d.ScanArgs(t, "phits", &phits)
				set := noc.NewNodeSet(n.Nodes())
				for _, name := range strings.Split(to, "+") {
					var node int
					if _, err := fmt.Sscan(name, &node); err != nil {
						t.Fatalf("%s: node %q: %v", d.Pos, name, err)
					}
					set.Add(noc.NodeID(node))
				}
				n.Offer(noc.Packet{Src: noc.NodeID(from), Dst: set, Tag: tag, Phits: uint16(phits), Ordered: d.HasArg("ordered")})
				tag++
				return fmt.Sprintf("packet %d\n", tag-1)
			case "limit", "free":
				var node, places int
				d.ScanArgs(t, "node", &node)
				if d.Cmd == "free" {
					n.FreeSink(noc.NodeID(node), 0)
					return ""
				}
				d.ScanArgs(t, "places", &places)
				n.LimitSink(noc.NodeID(node), 0, places)
				return ""
			case "run":
				var cycles int
				d.ScanArgs(t, "cycles", &cycles)
				return timeline(n, noc.Cycle(cycles))
			}
			t.Fatalf("%s: no command is called %s", d.Pos, d.Cmd)
			return ""
		})
	})
}

// timeline lists where copies are after each cycle: on their way, or in front of a full sink; and
// what was delivered. Cycles in which nothing changes are left out.
func timeline(n *Network, cycles noc.Cycle) string {
	var b strings.Builder
	before := ""
	for end := n.Now() + cycles; n.Now() < end; {
		t := n.Now()
		n.Step(t + 1)
		var events []string
		for _, f := range n.flying.all {
			events = append(events, fmt.Sprintf("packet %d: flies to node %d, header there in cycle %d", f.worm.Tag, f.at, f.start))
		}
		for _, s := range n.Explain() {
			events = append(events, fmt.Sprintf("packet %d: %s of node %d waits for %s", s.Tag, s.Holds, s.At, s.Waits))
		}
		for _, d := range n.Deliveries() {
			events = append(events, fmt.Sprintf("packet %d: delivered at node %d", d.Tag, d.At))
		}
		slices.Sort(events)
		if now := strings.Join(events, "\n         "); now != before {
			if before = now; now == "" {
				now = "nothing to see"
			}
			fmt.Fprintf(&b, "%4d     %s\n", t, now)
		}
	}
	return b.String()
}

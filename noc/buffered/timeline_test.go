package buffered

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestTimelines tells where the headers of packets are, cycle by cycle, in the scenarios of
// testdata/timelines. Run it with -rewrite to write down what the routers do; look at every
// difference.
func TestTimelines(t *testing.T) {
	datadriven.Walk(t, "testdata/timelines", func(t *testing.T, path string) {
		var n *Network
		tag := noc.Tag(0)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "network":
				n, tag = scenario(t, d), 0
			case "offer":
				var src, phits, class int
				var to []int
				d.ScanArgs(t, "from", &src)
				for _, arg := range d.CmdArgs {
					if arg.Key == "to" {
						for i := range arg.Vals {
							var node int
							arg.Scan(t, i, &node)
							to = append(to, node)
						}
					}
				}
				d.ScanArgs(t, "phits", &phits)
				d.MaybeScanArgs(t, "class", &class)
				set := noc.NewNodeSet(n.Nodes())
				for _, node := range to {
					set.Add(noc.NodeID(node))
				}
				if !n.Offer(noc.Packet{Src: noc.NodeID(src), Dst: set, Tag: tag, Phits: uint16(phits), Class: noc.Class(class)}) {
					return fmt.Sprintf("packet %d is refused\n", tag)
				}
				tag++
				return fmt.Sprintf("packet %d\n", tag-1)
			case "limit":
				var node, class, places int
				d.ScanArgs(t, "node", &node)
				d.ScanArgs(t, "class", &class)
				d.ScanArgs(t, "places", &places)
				n.LimitSink(noc.NodeID(node), noc.Class(class), places)
			case "run":
				var cycles int
				d.ScanArgs(t, "cycles", &cycles)
				return timeline(n, noc.Cycle(cycles))
			case "explain":
				var b strings.Builder
				for _, s := range n.Explain() {
					fmt.Fprintf(&b, "packet %d at node %d: %s waits for %s\n", s.Tag, s.At, s.Holds, s.Waits)
				}
				return b.String()
			default:
				t.Fatalf("%s: no command is called %s", d.Pos, d.Cmd)
			}
			return ""
		})
	})
}

// scenario builds the network of a scenario: BASE on a grid, or with the word tree BASE-MC.
func scenario(t *testing.T, d *datadriven.TestData) *Network {
	var spec string
	d.ScanArgs(t, "on", &spec)
	g, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultBase()
	if d.HasArg("tree") {
		c = DefaultBaseMC()
	}
	return build(t, g, c)
}

// timeline simulates some cycles and lists for each what the headers did in it, and what was
// delivered. Cycles in which nothing changes are left out.
func timeline(n *Network, cycles noc.Cycle) string {
	var b strings.Builder
	before := ""
	for end := n.Now() + cycles; n.Now() < end; {
		t := n.Now()
		n.Step(t + 1)
		events := headers(n, t)
		for _, d := range n.Deliveries() {
			events = append(events, fmt.Sprintf("packet %d: delivered at node %d", d.Tag, d.At))
		}
		slices.Sort(events)
		if now := strings.Join(events, "\n         "); now != before {
			if before = now; now == "" {
				now = "nothing moves"
			}
			fmt.Fprintf(&b, "%4d     %s\n", t, now)
		}
	}
	return b.String()
}

// headers lists where the header of each packet is after cycle t, by the stages of rule 3.
func headers(n *Network, t noc.Cycle) (list []string) {
	say := func(p packet, format string, args ...any) {
		list = append(list, fmt.Sprintf("packet %d: ", n.Packets.At(p.worm).Tag)+fmt.Sprintf(format, args...))
	}
	for i := range n.routers {
		r := &n.routers[i]
		for port := range r.inputs {
			in, out, name := &r.inputs[port], &r.outputs[port], n.grid.PortName(port)
			if in.wire.present() && in.wire.index == 0 {
				if port == topology.Local {
					say(in.wire.packet, "leaves the interface of node %d", i)
				} else {
					say(in.wire.packet, "LT  into node %d by %s", i, name)
				}
			}
			if out.crossed.present() && out.crossed.index == 0 {
				say(out.crossed.packet, "ST  node %d, to %s", i, name)
			}
			if s := &in.stream; s.active() && s.next == 0 {
				say(s.packet, "SA  node %d, granted %s", i, n.grid.PortName(s.output))
			}
			for class := range in.channels {
				for j := range in.channels[class].entries {
					switch e := &in.channels[class].entries[j]; {
					case e.leaving || in.stream.active() && in.stream.class == class && j == 0:
					case e.written == t:
						say(e.packet, "BW  node %d, input %s channel %d", i, name, class)
					case e.routed == t:
						say(e.packet, "RC  node %d", i)
					case e.routed == noc.Never:
						say(e.packet, "waits in node %d for the packet ahead", i)
					default:
						say(e.packet, "SA  node %d, not granted", i)
					}
				}
			}
		}
	}
	return list
}

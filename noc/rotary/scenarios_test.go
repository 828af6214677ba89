package rotary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/engine"
	"github.com/carousel-sim/carousel/noc/topology"
)

// phits is the length of all packets of the scenarios.
const phits = 5

// TestScenarios plays the stories of testdata, a header's timeline cycle by cycle, with the plain
// router and with the engine. -rewrite writes down what the plain router does.
//
//	network grid=torus:8x8 scheme=adaptive   builds a network; sink=(5,0) gives the sink of node 5 no place
//	offer src=0 dst=(1,2) class=3            offers a packet in the current cycle
//	free node=5                              gives the sink of a node a place
//	run cycles=20                            tells what happens: headers that enter a segment or leave by an output, copies, arrivals
//	explain                                  tells what waits, and for what
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		for _, form := range []string{"plain", "engine"} {
			t.Run(form, func(t *testing.T) {
				s := &scenario{plain: form == "plain"}
				datadriven.RunTest(t, path, s.command)
			})
		}
	})
}

// scenario is a network and what is known of the streams on its links.
type scenario struct {
	plain    bool
	net      noc.Network
	grid     topology.Grid
	activity []noc.Activity
	links    []noc.Link
	busy     []noc.Cycle // per link: until then phits of the same packet follow
}

func (s *scenario) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "network":
		s.build(t, d)
		return ""
	case "offer":
		var src, class int
		var dst []string
		d.ScanArgs(t, "src", &src)
		d.MaybeScanArgs(t, "class", &class)
		p := noc.Packet{Src: noc.NodeID(src), Dst: noc.NewNodeSet(s.net.Nodes()), Phits: phits, Class: noc.Class(class)}
		for _, a := range d.CmdArgs {
			if a.Key == "dst" {
				dst = a.Vals
			}
		}
		for _, v := range dst {
			var node int
			fmt.Sscan(v, &node)
			p.Dst.Add(noc.NodeID(node))
		}
		return fmt.Sprintf("accepted: %v\n", s.net.Offer(p))
	case "free":
		var node int
		d.ScanArgs(t, "node", &node)
		s.net.FreeSink(noc.NodeID(node), 0)
		return ""
	case "run":
		var cycles int
		d.ScanArgs(t, "cycles", &cycles)
		return s.run(cycles)
	case "explain":
		var b strings.Builder
		for _, e := range s.net.Explain() {
			fmt.Fprintf(&b, "node %d, %s: %s\n", e.At, e.Holds, e.Waits)
		}
		return b.String()
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func (s *scenario) build(t *testing.T, d *datadriven.TestData) {
	var grid, scheme string
	d.ScanArgs(t, "grid", &grid)
	d.ScanArgs(t, "scheme", &scheme)
	var err error
	if s.grid, err = topology.Parse(grid); err != nil {
		t.Fatal(err)
	}
	c := rotary.DefaultRR().WithRules(rotary.ExtendedRules)
	c.Multicast = rotary.Scheme(scheme)
	if s.plain {
		s.net, err = rotary.New(s.grid, c)
	} else {
		s.net, err = engine.New(s.grid, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d.HasArg("sink") {
		var node int
		d.ScanArgs(t, "sink", &node)
		s.net.LimitSink(noc.NodeID(node), 0, 0)
	}
	s.activity, s.links = s.net.Activity(nil), s.net.Links(nil)
	s.busy = make([]noc.Cycle, len(s.links))
}

// run simulates some cycles and tells what headers do in each of them.
func (s *scenario) run(cycles int) string {
	var b strings.Builder
	for range cycles {
		now := s.net.Now()
		s.net.Step(now + 1)
		var events []string
		activity, links := s.net.Activity(nil), s.net.Links(nil)
		for r := range activity {
			a, before := &activity[r], &s.activity[r]
			for range a.ArbGrants[noc.RingEntry] - before.ArbGrants[noc.RingEntry] {
				events = append(events, fmt.Sprintf("node %d: enters a segment", r))
			}
			for range a.Replications - before.Replications {
				events = append(events, fmt.Sprintf("node %d: copied", r))
			}
			for range a.Misroutes - before.Misroutes {
				events = append(events, fmt.Sprintf("node %d: misrouted", r))
			}
		}
		for i, l := range links {
			if l.Phits > s.links[i].Phits && now >= s.busy[i] {
				s.busy[i] = now + phits
				events = append(events, fmt.Sprintf("node %d: leaves by %s", l.From, s.grid.PortName(int(l.Port))))
			}
		}
		for _, d := range s.net.Deliveries() {
			events = append(events, fmt.Sprintf("arrived at node %d after %d links", d.At, d.Hops))
		}
		s.activity, s.links = activity, links
		if len(events) > 0 {
			fmt.Fprintf(&b, "cycle %d: %s\n", now, strings.Join(events, "; "))
		}
	}
	return b.String()
}

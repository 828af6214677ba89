// Package stories plays text scenarios of networks: what the headers of packets do, cycle by cycle.
//
// A scenario is a file of commands, each followed by what comes out:
//
//	network on=torus:4x4                    builds a network; the test says what else may stand here
//	offer from=0 to=(1,5) phits=5           offers a packet in the current cycle; also class=1
//	limit node=5 places=0, free node=5      bounds a sink and gives a place of it back; also class=1
//	run cycles=20                           tells what happens, or without cycles until all has arrived
//	explain                                 tells which packets wait, and for what
//
// With -rewrite the files are written instead of compared; look at every difference.
package stories

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of a scenario and how it is observed.
type Network struct {
	noc.Network
	// Watch lists what happened in the cycle that has just been simulated; nil lists the links that
	// carried phits. With Places it lists where packets are after it instead, and cycles in which
	// that does not change are left out.
	Watch  func() []string
	Places bool
}

// Play plays the scenarios of a folder. build makes the network of a command.
func Play(t *testing.T, folder string, build func(l topology.Layout, d *datadriven.TestData) (Network, error)) {
	datadriven.Walk(t, folder, func(t *testing.T, path string) {
		s := &story{build: build}
		datadriven.RunTest(t, path, s.command)
	})
}

// story is a scenario under way.
type story struct {
	build func(topology.Layout, *datadriven.TestData) (Network, error)
	net   Network
	tag   noc.Tag
}

func (s *story) command(t *testing.T, d *datadriven.TestData) string {
	number := func(key string, otherwise int) (value int) {
		if !d.MaybeScanArgs(t, key, &value) {
			return otherwise
		}
		return value
	}
	node, class := noc.NodeID(number("node", 0)), noc.Class(number("class", 0))
	switch d.Cmd {
	case "network":
		var name string
		d.ScanArgs(t, "on", &name)
		l, err := topology.Open(name)
		if err == nil {
			s.net, err = s.build(l, d)
		}
		if err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		s.tag = 0
		if s.net.Watch == nil {
			s.net.Watch = links(s.net)
		}
	case "offer":
		p := noc.Packet{Src: noc.NodeID(number("from", 0)), Dst: noc.NewNodeSet(s.net.Nodes()), Tag: s.tag,
			Phits: uint16(number("phits", 0)), Class: class}
		to, _ := d.Arg("to")
		for i := range to.Vals {
			var node int
			to.Scan(t, i, &node)
			p.Dst.Add(noc.NodeID(node))
		}
		if !s.net.Offer(p) {
			return "refused\n"
		}
		s.tag++
		return fmt.Sprintf("packet %d\n", p.Tag)
	case "limit":
		s.net.LimitSink(node, class, number("places", 0))
	case "free":
		s.net.FreeSink(node, class)
	case "run":
		return s.run(t, noc.Cycle(number("cycles", 0)))
	case "explain":
		var b strings.Builder
		for _, k := range s.net.Explain() {
			fmt.Fprintf(&b, "packet %d at node %d: %s waits for %s\n", k.Tag, k.At, k.Holds, k.Waits)
		}
		return b.String()
	default:
		t.Fatalf("%s: no command is called %s", d.Pos, d.Cmd)
	}
	return ""
}

// run simulates some cycles, or if that is 0 until all has arrived, and tells what happens.
func (s *story) run(t *testing.T, cycles noc.Cycle) string {
	const limit = 10_000
	var b strings.Builder
	before := ""
	for start := s.net.Now(); s.net.Now() < start+cycles || cycles == 0 && s.net.InFlight() > 0; {
		now := s.net.Now()
		if now > start+limit {
			t.Fatalf("nothing arrives: %v", s.net.Explain())
		}
		s.net.Step(now + 1)
		events := s.net.Watch()
		for _, d := range s.net.Deliveries() {
			events = append(events, fmt.Sprintf("packet %d: delivered at node %d", d.Tag, d.At))
		}
		slices.Sort(events)
		text := strings.Join(events, "\n         ")
		if s.net.Places && text == before || !s.net.Places && text == "" {
			continue
		}
		if before = text; text == "" {
			text = "nothing moves"
		}
		fmt.Fprintf(&b, "%4d     %s\n", now, text)
	}
	return b.String()
}

// links lists the phits that links carried since the last call.
func links(n noc.Network) func() []string {
	before := n.Links(nil)
	return func() []string {
		var events []string
		after := n.Links(nil)
		for i, l := range after {
			if sent := l.Phits - before[i].Phits; sent > 0 {
				events = append(events, fmt.Sprintf("%d-%d +%d", l.From, l.To, sent))
			}
		}
		if before = after; len(events) == 0 {
			return nil
		}
		return []string{"links " + strings.Join(events, ", ")}
	}
}

package buffered

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestTimelines tells where the headers of packets are, cycle by cycle, in the scenarios of
// testdata/timelines: of BASE or, with the word tree, of BASE-MC.
func TestTimelines(t *testing.T) {
	stories.Play(t, "testdata/timelines", func(l topology.Layout, d *datadriven.TestData) (stories.Network, error) {
		c := DefaultBase()
		if d.HasArg("tree") {
			c = DefaultBaseMC()
		}
		n := build(t, *l.Grid, c)
		return stories.Network{Network: n, Watch: func() []string { return headers(n) }, Places: true}, nil
	})
}

// headers lists where the header of each packet is after the last cycle, by the stages of rule 3.
func headers(n *Network) (list []string) {
	t := n.Now() - 1
	say := func(p packet, format string, args ...any) {
		list = append(list, fmt.Sprintf("packet %d: ", n.Packets.At(p.id).Tag)+fmt.Sprintf(format, args...))
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

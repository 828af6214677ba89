package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// drive prepares traffic of packets of five phits in six classes, of which a share is broadcast.
// With its seed networks without a rule stop soon, which some seeds leave to chance for long.
func drive(t testing.TB, n noc.Network, g topology.Grid, pattern string, load, broadcasts float64) *traffic.Driver {
	t.Helper()
	return noctest.Drive(t, n, g, traffic.Config{Pattern: pattern, Load: load, MulticastFraction: broadcasts, Seed: 4})
}

// measureFrom runs traffic and returns what happened from a cycle on. It fails when nothing is
// delivered for 1,000 cycles.
func measureFrom(t testing.TB, d *traffic.Driver, warm, cycles noc.Cycle) traffic.Window {
	t.Helper()
	for n := d.Network(); n.Now() < cycles; {
		if n.Now() == warm {
			d.Clear()
		}
		before, owed := d.Window().DeliveredPackets, n.InFlight()
		if d.Run(n.Now() + 1000); d.Window().DeliveredPackets == before && owed > 0 {
			t.Fatalf("no delivery in the 1,000 cycles before %d: %v", n.Now(), n.Explain())
		}
	}
	return d.Window()
}

func build(t testing.TB, g topology.Grid, c rotary.Config) *Network { return noctest.Must(New(g, c)) }

// targets returns the destination of each node under a pattern, itself if it sends no unicasts.
func targets(t *testing.T, g topology.Grid, pattern string) []noc.NodeID {
	t.Helper()
	c := traffic.Default()
	c.Pattern = pattern
	return noctest.Must(c.Targets(g))
}

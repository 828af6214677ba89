package traffic

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// build makes a network of the table and its traffic.
func build(t testing.TB, router string, g topology.Grid, c Config) *Driver {
	t.Helper()
	return buildWith(t, router, g, c, models.DefaultOptions().Rotary.SourceQueue)
}

// buildWith tells the driver how deep the source queues are.
func buildWith(t testing.TB, router string, g topology.Grid, c Config, queue int) *Driver {
	t.Helper()
	m := must.Get(models.Lookup(router))
	o := models.DefaultOptions()
	o.Grid, o.Classes, o.Seed = g, c.Classes, c.Seed
	n := must.Get(m.Build(o))
	return must.Get(New(n, g, c, Interface{QueuePackets: queue, SeparateCopies: m.Scheme == "unicast"}))
}

// nowhere is a network that loses everything, or takes nothing.
type nowhere struct {
	noc.Network
	now  noc.Cycle
	full bool
	lost []noc.Delivery
}

func (n *nowhere) Nodes() int                                  { return 64 }
func (n *nowhere) Now() noc.Cycle                              { return n.now }
func (n *nowhere) InFlight() int                               { return 0 }
func (n *nowhere) Step(until noc.Cycle) noc.Cycle              { n.now = until; return until }
func (n *nowhere) Totals() noc.Totals                          { return noc.Totals{} }
func (n *nowhere) Activity(into []noc.Activity) []noc.Activity { return into }
func (n *nowhere) Links(into []noc.Link) []noc.Link            { return into }

func (n *nowhere) Offer(p noc.Packet) bool {
	if !n.full {
		n.lost = append(n.lost, noc.Delivery{Tag: p.Tag, Src: p.Src, Class: p.Class, Arrived: n.now})
	}
	return !n.full
}

func (n *nowhere) Deliveries() []noc.Delivery {
	lost := n.lost
	n.lost = n.lost[:0]
	return lost
}

// BenchmarkSources is what generating messages costs, without a network; an operation is one
// cycle of 64 nodes.
func BenchmarkSources(b *testing.B) {
	for _, full := range []bool{false, true} {
		for _, load := range []float64{0.001, 0.05, 0.3, 1} {
			b.Run(fmt.Sprintf("full=%v/load=%v", full, load), func(b *testing.B) {
				c := Default()
				c.Load = load
				d := must.Get(New(&nowhere{full: full}, topology.Torus(8, 8), c, Interface{QueuePackets: 16}))
				b.ResetTimer()
				d.Run(noc.Cycle(b.N))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, d.window.counts.GeneratedPackets)), "ns/message")
			})
		}
	}
}

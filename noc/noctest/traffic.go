package noctest

import (
	"cmp"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// queuePackets is the default depth of the source queues of routers.
const queuePackets = 16

// Must returns a value that cannot fail to be made.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Drive prepares open-loop traffic for a fresh network on a grid. Fields of the configuration that
// are zero have the values of [traffic.Default], but for multicasts, which go to all other nodes.
func Drive(t testing.TB, net noc.Network, g topology.Grid, c traffic.Config) *traffic.Driver {
	t.Helper()
	d, err := traffic.New(net, g, completed(g, c), traffic.Interface{QueuePackets: queuePackets})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Drain steps a network until it owes nothing, and returns what it delivered. A network that does
// nothing for a million cycles is stuck.
func Drain(t testing.TB, net noc.Network) (all []noc.Delivery) {
	t.Helper()
	for net.InFlight() > 0 {
		until := net.Now() + 1<<20
		stopped, some := net.Step(until), net.Deliveries()
		if stopped == until && len(some) == 0 {
			t.Fatalf("%d deliveries owed at cycle %d: %+v", net.InFlight(), net.Now(), net.Explain())
		}
		all = append(all, some...)
	}
	return all
}

// completed returns a configuration of traffic on a grid with all its fields.
func completed(g topology.Grid, c traffic.Config) traffic.Config {
	usual := traffic.Default()
	c.Load = cmp.Or(c.Load, usual.Load)
	c.Pattern, c.TornadoDims = cmp.Or(c.Pattern, usual.Pattern), cmp.Or(c.TornadoDims, usual.TornadoDims)
	c.PacketPhits, c.Classes, c.Seed = cmp.Or(c.PacketPhits, usual.PacketPhits), cmp.Or(c.Classes, usual.Classes), cmp.Or(c.Seed, usual.Seed)
	c.MulticastDestinations = cmp.Or(c.MulticastDestinations, max(2, g.Nodes()-1))
	return c
}

// Doubling plans multicasts by recursive doubling, as software does: worms with one stop each.
// Their routes are those of Route, or left to the network without it.
type Doubling struct {
	Route func(from, to noc.NodeID) []noc.NodeID
}

// Plan makes the worms of a multicast.
func (d Doubling) Plan(r multicast.Request) (multicast.Plan, error) {
	return multicast.Doubling(multicast.RotatedChain(r), multicast.WithSender, d.Route), nil
}

// OneStop lets any network take its worms.
func (Doubling) OneStop() bool { return true }

// Scheme returns the planner of a scheme on a grid.
func Scheme(name string, g topology.Grid) multicast.Planner {
	s, err := multicast.LookupScheme(name)
	if err != nil {
		panic(err)
	}
	p, err := multicast.NewPlanner(s, topology.Layout{Wiring: g.Wiring(), Grid: &g}, multicast.DefaultOptions())
	if err != nil {
		panic(err)
	}
	return p
}

// StandsStill drives an engine up to a cycle and reports whether it stopped before: in a thousand
// cycles no phit moved.
func StandsStill(t *testing.T, n Engine, d *traffic.Driver, until noc.Cycle) bool {
	t.Helper()
	for last := uint64(0); n.Now() < until; {
		d.Run(n.Now() + 1000)
		total := n.Totals()
		if total.PhitHops+total.Phits == last {
			return true
		}
		last = total.PhitHops + total.Phits
		if err := n.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	return false
}

// BenchmarkFlitHops measures cycles under a driver's traffic, after some to warm up: the time per
// cycle, and per flit that crosses a link.
func BenchmarkFlitHops(b *testing.B, d *traffic.Driver) {
	n := d.Network()
	d.Run(3000)
	hops := n.Totals().PhitHops
	b.ReportAllocs()
	b.ResetTimer()
	d.Run(n.Now() + noc.Cycle(b.N))
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(seconds*1e9/float64(n.Totals().PhitHops-hops), "ns/flithop")
	b.ReportMetric(float64(b.N)/seconds, "cycles/s")
}

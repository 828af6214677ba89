package noctest

import (
	"cmp"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// queuePackets is the default depth of the source queues of routers.
const queuePackets = 16

// Drive prepares open-loop traffic for a fresh network on a grid. Fields of the configuration that
// are zero have the values of [traffic.Default], but for multicasts, which go to all other nodes.
func Drive(t T, net noc.Network, g topology.Grid, c traffic.Config) *traffic.Driver {
	t.Helper()
	d, err := traffic.New(net, g, completed(g, c), traffic.Interface{QueuePackets: queuePackets})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Drain steps a network until it owes nothing, and returns what it delivered. A network that does
// nothing for a million cycles is stuck.
func Drain(t T, net noc.Network) (all []noc.Delivery) {
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
	p, err := multicast.NewPlanner(s, g.Layout(), multicast.DefaultOptions())
	if err != nil {
		panic(err)
	}
	return p
}

// StandsStill drives an engine up to a cycle and reports whether it stopped before: in a thousand
// cycles no phit moved.
func StandsStill(t T, n Engine, d *traffic.Driver, until noc.Cycle) bool {
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

// Coupled drives a network as a protocol with finite queues does: what a node receives of class k
// keeps its place in the sink until the node has put a packet of class k+1 into its source queue,
// which is finite as well. Packets of the highest class are consumed at once. All nodes start
// chains, in class 0, as fast as the network takes them, so every queue that may fill does.
//
// A network in which low classes can stand in the way of higher ones stops under it.
type Coupled struct {
	Network noc.Network
	// Delivered counts the copies that arrived, per class.
	Delivered [noc.MaxClasses]uint64

	traffic traffic.Config
	nodes   int
	random  random.Stream
	owed    [][]int // per node and class: deliveries whose answer has found no room yet
	tag     noc.Tag
}

// NewCoupled prepares coupled traffic with uniform destinations. Of tr, the packets' length and
// classes, the share and size of multicasts (of the first class), and the seed are used, as by
// [Drive]; places is the size of each sink.
func NewCoupled(net noc.Network, g topology.Grid, tr traffic.Config, places int) *Coupled {
	tr = completed(g, tr)
	c := &Coupled{Network: net, traffic: tr, nodes: g.Nodes(), random: random.Stream(tr.Seed)}
	for n := range noc.NodeID(c.nodes) {
		c.owed = append(c.owed, make([]int, tr.Classes))
		for class := range noc.Class(tr.Classes - 1) {
			net.LimitSink(n, class, places)
		}
	}
	return c
}

// Run simulates the given number of cycles.
func (c *Coupled) Run(cycles noc.Cycle) {
	for end := c.Network.Now() + cycles; c.Network.Now() < end; {
		for _, d := range c.Network.Deliveries() {
			c.Delivered[d.Class]++
			if int(d.Class) < c.traffic.Classes-1 {
				c.owed[d.At][d.Class]++
			}
		}
		for n := range noc.NodeID(c.nodes) {
			c.serve(n)
		}
		c.Network.Step(c.Network.Now() + 1)
	}
}

// serve sends the answers that a node owes, highest class first, and starts a chain.
func (c *Coupled) serve(n noc.NodeID) {
	for class := c.traffic.Classes - 2; class >= 0; class-- {
		for c.owed[n][class] > 0 && c.offer(n, noc.Class(class+1), false) {
			c.owed[n][class]--
			c.Network.FreeSink(n, noc.Class(class))
		}
	}
	c.offer(n, 0, c.random.Float64() < c.traffic.MulticastFraction)
}

// offer offers one packet to a random node, or to many.
func (c *Coupled) offer(n noc.NodeID, class noc.Class, many bool) bool {
	p := noc.Packet{Src: n, Class: class, Tag: c.tag, Phits: uint16(c.traffic.PacketPhits), Dst: noc.NewNodeSet(c.nodes)}
	left := 1
	if many {
		left = c.traffic.MulticastDestinations
	}
	for left > 0 {
		if to := noc.NodeID(c.random.Below(c.nodes)); to != n && !p.Dst.Has(to) {
			p.Dst.Add(to)
			left--
		}
	}
	if !c.Network.Offer(p) {
		return false
	}
	c.tag++
	return true
}

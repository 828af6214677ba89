package traffic

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// near demands a value within a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %g, want %g within %g", what, got, want, tolerance)
	}
}

// TestLatencyOfAnIdleNetworkIsTheFormula: messages that meet no other take what the routers need
// without load, which their package documentation says.
func TestLatencyOfAnIdleNetworkIsTheFormula(t *testing.T) {
	const phits = 5
	for _, c := range []struct {
		router   string
		hop, end float64 // cycles per link, and at the ends
		exact    bool
	}{{"ideal", 4, 4 + phits, true}, {"base", 5, 5 + phits, true}, {"base-mc", 5, 5 + phits, true}, {"rr", 4, 4 + phits, false}, {"mrr", 4, 4 + phits, false}} {
		for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Mesh(4, 4, 2)} {
			traffic := Default()
			traffic.Load = 1e-5
			d := build(t, c.router, g, traffic)
			d.Run(1_000_000)
			w := d.Window()
			copies, sum := w.Latencies.All(Unicast).Total()
			if copies < 20 {
				t.Fatalf("only %d messages", copies)
			}
			want := c.hop*float64(w.Hops[Unicast]) + c.end*float64(copies)
			if c.exact && float64(sum) != want || float64(sum) < want || float64(sum) > 1.5*want {
				t.Errorf("%s on %s: %d messages took %d cycles, want %g", c.router, g, copies, sum, want)
			}
			if w.Saturated() {
				t.Errorf("%s on %s is saturated at load %g", c.router, g, traffic.Load)
			}
		}
	}
}

// TestMulticastLatencyIsThatOfTheLastCopy: without contention the last copy is the farthest.
func TestMulticastLatencyIsThatOfTheLastCopy(t *testing.T) {
	g := topology.Torus(4, 4)
	c := Default()
	c.Load, c.MulticastFraction = 0.01, 1
	d := build(t, "ideal", g, c)
	d.Run(50_000)
	w := d.Window()
	near(t, "latency of the last copy", float64(w.CompletionSum)/float64(w.CompletedMulticasts), 4*4+4+5, 0)
	copies, sum := w.Latencies.All(Broadcast).Total()
	near(t, "latency of all copies", float64(sum)/float64(copies), 4*32.0/15+4+5, 0.003)
	near(t, "hops", float64(w.Hops[Broadcast])/float64(copies), 32.0/15, 0.003)
}

// TestAccounting: what was generated is delivered, on its way, or waits; at every load, for every
// router.
func TestAccounting(t *testing.T) {
	g := topology.Torus(4, 4)
	for _, router := range models.Table().Names() {
		for _, load := range []float64{0.1, 1} {
			c := Default()
			c.Load, c.MulticastFraction, c.MulticastDestinations = load, 0.1, 4
			d := build(t, router, g, c)
			d.Run(2000)
			d.Clear()
			d.Run(10_001)
			w := d.Window()
			owed := 0
			for i := range d.sent.all {
				owed += int(d.sent.all[i].owed)
			}
			if owed != d.network.InFlight() {
				t.Errorf("%s at %g: %d copies owed, the network says %d", router, load, owed, d.network.InFlight())
			}
			if w.Cycles != 8001 {
				t.Errorf("a window of %d cycles", w.Cycles)
			}
			near(t, router+": generated", w.Generated, load, 0.1)
			filled := w.BufferedGrowth / float64(w.Cycles) // without limit in rr-tree and rr-path
			near(t, router+": delivered", w.Delivered+filled, w.Accepted*(0.9+0.1*4), 0.06)
			near(t, router+": phits", float64(w.DeliveredPhits), float64(5*w.DeliveredPackets), 0.01)
			if load < 1 {
				near(t, router+": accepted", w.Accepted, w.Generated, 0.01)
			}
			if want := load == 1 && router != "ideal"; w.Saturated() != want {
				t.Errorf("%s at %g: saturated is %v, accepted %g of %g", router, load, w.Saturated(), w.Accepted, w.Generated)
			}
			var links, injected uint64
			for _, l := range d.Links() {
				links += l.Phits
			}
			for _, a := range d.Activity() {
				injected += a.InjectPhits
				if a.Cycles != uint64(w.Cycles) && router != "ideal" {
					t.Errorf("%s: a router counted %d cycles", router, a.Cycles)
				}
			}
			near(t, router+": phits of links", float64(links), float64(w.PhitHops), 0)
			if router == "rr-path" {
				continue // a multicast leaves in two parts and counts as injected once
			}
			near(t, router+": phits from sources", float64(injected), float64(5*w.InjectedPackets), 0.01)
		}
	}
}

// TestResultsDependOnTrafficAlone: how a run is cut into pieces, and how long a full queue is
// left alone, change nothing; the seed does.
func TestResultsDependOnTrafficAlone(t *testing.T) {
	g := topology.Torus(4, 4)
	for _, router := range []string{"base", "base-mc", "rr", "mrr"} {
		for _, load := range []float64{0.3, 1} {
			run := func(seed uint64, stretch noc.Cycle, queue int) string {
				c := Default()
				c.Load, c.MulticastFraction, c.MulticastDestinations, c.Seed = load, 0.1, 5, 1
				d := buildWith(t, router, g, c, queue)
				for n := range d.newest { // of the traffic alone: the network keeps its seed
					d.newest[n] = d.generator.first(seed, noc.NodeID(n))
				}
				for end := stretch; ; end += stretch {
					d.Run(min(end, 4000))
					if end >= 4000 {
						break
					}
				}
				w := d.Window()
				return fmt.Sprintf("%016x %d %d %d", w.Digest, w.GeneratedPackets, w.DeliveredPackets, w.PhitHops)
			}
			want := run(1, 4000, 16)
			for _, c := range []struct {
				stretch noc.Cycle
				queue   int
			}{{4000, 0}, {7, 16}, {1, 5}, {333, 1}} {
				if got := run(1, c.stretch, c.queue); got != want {
					t.Errorf("%s at %g, %+v: %s, want %s", router, load, c, got, want)
				}
			}
			if run(2, 4000, 16) == want {
				t.Errorf("%s at %g: another seed gives the same", router, load)
			}
		}
	}
}

// TestLatencyCountsTheWaitAtTheSource: above saturation it grows with the length of the run,
// since a message that arrives in cycle t at throughput h of load l has waited (1-h/l)*t on
// average.
func TestLatencyCountsTheWaitAtTheSource(t *testing.T) {
	c := Default()
	c.Load = 2
	d := build(t, "base", topology.Torus(4, 4), c)
	d.Run(20_000)
	d.Clear()
	d.Run(21_000)
	w := d.Window()
	copies, sum := w.Latencies.All(Unicast).Total()
	near(t, "latency", float64(sum)/float64(copies), (1-w.Accepted/2)*20_500, 0.05)
	if got := w.MaxLatency; got < sum/copies || got > 21_000 {
		t.Errorf("the largest latency is %d", got)
	}
}

// closed is a network that takes nothing from one node and loses the rest.
type closed struct{ nowhere }

func (n *closed) Offer(p noc.Packet) bool { return p.Src != 7 && n.nowhere.Offer(p) }

// TestOneStarvingNodeIsSaturation, though the whole network takes 98.4 % of the load.
func TestOneStarvingNodeIsSaturation(t *testing.T) {
	c := Default()
	c.Load = 0.1
	for _, n := range []noc.Network{&closed{}, &nowhere{}} {
		d := must.Get(New(n, topology.Torus(8, 8), c, Interface{}))
		d.Run(1000)
		d.Clear()
		d.Run(5000)
		w := d.Window()
		w.Accepted, w.WaitingGrowth = w.Generated*63/64, float64(w.GeneratedPackets)/64/64 // it has no totals
		_, starves := n.(*closed)
		if w.Saturated() != starves || starves != (w.OldestWaiting > 4000) || w.OldestWaiting > 5000 {
			t.Errorf("starving %v: saturated %v, the oldest message has waited %d cycles", starves, w.Saturated(), w.OldestWaiting)
		}
	}
}

// TestSaturatedInside: a network with unlimited buffers takes every packet, so its own buffers
// tell that it is saturated.
func TestSaturatedInside(t *testing.T) {
	g := topology.Torus(4, 4)
	for load, want := range map[float64]bool{0.05: false, 0.08: true} { // 15 copies each: 1/15 is the most
		c := Default()
		c.Load, c.MulticastFraction = load, 1
		d := build(t, "rr-tree", g, c)
		d.Run(2000)
		d.Clear()
		d.Run(12_000)
		w := d.Window()
		near(t, "accepted", w.Accepted, w.Generated, 0.02)
		if w.Saturated() != want {
			t.Errorf("at %g: saturated is %v, buffers grew by %.0f phits per node", load, w.Saturated(), w.BufferedGrowth)
		}
	}
}

func TestForeignNetworks(t *testing.T) {
	if _, err := New(&nowhere{}, topology.Torus(4, 4), Default(), Interface{}); err == nil {
		t.Error("a network of another size is accepted")
	}
	if _, err := New(&nowhere{now: 3}, topology.Torus(8, 8), Default(), Interface{}); err == nil {
		t.Error("a network on its way is accepted")
	}
	bad := Default()
	bad.Load = -1
	if _, err := New(&nowhere{}, topology.Torus(8, 8), bad, Interface{}); err == nil {
		t.Error("a negative load is accepted")
	}
}

// TestLongestLatencies: latencies that no bucket is made for share the last one.
func TestLongestLatencies(t *testing.T) {
	h := new(Histogram)
	h.Add(1<<maxOctaves - 1)
	h.Add(math.MaxUint64)
	if h.counts[most-1] != 2 {
		t.Errorf("the last bucket has %d of two latencies", h.counts[most-1])
	}
}

// TestHistogram compares with the sorted values.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Uint64Range(0, 1<<rapid.IntRange(3, 30).Draw(t, "bits")), 1, 300).Draw(t, "latencies")
		h, other := new(Histogram), new(Histogram)
		var sum uint64
		for i, v := range values {
			sum += v
			if i%3 == 0 {
				other.Add(v)
			} else {
				h.Add(v)
			}
		}
		h.merge(other)
		slices.Sort(values)
		if n, s := h.Total(); n != uint64(len(values)) || s != sum {
			t.Fatalf("%d values with sum %d; want %d and %d", n, s, len(values), sum)
		}
		for _, p := range []int{1, 50, 95, 99, 100} {
			want := float64(values[max((p*len(values)+99)/100, 1)-1])
			got, ok := h.Percentile(p)
			if !ok || math.Abs(got-want) > want/fine || want < 2*fine && got != want {
				t.Fatalf("percentile %d is %g, want %g", p, got, want)
			}
		}
		var joined uint64
		for _, o := range h.Buckets() {
			var count, total uint64
			for _, v := range values {
				if o.Low <= v && v <= o.High {
					count, total = count+1, total+v
				}
			}
			if count != o.Count || total != o.Sum || (o.High-o.Low)*8 > o.Low {
				t.Fatalf("bucket %+v has %d values with sum %d", o, count, total)
			}
			joined += count
		}
		if joined != uint64(len(values)) {
			t.Fatalf("the buckets hold %d of %d values", joined, len(values))
		}
	})
	if _, ok := new(Histogram).Percentile(50); ok {
		t.Error("an empty histogram has a median")
	}
}

package messages

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

func quiet(float64) {}

// small is a point that takes little time.
func small() Config {
	c := Default()
	c.Topology, c.Flits, c.Destinations, c.Batches, c.BatchMessages, c.BatchCycles = "mesh:6x6", 16, 6, 4, 20, 4000
	return c
}

// TestMessagesDependOnTheSeedAlone: all schemes see the same messages, in the same batches.
func TestMessagesDependOnTheSeedAlone(t *testing.T) {
	for _, arrivals := range ArrivalNames {
		c := small()
		c.Arrivals, c.MulticastFraction = arrivals, 0.5
		var counts [3][]uint64
		schemes := []string{"dual-path", "qg", "dual-path"}
		if arrivals == Normalized {
			c.Topology, schemes, c.BatchMessages = "min:baseline:36:6", []string{"cmin", "atbm", "software"}, 200
		}
		for i, scheme := range schemes {
			c.Scheme = scheme
			r := must.Get(Run(context.Background(), c, 7, quiet))
			for _, b := range r.Batches {
				counts[i] = append(counts[i], b.Multicasts)
			}
			if r.Saturated {
				t.Errorf("%s, %s: saturated", arrivals, scheme)
			}
		}
		if !reflect.DeepEqual(counts[0], counts[1]) || counts[0][0] == 0 {
			t.Errorf("%s: batches of %v and %v multicasts", arrivals, counts[0], counts[1])
		}
	}
	for _, arrivals := range ArrivalNames {
		a, b := small(), small()
		a.Arrivals, b.Arrivals, b.Scheme = arrivals, arrivals, "column-path"
		l := must.Get(topology.Open("min:baseline:36:6"))
		one, other := newGenerator(a, l, 7), newGenerator(b, l, 7)
		for i := range 100 {
			if one.born == noc.Never {
				one.empty(1000)
				other.empty(1000)
			}
			m, n := one.take(), other.take()
			if m.born != n.born || m.source != n.source || m.to.Low != n.to.Low || m.batch != n.batch || m.to.Has(m.source) || m.to.Count() != 6 && arrivals != Normalized {
				t.Fatalf("%s, message %d: %+v and %+v", arrivals, i, m, n)
			}
		}
	}
	c := small()
	c.Arrivals = Exponential
	a, b := must.Get(Run(context.Background(), c, 7, quiet)), must.Get(Run(context.Background(), c, 7, quiet))
	other := must.Get(Run(context.Background(), c, 8, quiet))
	if a.Cycles != b.Cycles || a.Batches[1].MulticastLatencyMean != b.Batches[1].MulticastLatencyMean || a.Batches[1].MulticastLatencyMean == other.Batches[1].MulticastLatencyMean {
		t.Errorf("two runs of a seed: %+v and %+v; another seed: %+v", a.Batches[1], b.Batches[1], other.Batches[1])
	}
}

// TestSaturation: below saturation the load that is completed is the one that is offered; above,
// the run says so and its latencies are absent.
func TestSaturation(t *testing.T) {
	c := small()
	c.Arrivals, c.Load, c.BatchCycles, c.Batches = Exponential, 0.02, 20_000, 6
	r := must.Get(Run(context.Background(), c, 1, quiet))
	sum := 0.0
	for _, b := range r.Batches {
		sum += b.Accepted.Value / float64(len(r.Batches))
	}
	if r.Saturated || math.Abs(sum/c.Load-1) > 0.1 || !r.Batches[0].MulticastLatencyMean.Known {
		t.Errorf("at load %g: accepted %g, saturated %v, %+v", c.Load, sum, r.Saturated, r.Batches[0])
	}
	c.Load = 0.3
	r = must.Get(Run(context.Background(), c, 1, quiet))
	if !r.Saturated || r.Batches[0].MulticastLatencyMean.Known || r.Batches[0].Accepted.Value > 0.15 {
		t.Errorf("at load %g: saturated %v, %+v", c.Load, r.Saturated, r.Batches[0])
	}
}

// TestDeadlock: label-ordered worms among dimension-ordered unicasts stop, and the error shows the
// circle; with the routing that goes together with the scheme they do not.
func TestDeadlock(t *testing.T) {
	c := small()
	c.Arrivals, c.Load, c.MulticastFraction, c.Routing, c.BatchCycles = Exponential, 0.5, 0.1, "dimension-order", 20_000
	o := do(t, c)
	if o.Err == nil || !strings.Contains(o.Err.Error(), "deadlock") || !strings.Contains(o.Err.Error(), "waits for channel") || o.State != tables.Failed ||
		o.Rows.Traffic[0].ExitState != tables.Failed || len(o.Rows.Batches) != 0 {
		t.Errorf("state %s, %v", o.State, o.Err)
	}
	c.Routing = ByScheme
	if o = do(t, c); o.State != tables.Finished || len(o.Rows.Batches) != c.Batches {
		t.Errorf("by scheme: state %s, %d batches, %v", o.State, len(o.Rows.Batches), o.Err)
	}
}

// TestAdditionalTraffic: channels crossed minus destinations. Where several nodes share a switch, each
// worm also crosses a channel from its sender and one to each of its stops.
func TestAdditionalTraffic(t *testing.T) {
	for _, k := range []struct {
		topology, scheme string
		more             float64 // than channels between routers
	}{{"mesh:6x6", "dual-path", -15}, {"bimin:butterfly:16:4", "atbm", 1}, {"bimin:butterfly:16:4", "umin", 15}, {"min:baseline:16:2", "cmin", 15}} {
		c := small()
		c.Topology, c.Scheme, c.Arrivals, c.Destinations = k.topology, k.scheme, Alone, 15
		channels := map[float64]bool{}
		for _, c.Header = range []int{0, 1, 20} {
			b := do(t, c).Rows.Batches[0]
			channels[b.MulticastChannels.Value] = true
			if more := b.AdditionalTraffic.Value - b.MulticastChannels.Value; !b.AdditionalTraffic.Known || math.Abs(more-k.more) > 1e-9 {
				t.Errorf("%s on %s: %g more than the channels between routers, want %g", k.scheme, k.topology, more, k.more)
			}
		}
		if len(channels) != 1 {
			t.Errorf("%s on %s: the channels depend on the header: %v", k.scheme, k.topology, channels)
		}
	}
}

// TestCoefficient: deviation over mean of arrivals at 100, 200 and 300.
func TestCoefficient(t *testing.T) {
	var s sums
	s.add(&sent{copies: 3, kind: toMany, tails: moments{600, 140_000}, headers: moments{450, 87_500}, last: 300})
	s.add(&sent{copies: 1, last: 50})
	c := Default()
	b := s.finish(&c, 2, false)
	deviation := math.Sqrt(20_000.0 / 3)
	if math.Abs(b.ArrivalCV.Value-deviation/200) > 1e-12 || math.Abs(b.ArrivalCVHeader.Value-deviation/150) > 1e-12 || math.Abs(b.ArrivalSpread.Value-deviation/300) > 1e-12 || b.MulticastLatencyMean.Value != 300 || b.UnicastLatencyMean.Value != 50 || b.Multicasts != 1 {
		t.Errorf("the batch is %+v", b)
	}
}

// do does the point of a configuration with seed 1.
func do(t *testing.T, c Config) experiment.Outcome {
	t.Helper()
	p := must.Get(Point(c, 1))
	outcomes := must.Get(experiment.Run(context.Background(), []experiment.Point{p}, experiment.Options{Log: zerolog.Nop()}))
	return outcomes[0]
}

// TestValidate: wrong values are refused, what only multistage networks have elsewhere, and schemes
// and routings that a network does not suit.
func TestValidate(t *testing.T) {
	stages, mesh := stagesPoint("min:baseline:64:4", "atbm"), Default()
	on := func(network, scheme, routing string) func(*Config) {
		return func(c *Config) { c.Topology, c.Scheme, c.Routing, c.Destinations = network, scheme, routing, 3 }
	}
	for _, c := range []struct {
		want   string
		base   Config
		change func(*Config)
	}{
		{"scheme is", mesh, func(c *Config) { c.Scheme = "quick" }},
		{"topology", mesh, func(c *Config) { c.Topology = "circle:5" }},
		{"needs a mesh", mesh, func(c *Config) { c.Topology, c.Scheme = "torus:4x4", "column-path" }},
		{"arrivals is", mesh, func(c *Config) { c.Arrivals = "often" }},
		{"routing is", mesh, func(c *Config) { c.Routing = "xy" }},
		{"preparation is", mesh, func(c *Config) { c.Preparation = "long" }},
		{"destinations is 256", mesh, func(c *Config) { c.Destinations = 256 }},
		{"load is 2", mesh, func(c *Config) { c.Load = 2 }},
		{"multicast_fraction is", mesh, func(c *Config) { c.MulticastFraction = 0 }},
		{"batches is 1", mesh, func(c *Config) { c.Batches = 1 }},
		{"arrivals normalized need a multistage network", stages, func(c *Config) { c.Topology, c.Scheme = "mesh:8x8", "dual-path" }},
		{"mix is", stages, func(c *Config) { c.Mix = "halves" }},
		{"injection is 2", stages, func(c *Config) { c.Injection = 2 }},
		{"injection is 16", mesh, func(c *Config) { c.Injection = 16 }},
		{"dilated is for", stages, func(c *Config) { c.Dilated = true }},
		{"turns round", stages, func(c *Config) { c.Scheme = "atbm-multiple" }},
		{"consumption", stages, func(c *Config) { c.Consumption = 3 }},
		{"release is", stages, func(c *Config) { c.Release = "later" }},
		{"arbitration is", stages, func(c *Config) { c.Arbitration = "any" }},
		{"token_time is", stages, func(c *Config) { c.TokenTime = "never" }},
		{"token_hop is", stages, func(c *Config) { c.TokenHop = -1 }},
		{"warm_batches is", stages, func(c *Config) { c.WarmBatches = -1 }},
		{"header is", stages, func(c *Config) { c.Header = -1 }},
		{"needs a multistage network", stages, func(c *Config) { c.Topology, c.Arrivals, c.BufferFlits = "mesh:8x8", Alone, 1 }},
		{"needs a mesh, a torus, or a graph file with labels", mesh, on("min:baseline:16:4", "dual-path", ByScheme)},
		{"needs a mesh", mesh, on("lattice:9:1", "column-path", ByScheme)},
		{"multistage network", mesh, on("lattice:9:1", "umin", ByScheme)},
		{"multistage network", mesh, on("mesh:4x4", "umin", ByScheme)},
		{"umin", mesh, on("bimin:butterfly:16:4", "cmin", ByScheme)},
		{`use "by-scheme" or "fixed"`, mesh, on("lattice:9:1", "unicast", "labels")},
		{`use "by-scheme", "labels" or "dimension-order"`, mesh, on("mesh:4x4", "unicast", FixedRouting)},
	} {
		must.Do(c.base.Validate())
		c.change(&c.base)
		if err := c.base.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.base, err, c.want)
		}
	}
}

// TestGrowth: copies under way that become more by more than chance are growth, of multicasts alone
// too, unless every batch begins with an empty network.
func TestGrowth(t *testing.T) {
	few := change{flow{underWay: amount{300, 300}}, flow{amount{20_000, 20_000}, amount{330, 330}}}
	for _, c := range []struct {
		arrivals   string
		multicasts change
		want       bool
	}{
		{Exponential, change{flow{amount{}, amount{10, 80}}, flow{amount{1000, 8000}, amount{110, 900}}}, true},
		{Exponential, change{flow{amount{}, amount{10, 80}}, flow{amount{1000, 8000}, amount{29, 232}}}, false},   // 1.9 %
		{Exponential, change{flow{amount{}, amount{9, 2304}}, flow{amount{78, 19_968}, amount{12, 3072}}}, false}, // chance
		// 40 of 78, among 20,000 unicasts
		{Normalized, change{flow{amount{}, amount{5, 1280}}, flow{amount{78, 19_968}, amount{45, 11_520}}}, true},
		{Network, change{flow{amount{}, amount{10, 80}}, flow{amount{1000, 8000}, amount{110, 900}}}, true},
		{Node, change{flow{amount{}, amount{10, 80}}, flow{amount{1000, 8000}, amount{110, 900}}}, false},
	} {
		r := judged(few, c.multicasts)
		r.config.Arrivals = c.arrivals
		if r.grows(traffic.SaturatedShare) != c.want {
			t.Errorf("%s, %+v: grows %v", c.arrivals, c.multicasts, !c.want)
		}
	}
}

// change is a flow before and after the time that is judged.
type change struct{ before, after flow }

// judged is a run whose flows changed.
func judged(unicasts, multicasts change) *run {
	return &run{config: small(), judgement: judgement{before: flows{unicasts.before, multicasts.before}, after: flows{unicasts.after, multicasts.after}}}
}

// TestGrowthTwice: messages that become more in the measured time saturate a network only if they
// go on doing so.
func TestGrowthTwice(t *testing.T) {
	for _, c := range []struct {
		second int // multicasts under way at the end of the second time
		want   bool
	}{{230, true}, {105, false}} {
		r := &run{config: small(), generator: new(generator), judgement: judgement{last: true}}
		r.config.Arrivals = Normalized
		r.config.Batches, r.config.BatchMessages, r.config.WarmBatches = 10, 100, 0
		r.judgeFromNow()
		r.flows[toMany] = flow{amount{1000, 8000}, amount{100, 800}}
		r.generator.made = 1000
		if r.isSaturated(0) || !r.measured || !r.judging {
			t.Fatal("after the measured time there has to be a second one")
		}
		r.flows[toMany] = flow{amount{2000, 16_000}, amount{c.second, 8 * c.second}}
		r.generator.made = 2000
		if r.isSaturated(0) != c.want {
			t.Errorf("%d under way after 100: saturated %v", c.second, !c.want)
		}
	}
	r := &run{config: small(), generator: &generator{made: 2000}, owed: 1, judgement: judgement{measured: true, last: true}}
	r.config.Batches, r.config.BatchMessages = 10, 100
	if !r.isSaturated(0) || r.doubt {
		t.Error("a measured message that does not arrive is no saturation")
	}
}

// TestDoubt: what the measured time of normalized arrivals tells for sure, and what it leaves to
// longer batches.
func TestDoubt(t *testing.T) {
	flowing := func(messages, copies int) change { return change{after: flow{generated: amount{messages, copies}}} }
	enough := flowing(60, 600)
	for _, c := range []struct {
		what      string
		loads     []float64 // delivered in each batch, of 1
		multicast change
		growing   bool
		clear     bool
		short     bool // by the mean, in the last try
	}{
		{"carried", []float64{0.99, 1, 1.01, 1}, enough, false, true, false},
		{"far beyond", []float64{0.7, 0.71, 0.7, 0.69}, enough, true, true, true},
		{"near the limit", []float64{0.9, 0.91, 0.9, 0.89}, enough, false, false, true},
		{"uncertain", []float64{0.8, 1.1, 0.95, 1.05}, enough, false, false, false},
		{"growing", []float64{0.99, 1, 1.01, 1}, enough, true, false, false},
		{"growing a little", []float64{0.99, 1, 1.01, 1}, change{flow{amount{}, amount{10, 100}}, flow{amount{1500, 15_000}, amount{40, 400}}}, false, false, false},
		{"few multicasts", []float64{0.99, 1, 1.01, 1}, flowing(20, 2000), false, false, false},
		{"no multicasts", []float64{0.99, 1, 1.01, 1}, change{}, false, true, false},
	} {
		r := judged(enough, c.multicast)
		r.judging = c.growing
		r.config.Arrivals = Normalized
		for _, load := range c.loads {
			r.batches = append(r.batches, sums{load: load, offered: 1})
		}
		if r.clear() != c.clear || r.fallsShort() != c.short {
			t.Errorf("%s: clear %v, falls short %v", c.what, r.clear(), r.fallsShort())
		}
	}
}

// TestFallsShort: of exponential arrivals, less than 0.95 of the load that arises is saturation if
// the batches agree.
func TestFallsShort(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		loads, offered []float64
		want           bool
	}{
		{[]float64{0.180, 0.182, 0.181, 0.179}, []float64{0.2, 0.2, 0.2, 0.2}, true},
		{[]float64{0.15, 0.21, 0.18, 0.19}, []float64{0.2, 0.2, 0.2, 0.2}, false},
		{[]float64{0.180, 0.182, 0.181, 0.179}, []float64{0.18, 0.181, 0.182, 0.18}, false},
		{[]float64{nan, nan}, []float64{nan, nan}, false},
	} {
		r := &run{config: small()}
		r.config.Arrivals = Exponential
		for i, load := range c.loads {
			r.batches = append(r.batches, sums{load: load, offered: c.offered[i]})
		}
		if r.fallsShort() != c.want {
			t.Errorf("loads of %v of %v: falls short %v", c.loads, c.offered, r.fallsShort())
		}
	}
}

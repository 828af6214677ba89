package stress

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/csv"
)

// networks returns every network of the table of models.
func networks() []Network {
	var all []Network
	for _, m := range models.Table() {
		all = append(all, Network{Name: m.Name, New: func(s Shape) (noc.Network, error) {
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
			}
			o.Grid, o.Seed = topology.Torus(s.Columns, s.Rows), s.Seed
			return m.Build(o)
		}, FiniteSinks: m.FiniteSinks})
	}
	return all
}

// TestCases runs the first cases of the endless row: every protocol, every network.
func TestCases(t *testing.T) {
	cases := 60
	if testing.Short() {
		cases = 20
	}
	total := uint64(0)
	for k := range cases {
		c, err := Case(networks(), k).Sized(t.Context(), 40_000)
		if err != nil {
			t.Error(err)
			continue
		}
		c.Order = true
		r, err := Run(t.Context(), c, nil)
		if err != nil {
			t.Error(err)
		}
		total += r.Accesses()
	}
	t.Logf("%d cases, %d accesses", cases, total)
}

// A run depends on its configuration alone: again, and visiting every cycle, the same digest.
func TestRunsCanBeRepeated(t *testing.T) {
	for k := range 6 {
		c := Case(networks(), k)
		c.Accesses, c.Faults.Delay = 3000, 50
		var digests []uint64
		for i := range 3 {
			c.Chip.EveryCycle = i == 2
			r := must.Get(Run(t.Context(), c, nil))
			digests = append(digests, r.Digest)
		}
		if digests[0] != digests[1] || digests[0] != digests[2] {
			t.Errorf("%s: digests %x, again %x, visiting every cycle %x", c.Name, digests[0], digests[1], digests[2])
		}
	}
}

// faulty is a network that treats every third delivery of some classes badly.
type faulty struct {
	noc.Network
	low, high noc.Class
	copies    int // made of that delivery: 0 loses it
	count     int
	out       []noc.Delivery
}

func (f *faulty) Deliveries() []noc.Delivery {
	f.out = f.out[:0]
	for _, d := range f.Network.Deliveries() {
		n := 1
		if d.Class >= f.low && d.Class <= f.high {
			if f.count++; f.count%3 == 0 {
				n = f.copies
			}
		}
		for range n {
			f.out = append(f.out, d)
		}
	}
	return f.out
}

// A message that is lost or comes twice is found in either protocol, and shrinks to a program that
// a person can follow, whose text fails again.
func TestFaultsAreFoundAndShrink(t *testing.T) {
	for _, protocol := range cmp.Protocols {
		for _, copies := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s/%d", protocol.Name, copies), func(t *testing.T) {
				c := Case(networks(), 4)
				c.Chip.Protocol, c.Faults = protocol.Name, Faults{}
				// A delivery that comes twice frees a place in a finite interface twice, which
				// nothing could survive.
				c.Accesses, c.Chip.WatchdogCycles, c.Chip.InterfaceSlots = 2000, 20_000, 0
				sound := c.Network
				c.Network.New = func(s Shape) (noc.Network, error) {
					n, err := sound.New(s)
					return &faulty{Network: n, low: 4, high: 4, copies: copies}, err
				}
				_, err := Run(t.Context(), c, nil)
				var f *Failure
				if !errors.As(err, &f) {
					t.Fatalf("the run ends with %v", err)
				}
				s := must.Get(Shrink(t.Context(), f, 400))
				if s.Accesses() > 12 {
					t.Errorf("%d accesses remain", s.Accesses())
				}
				checkText(t, s)
			})
		}
	}
}

// checkText reads a scenario's text back and runs it.
func checkText(t *testing.T, s *Scenario) {
	t.Helper()
	var text bytes.Buffer
	must.Do(s.Write(&text))
	t.Log(text.String())
	from, to := filepath.Join(t.TempDir(), "scenario.csv"), filepath.Join(t.TempDir(), "scenario.trace")
	must.Do(os.WriteFile(from, text.Bytes(), 0o600))
	must.Get(csv.Import([]string{from}, traces.ImportConfig{Workload: "scenario"}, traces.ToFile(to, traces.DefaultWriterConfig())))
	src := must.Get(traces.Open(to, traces.DefaultReaderConfig()))
	defer src.Close()
	if _, err := s.Config.replay(t.Context(), src, nil, nil); err == nil {
		t.Error("the text does not fail again")
	}
}

// number reads an environment variable.
func number(t *testing.T, name string, fallback int) int {
	v := os.Getenv(name)
	if v == "" {
		return fallback
	}
	var n int
	if _, err := fmt.Sscan(v, &n); err != nil || n < 0 {
		t.Fatalf("%s is %q; a number from 0 on is allowed", name, v)
	}
	return n
}

// TestLong runs CAROUSEL_STRESS_CASES cases from number CAROUSEL_STRESS_FIRST on, of
// CAROUSEL_STRESS_WORK each (see Sized), and prints each one's figures: half an hour for a billion
// accesses. Runs of up to a million accesses are checked for an order that explains them.
func TestLong(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("set CAROUSEL_LONG=1 for a billion accesses")
	}
	first, cases, work := number(t, "CAROUSEL_STRESS_FIRST", 0), number(t, "CAROUSEL_STRESS_CASES", 600), number(t, "CAROUSEL_STRESS_WORK", 10_000_000)
	total := uint64(0)
	for k := first; k < first+cases; k++ {
		start := time.Now()
		c, err := Case(networks(), k).Sized(t.Context(), uint64(work))
		var r cmp.Result
		c.Order = c.Accesses <= 1_000_000
		if err == nil {
			r, err = Run(t.Context(), c, nil)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		total += r.Accesses()
		fmt.Printf("%s: %d accesses, %d cycles, %.0f k/s; misses %d, persistent %d, replays %d; total %d\n", c.Name, r.Accesses(), r.Cycles,
			float64(r.Accesses())/time.Since(start).Seconds()/1e3, r.L1Misses, r.Counter("persistent_requests"), r.Replays, total)
	}
}

// networksOfSwitches returns the models that work anywhere on networks that are no grids, with as
// many nodes as the shape has; one of each kind with a multicast scheme of its own.
func networksOfSwitches() []Network {
	var all []Network
	for _, c := range []struct{ router, network, scheme string }{
		{"wormhole", "lattice:%d:%d", "postorder-doubling"}, {"wormhole", "bimin:butterfly:%d:2", ""}, {"wormhole", "min:baseline:%d:2", "cmin"},
		{"wormhole-ideal", "lattice:%d:%d", ""}, {"wormhole-ideal", "bimin:butterfly:%d:2", "umin"}, {"wormhole-ideal", "min:baseline:%d:2", "random-doubling"},
		{"wormhole-ideal", "bimin:butterfly:%d:2", "atbm"}, {"ideal", "lattice:%d:%d", ""},
		{"wormhole", "full:%d", ""}, {"wormhole", "chiplets:%dx1:mesh:1x1", ""},
	} {
		m, err := models.Lookup(c.router)
		if err != nil {
			panic(err)
		}
		all = append(all, Network{Name: c.router + " " + c.scheme + " on " + c.network, New: func(s Shape) (noc.Network, error) {
			numbers := []any{s.Columns * s.Rows}
			if strings.HasPrefix(c.network, "lattice") {
				numbers = append(numbers, s.Seed%1000)
			}
			l, err := topology.Open(fmt.Sprintf(c.network, numbers...))
			if err != nil {
				return nil, err
			}
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
				o.Wormhole.BufferPhits, o.Wormhole.SourceQueue, o.WormholeIdeal.SourceQueue = 1, 1, 1
			}
			if o, err = o.WithLinks(l); err != nil {
				return nil, err
			}
			o.Seed, o.Scheme = s.Seed, c.scheme
			return m.Build(o)
		}, FiniteSinks: m.FiniteSinks})
	}
	return all
}

// TestCasesOnSwitches runs random programs on chips whose network has no coordinates: all protocols
// stay coherent, and everything ends.
func TestCasesOnSwitches(t *testing.T) {
	cases := 32
	if testing.Short() {
		cases = 16
	}
	used := map[string]int{}
	for k := range cases {
		c, err := Case(networksOfSwitches(), k).Sized(t.Context(), 20_000)
		if err != nil {
			t.Error(err)
			continue
		}
		c.Order = true
		used[c.Network.Name]++
		if _, err := Run(t.Context(), c, nil); err != nil {
			t.Error(err)
		}
	}
	if len(used) < 6 {
		t.Errorf("only %v", used)
	}
}

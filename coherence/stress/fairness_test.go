package stress

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

// With 16 cores on one block nobody waits for longer than the protocols' rules allow, on fast
// networks and on slow ones, whether persistent requests are the rule or the last resort.
func TestNobodyStarves(t *testing.T) {
	const each = 25
	for _, n := range networks() {
		if n.Name != "base" && n.Name != "mrr" && n.Name != "ideal" {
			continue
		}
		for _, v := range []struct {
			protocol string
			issues   int
			timeout  noc.Cycle
			delay    noc.Cycle
		}{{"token", 4, 512, 0}, {"token", 4, 50, 200}, {"token", 0, 512, 200}, {"directory", 0, 1, 0}, {"directory", 0, 1, 200}, {"msi", 0, 1, 0}, {"msi", 0, 1, 200}} {
			if v.delay > 0 && n.Name != "ideal" {
				continue // the delay decides, whatever the network
			}
			c := Contended(n, v.protocol, 16, each)
			c.Delay, c.Chip.Token.Issues, c.Chip.Token.Timeout = v.delay, v.issues, v.timeout
			c.Chip.Token.Adaptive = v.timeout == 512
			r, err := Run(t.Context(), c, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			x := &r.Result
			bound := boundOf(t, c, x)
			if x.LongestMiss > bound {
				t.Errorf("%s, %+v: a miss took %d cycles; the rules allow %d", c.Name, v, x.LongestMiss, bound)
			}
			if v.issues == 0 && v.protocol == "token" && x.Counter("persistent_requests") == 0 {
				t.Errorf("%s: no persistent requests", c.Name)
			}
			t.Logf("%s, %+v: longest miss %d of %d allowed, mean %d; %d of %d misses persistent", c.Name, v, x.LongestMiss, bound,
				x.MissLatencySum/max(1, x.MissCount), x.Counter("persistent_requests"), x.MissCount)
		}
	}
}

// The bound is one: a core that is forgotten waits for longer. A network that holds one core's
// messages back for ages stands for that.
func TestBoundIsExceededByUnfairness(t *testing.T) {
	for _, p := range cmp.Protocols {
		c := Contended(networks()[0], p.Name, 16, 6)
		sound := c.Network
		r, err := Run(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		bound := boundOf(t, c, &r.Result)
		c.Network.New = func(s Shape) (noc.Network, error) {
			n, err := sound.New(s)
			return NewDelay(n, 3*bound, 1), err
		}
		if r, err = Run(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		if r.Result.LongestMiss <= bound {
			t.Errorf("%s: with messages held back for up to %d cycles, no miss took more than %d", p.Name, 3*bound, bound)
		}
	}
}

func boundOf(t *testing.T, c Config, r *cmp.Result) noc.Cycle {
	t.Helper()
	bound, err := WaitBound(c, r)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

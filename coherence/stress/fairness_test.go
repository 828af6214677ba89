package stress

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
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
			c := contended(n, v.protocol, 16, each)
			c.Faults.Delay, c.Chip.Token.Issues, c.Chip.Token.Timeout = v.delay, v.issues, v.timeout
			c.Chip.Token.Adaptive = v.timeout == 512
			r, err := Run(t.Context(), c, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			x := &r
			bound := waitBound(t, c, x)
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
		c := contended(networks()[0], p.Name, 16, 6)
		sound := c.Network
		r, err := Run(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		bound := waitBound(t, c, &r)
		c.Network.New = func(s Shape) (noc.Network, error) {
			n, err := sound.New(s)
			return NewFaultInjector(n, Faults{Delay: 3 * bound}, 1), err
		}
		if r, err = Run(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		if r.LongestMiss <= bound {
			t.Errorf("%s: with messages held back for up to %d cycles, no miss took more than %d", p.Name, 3*bound, bound)
		}
	}
}

// contended returns the worst case of fairness: every core of a chip of 8x8 routers performs
// atomics on one block and nothing else, each as soon as the one before it has been performed.
func contended(n Network, protocol string, cores, accessesPerCore int) Config {
	c := Config{Name: fmt.Sprintf("%d cores on one block: %s on %s", cores, protocol, n.Name), Seed: 1, Network: n,
		Shape: Shape{Columns: 8, Rows: 8}, Chip: cmp.Default(), Accesses: uint64(cores * accessesPerCore)}
	c.Chip.Protocol, c.Chip.Cores, c.Chip.CheckEvery = protocol, cores, 64
	c.Chip.Token.AdaptiveHigh = 512 // the longer the wait for an answer, the less the bound says
	c.Mix = Mix{Blocks: 1, Stride: 1, Repeat: 1, Atomics: 100}
	return c
}

// controllers is the most cycles that the controllers on the way of one service add to its flights:
// an L1, a bank and a memory controller, each with up to two messages that it takes first.
const controllers = 24

// waitBound returns the number of cycles that no miss of a contended run may exceed, from the
// protocol's rules and from the longest flight of any message in the run. It counts the longest
// flight for every flight, and for token coherence every core twice, so that runs stay well below
// it.
func waitBound(t *testing.T, c Config, r *cmp.Result) noc.Cycle {
	t.Helper()
	cores, flight := noc.Cycle(c.Chip.Cores), noc.Cycle(0)
	for _, b := range r.Latency {
		flight = max(flight, noc.Cycle(b.High))
	}
	service := 3*flight + controllers
	memory := c.Chip.Memory.Latency + c.Chip.Perturb // the first service reads it
	switch c.Chip.Protocol {
	case "token":
		// A miss sends its transient requests in vain, each for a flight, a time-out and a random
		// delay, and then a persistent one. While its activation flies, every other core may be
		// served once without knowing of it; of those who know, each comes first once at most,
		// because who has been served marks the others and lets them go first. So there are 2(N-1)
		// services before its own, each an activation, the tokens and a deactivation.
		k, wait := c.Chip.Token, noc.Cycle(0)
		for again := range k.Issues {
			if k.Adaptive {
				wait += k.AdaptiveHigh << again
			} else {
				wait += k.Timeout + k.Jitter
			}
		}
		return wait + noc.Cycle(k.Issues)*flight + (2*(cores-1)+1)*service + memory
	case "directory":
		// A home serves the requests for a block in order of arrival, and every other core has one
		// before it at most. A request flies once; then each of up to N services is a forward, an
		// answer and an unblock.
		return flight + cores*service + memory
	case "msi":
		// As directory, but each service is an invalidation, its answer, the data and Done: four
		// flights.
		return flight + cores*(service+flight) + memory
	}
	t.Fatalf("no bound is known of protocol %s", c.Chip.Protocol)
	return 0
}

// Small histories with a known answer under either memory model. x and y are words of two blocks.
func TestOrderOfSmallHistories(t *testing.T) {
	const x, y = 0, 64
	ld := func(core int, record uint64, address, version uint64) cmp.Performed {
		return cmp.Performed{Core: core, Record: record, Access: traces.Record{Kind: traces.Load, Address: address}, Version: version}
	}
	access := func(kind traces.Kind) func(core int, record uint64, address, version uint64) cmp.Performed {
		return func(core int, record uint64, address, version uint64) cmp.Performed {
			p := ld(core, record, address, version)
			p.Access.Kind = kind
			return p
		}
	}
	st, at, fence := access(traces.Store), access(traces.Atomic), access(traces.Fence)
	from := func(core int, record uint64, address, store uint64) cmp.Performed {
		p := ld(core, record, address, 0)
		p.Forwarded, p.From = true, store
		return p
	}
	for _, h := range []struct {
		name    string
		tso, sc string // part of the complaint, "" when there must be none
		events  []cmp.Performed
	}{
		{"message passed", "", "", []cmp.Performed{st(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), ld(1, 1, x, 1)}},
		{"message lost", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"stores buffered", "", "no order", []cmp.Performed{st(0, 0, x, 1), ld(0, 1, y, 0), st(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"stores and fences", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), fence(0, 1, 0, 0), ld(0, 2, y, 0),
			st(1, 0, y, 1), fence(1, 1, 0, 0), ld(1, 2, x, 0)}},
		{"atomics", "no order", "no order", []cmp.Performed{at(0, 0, x, 1), ld(0, 1, y, 0), at(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"loads buffered", "no order", "no order", []cmp.Performed{ld(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), st(1, 1, x, 1)}},
		{"back in time", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), ld(1, 0, x, 1), ld(1, 1, x, 0)}},
		{"forwarded and kept", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), ld(0, 1, y, 1), from(0, 2, x, 0), st(1, 0, x, 2), st(1, 1, y, 1)}},
		{"forwarded in time", "", "no order", []cmp.Performed{st(0, 0, x, 2), from(0, 1, x, 0), ld(0, 2, y, 0), st(1, 0, y, 1), st(1, 1, x, 1), ld(1, 2, x, 1)}},
		{"own store to another word", "", "", []cmp.Performed{st(0, 0, y+8, 1), ld(0, 1, x, 1), ld(0, 2, y, 0), st(1, 0, x, 1), ld(1, 1, y, 1)}},
		{"made twice", "was written before", "was written before", []cmp.Performed{st(0, 0, x, 1), st(1, 0, x, 1)}},
		{"a gap", "never written", "never written", []cmp.Performed{st(0, 0, x, 2)}},
		{"out of thin air", "was never written", "was never written", []cmp.Performed{ld(0, 0, x, 3)}},
		{"from nowhere", "never become visible", "never become visible", []cmp.Performed{from(0, 1, x, 0)}},
	} {
		for sequential, want := range map[bool]string{false: h.tso, true: h.sc} {
			o := order{sequential: sequential}
			for _, e := range h.events {
				o.observe(e)
			}
			if err := o.check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, sequential %t: %v; want %q", h.name, sequential, err, want)
			}
		}
	}
}

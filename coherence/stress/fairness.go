package stress

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

// Contended is the worst case of fairness: every core of a chip of 8x8 routers performs atomics on one block
// and nothing else, each as soon as the one before it has been performed.
func Contended(n Network, protocol string, cores, accessesPerCore int) Config {
	c := Config{Name: fmt.Sprintf("%d cores on one block: %s on %s", cores, protocol, n.Name), Seed: 1, Network: n,
		Shape: Shape{Columns: 8, Rows: 8}, Chip: cmp.Default(), Accesses: uint64(cores * accessesPerCore)}
	c.Chip.Protocol, c.Chip.Cores, c.Chip.CheckEvery = protocol, cores, 64
	c.Mix = Mix{Blocks: 1, Stride: 1, Repeat: 1, Atomics: 100}
	return c
}

// controllers is the most cycles that the controllers on the way of one service add to its flights: an L1, a
// bank and a memory controller, each with up to two messages that it takes first.
const controllers = 24

// WaitBound is the number of cycles that no miss of a contended run may exceed, from the protocols' rules and
// from the longest flight F of any message in the run.
//
// Directory: a home serves the requests for a block in order of arrival, and every other core has one
// before it at most. A request flies once; then each of up to N services is a forward, an answer and an
// unblock, 3 F and what the controllers take; and the first of all reads memory.
//
// Token: a miss sends its transient requests in vain, each up to a time-out and its jitter, and then a
// persistent one. While its activation flies, every other core may be served once without knowing of it;
// of those who know, each comes first once at most, because who has been served marks the others and lets
// them go first. So there are 2(N-1) services before its own, each an activation, the tokens and a
// deactivation.
func WaitBound(c Config, r *cmp.Result) noc.Cycle {
	flight := noc.Cycle(0)
	for _, b := range r.Latency {
		flight = max(flight, noc.Cycle(b.High))
	}
	cores := noc.Cycle(c.Chip.Cores)
	memory := c.Chip.Memory.Latency + c.Chip.Perturb
	service := 3*flight + controllers
	if c.Chip.Protocol == "directory" {
		return flight + cores*service + memory
	}
	t := c.Chip.Token
	return noc.Cycle(t.Issues)*(t.Timeout+t.Jitter) + (2*(cores-1)+1)*service + memory
}

package stress

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

// Contended returns the worst case of fairness: every core of a chip of 8x8 routers performs
// atomics on one block and nothing else, each as soon as the one before it has been performed.
func Contended(n Network, protocol string, cores, accessesPerCore int) Config {
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

// WaitBound returns the number of cycles that no miss of a contended run may exceed, from the
// protocol's rules and from the longest flight of any message in the run.
func WaitBound(c Config, r *cmp.Result) (noc.Cycle, error) {
	protocol, err := cmp.LookupProtocol(c.Chip.Protocol)
	if err != nil {
		return 0, err
	}
	flight := noc.Cycle(0)
	for _, b := range r.Latency {
		flight = max(flight, noc.Cycle(b.High))
	}
	return protocol.WaitBound(c.Chip, coherence.Contention{Cores: c.Chip.Cores, Flight: flight, Service: 3*flight + controllers,
		Memory: c.Chip.Memory.Latency + c.Chip.Perturb}), nil
}

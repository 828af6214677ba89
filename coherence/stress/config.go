package stress

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

// Shape is what a network is to be like.
type Shape struct {
	Columns, Rows int    // a torus
	Tiny          bool   // with the smallest buffers that the network works with
	Seed          uint64 // of random choices inside routers
}

// Network is one kind of network, as the caller's table has it.
type Network struct {
	Name string
	New  func(Shape) (noc.Network, error)
	// FiniteSinks tells that a packet whose sink has room gets there although the sinks of lower
	// classes stay full. Only such networks are run with interfaces of finite size.
	FiniteSinks bool
}

// Mix says what the cores do. Percentages are of all accesses; what remains are loads.
type Mix struct {
	Blocks int // blocks in play
	Stride int // distance between them, in blocks: the number of banks puts them all into one bank
	// Repeat is the mean number of accesses that a core makes to one block, to different words of
	// it, before it turns to another one. The more, the more hits.
	Repeat                           int
	Stores, Atomics, Fetches, Fences int
	Gap                              int // most plain instructions between two accesses
}

// Config is one random run.
type Config struct {
	Name    string // for messages
	Seed    uint64
	Network Network
	Shape   Shape
	// Delay is the most cycles by which a delivery comes later than the network made it.
	Delay noc.Cycle
	// Faults block nodes and source queues of the network at random.
	Faults   Faults
	Chip     cmp.Config
	Mix      Mix
	Accesses uint64 // of all cores together
	// Order looks, at the end, for an order of all accesses that explains every value under the
	// chip's memory model. It takes some 200 bytes per access.
	Order bool
}

// maxOrdered bounds the accesses of a run whose order is looked for.
const maxOrdered = 10_000_000

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	for _, f := range []struct {
		key          string
		value, least int
	}{
		{"mix.blocks", c.Mix.Blocks, 1}, {"mix.stride", c.Mix.Stride, 1}, {"mix.repeat", c.Mix.Repeat, 1},
		{"mix.gap", c.Mix.Gap, 0}, {"mix.stores", c.Mix.Stores, 0}, {"mix.atomics", c.Mix.Atomics, 0},
		{"mix.fetches", c.Mix.Fetches, 0}, {"mix.fences", c.Mix.Fences, 0}, {"chip.cores", c.Chip.Cores, 1},
	} {
		if f.value < f.least {
			return fmt.Errorf("stress: %s is %d; at least %d is needed", f.key, f.value, f.least)
		}
	}
	if sum := c.Mix.Stores + c.Mix.Atomics + c.Mix.Fetches + c.Mix.Fences; sum > 100 {
		return fmt.Errorf("stress: mix.stores, atomics, fetches and fences are %d %% together; at most 100 %% is possible", sum)
	}
	if c.Chip.CheckEvery == 0 {
		return fmt.Errorf("stress: chip.check_every is 0, so nothing would be checked; 1 checks every cycle")
	}
	if c.Order && c.Accesses > maxOrdered {
		return fmt.Errorf("stress: accesses is %d; with order, at most %d are possible", c.Accesses, maxOrdered)
	}
	if c.Network.New == nil {
		return fmt.Errorf("stress: network %q cannot be built", c.Network.Name)
	}
	return c.Chip.Validate()
}

package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// mixedStreams has what the fast paths of a core's stages tell apart: loads and stores of all
// sizes, also across words, of private and of shared blocks, with dependences, plain instructions
// and other records between them.
func mixedStreams(cores, records int) [][]traces.Record {
	streams := make([][]traces.Record, cores)
	for c := range streams {
		r := random.Stream(uint64(c))
		for range records {
			v := r.Uint64()
			kind := [...]traces.Kind{traces.Load, traces.Load, traces.Load, traces.Store, traces.Store, traces.Store, traces.Fetch,
				traces.Atomic, traces.Fence}[[...]int{0, 1, 2, 3, 4, 5, 0, 3, int(v>>8) % 9}[v%9]]
			address := v >> 16 % 64 * 8
			if v>>24%8 > 0 {
				address = 1<<20 + uint64(c)<<16 + v>>16%256*8
			}
			x := traces.Record{Kind: kind, Address: address + v>>32%3*2, Size: uint8(v >> 36 % 4), Instructions: uint32(v >> 40 % 4)}
			if kind == traces.Load && v>>44%4 == 0 {
				x.Dependence = uint16(v >> 48 % 5)
			}
			streams[c] = append(streams[c], x)
		}
		streams[c] = append(streams[c], traces.Record{Kind: traces.End})
	}
	return streams
}

// A run in which cores have no hit path, or in which every access is checked or watched, takes no
// fast path in any stage, and gives the same.
func TestFastPathsChangeNothing(t *testing.T) {
	model, err := models.Lookup("ideal")
	if err != nil {
		t.Fatal(err)
	}
	run := func(sequential bool, edit func(*Config), prepare func(*System)) Result {
		network, err := model.Build(models.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		c := Default()
		c.Core.Width, c.Core.Window, c.Core.StoreBuffer, c.Core.LoadPorts = 3, 17, 3, 2
		c.Core.SequentialConsistency = sequential
		edit(&c)
		s, err := New(c, network, traces.NewMemory(mixedStreams(8, 1500), nil), 1)
		if err != nil {
			t.Fatal(err)
		}
		prepare(s)
		r, err := s.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, sequential := range []bool{false, true} {
		want := run(sequential, func(*Config) {}, func(*System) {})
		for name, got := range map[string]Result{
			"checked": run(sequential, func(c *Config) { c.CheckEvery = 1000 }, func(*System) {}),
			"watched": run(sequential, func(*Config) {}, func(s *System) { s.Watch(func(Performed) {}) }),
			"without hit path": run(sequential, func(*Config) {}, func(s *System) {
				for i := range s.cores {
					s.cores[i].hits = coherence.NoHitPath
				}
			}),
		} {
			if got.Digest != want.Digest || got.Cycles != want.Cycles || got.Instructions != want.Instructions || got.L1Hits != want.L1Hits {
				t.Errorf("%s, sequential %t: %d cycles, %d instructions, %d hits, digest %x; want %d, %d, %d, %x", name, sequential,
					got.Cycles, got.Instructions, got.L1Hits, got.Digest, want.Cycles, want.Instructions, want.L1Hits, want.Digest)
			}
			for i := range want.Cores {
				if got.Cores[i] != want.Cores[i] {
					t.Errorf("%s, sequential %t: core %d has %+v, want %+v", name, sequential, i, got.Cores[i], want.Cores[i])
				}
			}
		}
	}
}

// Loads issue in the cycle after they enter, as many per cycle as there are ports.
func TestLoadsIssueThroughPorts(t *testing.T) {
	var records []traces.Record
	for i := range uint64(8) {
		records = append(records, access(traces.Load, 64*i, 1))
	}
	for _, ports := range []int{1, 2, 4, 8} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Width, c.Core.LoadPorts = 8, ports }, one(append(records, end(0))...))
		if want := noc.Cycle(1 + 8/ports); r.Cycles != want {
			t.Errorf("%d ports: 8 hits took %d cycles, want %d", ports, r.Cycles, want)
		}
	}
}

// Records with plain instructions before them enter at the core's width.
func TestRecordsEnterAtTheCoresWidth(t *testing.T) {
	var records []traces.Record
	for i := range uint64(12) {
		records = append(records, access(traces.Load, 64*i, [...]uint32{3, 1, 1}[i%3]))
	}
	for width, want := range map[int]noc.Cycle{2: 11, 3: 8, 4: 6, 7: 4} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Width, c.Core.LoadPorts = width, width }, one(append(records, end(0))...))
		if r.Cycles != want || r.Instructions != 20 {
			t.Errorf("%d instructions at %d per cycle took %d cycles, want %d: the last enters, issues and retires", r.Instructions, width, r.Cycles, want)
		}
	}
}

// An instruction whose fetch has a record of its own is counted with its access.
func TestFetchedInstructionsAreCountedOnce(t *testing.T) {
	r, _ := replay(t, hits, func(c *Config) { c.Core.Width = 2 },
		one(access(traces.Fetch, 640, 3), access(traces.Load, 64, 0), access(traces.Load, 128, 1), end(0)))
	if r.Instructions != 4 || r.Cycles != 3 {
		t.Errorf("%d instructions in %d cycles, want 4 in 3: 3 up to the fetched one, whose load is the first, and the second load's",
			r.Instructions, r.Cycles)
	}
}

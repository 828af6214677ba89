package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// endless gives every core the same records for ever, without allocating.
type endless struct {
	records [][]traces.Record
	at      []int
}

func (e *endless) Cores() int { return len(e.records) }
func (e *endless) ReadRecords(core int, into []traces.Record) (int, error) {
	for i := range into {
		into[i] = e.records[core][e.at[core]]
		if e.at[core]++; e.at[core] == len(e.records[core]) {
			e.at[core] = 0
		}
	}
	return len(into), nil
}
func (e *endless) ReadEdges(int, []traces.Edge) (int, error) { return 0, nil }

// busyStreams walks each core through private and shared blocks, so that misses, upgrades,
// evictions and migrations all go on for ever.
func busyStreams(cores int) *endless {
	e := &endless{at: make([]int, cores)}
	for c := range cores {
		r := random.Stream(uint64(c))
		var s []traces.Record
		for range 5000 {
			v := r.Uint64()
			block := v >> 8 % 200
			if v%16 > 0 {
				block = 4096 + uint64(c)*4096 + v>>8%600
			}
			k := [...]traces.Kind{traces.Load, traces.Load, traces.Load, traces.Store, traces.Fetch, traces.Atomic}[v>>32%6]
			s = append(s, traces.Record{Kind: k, Address: block*64 + v>>40%8*8, Size: 3, Instructions: uint32(v >> 48 % 5)})
		}
		e.records = append(e.records, s)
	}
	return e
}

// TestNoAllocationPerCycle: after warm-up neither the chip nor its network allocates, with any
// protocol, on networks that replicate in three ways. The conformance suite asks the same of every
// network alone.
func TestNoAllocationPerCycle(t *testing.T) {
	check := func(network, protocol string) {
		m, err := models.Lookup(network)
		if err != nil {
			t.Fatal(err)
		}
		allocatesNothing(t, m, protocol)
	}
	for _, p := range Protocols {
		check("mrr", p.Name)
	}
	check("base", Protocols[0].Name)
	check("wormhole", Protocols[0].Name)
}

func allocatesNothing(t *testing.T, m models.Model, protocol string) {
	t.Helper()
	network, err := m.Build(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Protocol = protocol
	c.EpochCycles = 1 << 40 // the table of epochs grows with the run by design
	c.AuditEvery = 0        // an audit gathers all lines anew
	s, err := New(c, network, busyStreams(16), 1)
	if err != nil {
		t.Fatal(err)
	}
	const warmup, cycles = 120_000, 1_000
	for range warmup {
		s.cycle()
	}
	if got := testing.AllocsPerRun(3, func() {
		for range cycles {
			s.cycle()
		}
	}); got >= 1 {
		t.Errorf("%s, %s: %.1f allocations in %d cycles", m.Name, protocol, got, cycles)
	}
	if s.failure != nil {
		t.Errorf("%s, %s: %v", m.Name, protocol, s.failure)
	}
}

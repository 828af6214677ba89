package profile

import (
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// use is what a core does with a block.
type use struct{ read, written, readFirst bool }

// plain counts with maps.
func plain(t tracetest.Trace) *Profile {
	p := &Profile{Degree: make([]uint64, len(t.Records)+1)}
	uses, accesses := map[uint64]map[int]*use{}, map[uint64]uint64{}
	for core, records := range t.Records {
		for _, r := range records {
			if !r.Kind.IsAccess() {
				continue
			}
			p.Sizes[r.Kind][r.Size]++
			if r.Dependence != 0 {
				p.Dependent++
			}
			block := r.Address / 64
			if r.Kind == traces.Fetch {
				continue
			}
			accesses[block]++
			if uses[block] == nil {
				uses[block] = map[int]*use{}
			}
			u := uses[block][core]
			if u == nil {
				u = &use{readFirst: r.Kind != traces.Store}
				uses[block][core] = u
			}
			u.read, u.written = u.read || r.Kind != traces.Store, u.written || r.Kind != traces.Load
		}
	}
	for block, by := range uses {
		class := plainClass(by)
		p.Blocks[class]++
		p.Accesses[class] += accesses[block]
		p.Degree[len(by)]++
	}
	for len(p.Degree) > 2 && p.Degree[len(p.Degree)-1] == 0 {
		p.Degree = p.Degree[:len(p.Degree)-1]
	}
	return p
}

// plainClass tells how the cores that use a block share it.
func plainClass(by map[int]*use) Class {
	written, migrates := false, true
	for _, u := range by {
		written, migrates = written || u.written, migrates && u.readFirst && u.written
	}
	switch {
	case len(by) == 1:
		return Private
	case !written:
		return ReadShared
	case migrates:
		return Migratory
	}
	return WriteShared
}

func TestProfileEqualsMaps(t *testing.T) {
	seen := [Classes]uint64{}
	for seed := range uint64(6) {
		trace := tracetest.Random(seed, 1+int(seed), 1500)
		for _, records := range trace.Records { // fewer blocks, so that all classes come up
			for i := range records {
				if records[i].Kind.IsAccess() {
					records[i].Address %= 1 << 13
				}
			}
		}
		want := plain(trace)
		for _, workers := range []int{1, 3} {
			got, err := Of(tracetest.Open(t, tracetest.Write(t, trace)), workers)
			if got != nil {
				got.Hot = nil // see TestKnownProgram
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %d workers: %v\n%+v\nwant\n%+v", seed, workers, err, got, want)
			}
		}
		for c := range seen {
			seen[c] += want.Blocks[c]
		}
	}
	for c, n := range seen {
		if n == 0 && Class(c) != ReadShared {
			t.Errorf("no block is %s", Class(c))
		}
	}
}

// TestKnownProgram: four cores walk over an array of 32 blocks twice, add to one counter, and read
// one table.
func TestKnownProgram(t *testing.T) {
	trace := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 4)}
	for core := range uint64(4) {
		var records []traces.Record
		for i := range uint64(64) {
			records = append(records, traces.Record{Kind: traces.Store, Address: core<<16 + i%32*64, Size: 3, Instructions: 2})
		}
		records = append(records, traces.Record{Address: 1 << 20, Size: 2}, traces.Record{Kind: traces.Store, Address: 1 << 20, Size: 2},
			traces.Record{Address: 1 << 21, Size: 6}, traces.Record{Kind: traces.Store, Address: 1<<22 + core*8, Size: 3}, traces.Record{Kind: traces.End})
		trace.Records = append(trace.Records, records)
	}
	p, err := Of(tracetest.Open(t, tracetest.Write(t, trace)), 2)
	if err != nil {
		t.Fatal(err)
	}
	if p.Blocks != [Classes]uint64{128, 1, 1, 1} || p.Accesses != [Classes]uint64{256, 4, 8, 4} || !slices.Equal(p.Degree, []uint64{0, 128, 0, 0, 3}) {
		t.Errorf("%+v", p)
	}
	// The counter is shared truly; of the last block each core writes a word of its own.
	if len(p.Hot) != 2 || p.Hot[0].Block != 1<<20/64 || p.Hot[0].Accesses != 8 || p.Hot[0].FalseSharing() || !p.Hot[1].FalseSharing() ||
		len(p.Hot[1].Cores) != 4 || p.Hot[1].Cores[2] != (HotCore{Core: 2, Written: 0xff << 16}) || p.Hot[0].Cores[3].Read != 0xf {
		t.Errorf("hot blocks %+v", p.Hot)
	}
}

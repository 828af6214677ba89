package inspect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// use is what a core does with a block.
type use struct{ read, written, readFirst bool }

// plain counts with maps.
func plain(t tracetest.Trace) (d Description, sharing []Sharing, degree map[int]uint64) {
	sharing, degree = []Sharing{{Class: "private"}, {Class: "read-shared"}, {Class: "migratory"}, {Class: "write-shared"}}, map[int]uint64{}
	uses, accesses := map[uint64]map[int]*use{}, map[uint64]uint64{}
	touched, pages := map[uint64]bool{}, map[uint64]bool{}
	for core, records := range t.Records {
		for _, r := range records {
			block := r.Address / 64
			if r.Kind.IsAccess() {
				touched[block], pages[r.Address/4096] = true, true
			}
			if r.Kind >= traces.Fetch {
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
		written, migrates := false, true
		for _, u := range by {
			written, migrates = written || u.written, migrates && u.readFirst && u.written
		}
		if len(by) > 1 {
			d.SharedLines++
			if written {
				d.WrittenSharedLines++
			}
		}
		class := 3
		switch {
		case len(by) == 1:
			class = 0
		case !written:
			class = 1
		case migrates:
			class = 2
		}
		sharing[class].Blocks++
		sharing[class].Accesses += accesses[block]
		degree[len(by)]++
	}
	d.FootprintBytes, d.FootprintPages = 64*uint64(len(touched)), uint64(len(pages))
	return d, sharing, degree
}

func TestSharingEqualsMaps(t *testing.T) {
	seen := [4]uint64{}
	for seed := range uint64(6) {
		trace := tracetest.Random(seed, 1+int(seed), 1500)
		for _, records := range trace.Records { // fewer blocks, so that all classes come up
			for i := range records {
				if records[i].Kind.IsAccess() {
					records[i].Address %= 1 << 13
				}
			}
		}
		want, sharing, degree := plain(trace)
		for _, jobs := range []int{1, 3} {
			d := must.Get(Of("x", tracetest.Open(t, tracetest.Write(trace)), false, jobs))
			got := d.Behaviour
			if !reflect.DeepEqual(got.Sharing, sharing) {
				t.Fatalf("seed %d, %d jobs:\n%+v\nwant\n%+v", seed, jobs, got.Sharing, sharing)
			}
			if d.FootprintBytes != want.FootprintBytes || d.FootprintPages != want.FootprintPages || d.SharedLines != want.SharedLines ||
				d.WrittenSharedLines != want.WrittenSharedLines {
				t.Errorf("seed %d: %+v\nwant\n%+v", seed, d, want)
			}
			for i, n := range got.BlocksByCores {
				if n != degree[i+1] {
					t.Errorf("seed %d: %d blocks of %d cores, want %d", seed, n, i+1, degree[i+1])
				}
			}
		}
		for c := range seen {
			seen[c] += sharing[c].Blocks
		}
	}
	if seen[private] == 0 || seen[migratory] == 0 || seen[writeShared] == 0 {
		t.Errorf("blocks by class: %v", seen)
	}
}

// TestKnownProgram: four cores walk over an array of 32 blocks twice, add to one counter, read one
// table, and write a word each of one block, which is false sharing. Variables are named if cores use
// some of their bytes, wherever their pages lie.
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
	trace.Pages = [][]traces.Page{{{Virtual: 9, Frame: 1 << 22 >> 12}, {Virtual: 7, Frame: 1 << 20 >> 12}}}
	trace.Metadata.Symbols = []traces.Symbol{{Name: "before", Address: 7<<12 - 8, Bytes: 8}, {Name: "counter", Address: 7 << 12, Bytes: 4},
		{Name: "unused", Address: 7<<12 + 4, Bytes: 60}, {Name: "slots", Address: 9<<12 - 100, Bytes: 300}, {Name: "after", Address: 9<<12 + 200, Bytes: 8}}
	file := tracetest.Open(t, tracetest.Write(trace))
	d := must.Get(Of("x", file, false, 2))
	four, perInstruction, stores := 4.0, 272.0/512, 264.0/272
	want := &Behaviour{
		Sharing:       []Sharing{{"private", 128, 256}, {"read-shared", 1, 4}, {"migratory", 1, 8}, {"write-shared", 1, 4}},
		BlocksByCores: []uint64{128, 0, 0, 3}, MeanDegree: &four, AccessesPerInstruction: &perInstruction, StoreShare: &stores,
		Sizes: []Size{{4, 4, 4, 0}, {8, 0, 260, 0}, {64, 4, 0, 0}},
		HotBlocks: []HotBlock{
			{Address: 1 << 20, Symbols: []string{"counter"}, Accesses: 8, Cores: 4, Readers: 4, Writers: 4, CoreList: []int{0, 1, 2, 3},
				BytesRead: []uint64{0xf, 0xf, 0xf, 0xf}, BytesWritten: []uint64{0xf, 0xf, 0xf, 0xf}},
			{Address: 1 << 22, Symbols: []string{"slots"}, Accesses: 4, Cores: 4, Writers: 4, FalseSharing: true, CoreList: []int{0, 1, 2, 3},
				BytesRead: []uint64{0, 0, 0, 0}, BytesWritten: []uint64{0xff, 0xff << 8, 0xff << 16, 0xff << 24}},
		},
	}
	if !reflect.DeepEqual(d.Behaviour, want) {
		t.Errorf("%+v\nwant\n%+v", d.Behaviour, want)
	}
}

// TestMachinesGiveNoTickets: a description says that older recordings of machines have no tickets.
func TestMachinesGiveNoTickets(t *testing.T) {
	for addresses, said := range map[string]bool{"physical": true, "mapped": false, "physical, may have some": false} {
		trace := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{{{Kind: traces.End}}}}
		trace.Metadata.Addresses, _, trace.Metadata.Tickets = strings.Cut(addresses, ", ")
		d := must.Get(Of("x", tracetest.Open(t, tracetest.Write(trace)), true, 1))
		if strings.HasPrefix(d.TicketsIn, "none") != said {
			t.Errorf("addresses %s: %q", addresses, d.TicketsIn)
		}
	}
}

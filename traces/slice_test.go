package traces_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func sliced(t *testing.T, from tracetest.Trace, c traces.SliceConfig) (tracetest.Trace, traces.Imported) {
	t.Helper()
	var out bytes.Buffer
	done, err := traces.Slice(tracetest.Open(t, tracetest.Write(t, from)), c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	if err != nil {
		t.Fatal(err)
	}
	return tracetest.Read(t, out.Bytes()), done
}

func TestSliceOfAllIsTheTrace(t *testing.T) {
	for seed := range uint64(4) {
		want := tracetest.Random(seed, 1+int(seed), 700)
		want.Pages = [][]traces.Page{{{Virtual: 3, Frame: 4}}}
		got, _ := sliced(t, want, traces.SliceConfig{})
		if !reflect.DeepEqual(got.Records, want.Records) || !reflect.DeepEqual(got.Edges, want.Edges) || !reflect.DeepEqual(got.Pages[0], want.Pages[0]) {
			t.Errorf("seed %d: the trace has changed", seed)
		}
	}
}

// windowed counts what of a core is within a slice: accesses that are kept, their old positions,
// and instructions.
func windowed(records []traces.Record, c traces.SliceConfig) (accesses []traces.Record, positions []uint64, instructions uint64) {
	executed := uint64(0)
	for position, r := range records {
		executed += uint64(r.Instructions)
		p := uint64(position)
		if p < c.First || c.Last != 0 && p > c.Last || executed <= c.FromInstruction && c.FromInstruction > 0 || c.ToInstruction != 0 && executed > c.ToInstruction {
			continue
		}
		instructions += uint64(r.Instructions)
		if r.Kind.IsAccess() {
			accesses, positions = append(accesses, r), append(positions, p)
		}
	}
	if c.ToInstruction != 0 || c.FromInstruction != 0 {
		instructions = executed
		if c.ToInstruction != 0 {
			instructions = min(instructions, c.ToInstruction)
		}
		instructions -= min(instructions, c.FromInstruction)
	}
	return accesses, positions, instructions
}

// TestSlices: what is kept can be replayed (Read verifies it), is what a count by hand keeps, and
// has all edges between accesses that are kept.
func TestSlices(t *testing.T) {
	for i, c := range []traces.SliceConfig{
		{Range: traces.Range{First: 20, Last: 120}}, {Range: traces.Range{FromInstruction: 100, ToInstruction: 250}},
		{Range: traces.Range{FromInstruction: 33}}, {Cores: []int{1, 3}}, {Cores: []int{0}, Range: traces.Range{Last: 100}},
		{Range: traces.Range{First: 50}, Cores: []int{0, 1, 2}},
		{Range: traces.Range{FromInstruction: 1 << 40}},
	} {
		for seed := range uint64(5) {
			from := tracetest.Random(seed, 4, 900)
			got, done := sliced(t, from, c)
			cores := c.Cores
			if cores == nil {
				cores = []int{0, 1, 2, 3}
			}
			places := make([]map[uint64]uint64, 4) // new position by old one
			for n, core := range cores {
				want, positions, instructions := windowed(from.Records[core], c)
				places[core] = map[uint64]uint64{}
				at, sum := 0, uint64(0)
				for p, r := range got.Records[n] {
					sum += uint64(r.Instructions)
					if !r.Kind.IsAccess() {
						continue
					}
					if at == len(want) || r.Address != want[at].Address || r.Kind != want[at].Kind || r.Size != want[at].Size {
						t.Fatalf("slice %d, seed %d, core %d: access %d is %+v", i, seed, core, at, r)
					}
					places[core][positions[at]] = uint64(p)
					at++
				}
				if at != len(want) || sum != instructions || done.Totals[n].Instructions != sum {
					t.Errorf("slice %d, seed %d, core %d: %d accesses of %d, %d instructions, want %d", i, seed, core, at, len(want), sum, instructions)
				}
			}
			for _, core := range cores {
				for _, e := range from.Edges[core] {
					a, ok := places[core][e.At]
					if b, also := places[e.Producer][e.Position]; ok && also {
						moved := traces.Edge{At: a, Producer: uint16(slices.Index(cores, int(e.Producer))), Position: b}
						if !slices.Contains(got.Edges[slices.Index(cores, core)], moved) {
							t.Errorf("slice %d, seed %d: edge %+v of core %d is missing", i, seed, e, core)
						}
					}
				}
			}
		}
	}
}

// TestSliceByHand fixes the rules for locks, barriers, dependences and edges.
func TestSliceByHand(t *testing.T) {
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 3), Records: [][]traces.Record{
		{
			{Kind: traces.Lock, Address: 1, Instructions: 1}, {Address: 0, Instructions: 2}, {Kind: traces.Unlock, Address: 1},
			{Address: 0x1000, Instructions: 3, Dependence: 1}, {Kind: traces.Store, Address: 0, Instructions: 4}, {Kind: traces.Barrier, Address: 9, Count: 3, Instructions: 1},
			{Kind: traces.Lock, Address: 2}, {Address: 8, Instructions: 1, Dependence: 3}, {Kind: traces.Unlock, Address: 2}, {Kind: traces.End, Instructions: 7},
		},
		{{Kind: traces.Store, Address: 0x40, Instructions: 1}, {Kind: traces.Barrier, Address: 9, Count: 3}, {Address: 0x40, Instructions: 1}, {Kind: traces.End}},
		{{Kind: traces.Barrier, Address: 9, Count: 3}, {Kind: traces.End}},
	}, Edges: [][]traces.Edge{{{At: 3, Producer: 1, Position: 0}}, {{At: 2, Producer: 0, Position: 3}}, nil}}
	got, done := sliced(t, from, traces.SliceConfig{Range: traces.Range{First: 1, Last: 7}, Cores: []int{0, 1}})
	want := [][]traces.Record{
		{{Address: 0, Instructions: 2}, {Address: 0x1000, Instructions: 3, Dependence: 1}, {Kind: traces.Store, Address: 0, Instructions: 4}, {Kind: traces.Barrier, Address: 9, Count: 2, Instructions: 1},
			{Kind: traces.Lock, Address: 2}, {Address: 8, Instructions: 1, Dependence: 3}, {Kind: traces.Unlock, Address: 2}, {Kind: traces.End}},
		{{Kind: traces.Barrier, Address: 9, Count: 2}, {Address: 0x40, Instructions: 1}, {Kind: traces.End}},
	}
	if !reflect.DeepEqual(got.Records, want) {
		t.Errorf("%+v\nwant\n%+v", got.Records, want)
	}
	// The store of core 1 is before its window.
	if len(got.Edges[0]) != 0 || !reflect.DeepEqual(got.Edges[1], []traces.Edge{{At: 1, Producer: 0, Position: 1}}) {
		t.Errorf("%+v", got.Edges)
	}
	for _, n := range done.Input {
		if want := map[string]uint64{"edges left out": 1, "unlocks left out": 1, "unlocks added at the end": 1}[n.Name]; n.N != want {
			t.Errorf("%s: %d, want %d", n.Name, n.N, want)
		}
	}
	for _, c := range []traces.SliceConfig{{Cores: []int{3}}, {Cores: []int{1, 1}}, {Range: traces.Range{First: 2, Last: 1}}} {
		if c.Validate(3) == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

package traces_test

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestSeek compares with counting, at every instruction and record of traces whose blocks are
// small.
func TestSeek(t *testing.T) {
	trace := tracetest.Random(5, 2, 500)
	f := tracetest.Open(t, tracetest.Write(t, trace))
	for core, records := range trace.Records {
		sum, at := uint64(0), 0
		total := uint64(0)
		for _, r := range records {
			total += uint64(r.Instructions)
		}
		for n := range total + 2 {
			for at < len(records) && sum+uint64(records[at].Instructions) <= n {
				sum += uint64(records[at].Instructions)
				at++
			}
			position, executed, err := f.SeekInstruction(core, n)
			if err != nil || position != uint64(at) || executed != sum {
				t.Fatalf("core %d, instruction %d: record %d after %d, %v; want %d after %d", core, n, position, executed, err, at, sum)
			}
			check(t, f, core, records[at:])
		}
		for at := range len(records) + 1 {
			if err := f.SeekRecord(core, uint64(at)); err != nil {
				t.Fatal(err)
			}
			check(t, f, core, records[at:])
		}
		if err := f.SeekRecord(core, 1<<40); err != nil {
			t.Fatal(err)
		}
		check(t, f, core, nil)
	}
	if _, _, err := f.SeekInstruction(2, 0); !errors.Is(err, traces.ErrMissingStream) {
		t.Error(err)
	}
}

// check reads the next record.
func check(t *testing.T, f *traces.File, core int, want []traces.Record) {
	t.Helper()
	var one [1]traces.Record
	n, err := f.ReadRecords(core, one[:])
	if len(want) == 0 && (n != 0 || err != io.EOF) || len(want) > 0 && (n != 1 || one[0] != want[0]) {
		t.Fatalf("%d records, %+v, %v", n, one, err)
	}
}

// TestWindow: a source that seeks gives the same part as one that does not.
func TestWindow(t *testing.T) {
	trace := tracetest.Random(6, 3, 900)
	file := tracetest.Write(t, trace)
	for _, w := range []traces.Range{{}, {First: 100}, {First: 3, Last: 90}, {FromInstruction: 77}, {FromInstruction: 77, ToInstruction: 200},
		{ToInstruction: 50}, {First: 40, ToInstruction: 300}, {First: 40, FromInstruction: 10, Last: 60}, {First: 1 << 30}} {
		type seen struct {
			position, executed uint64
			record             traces.Record
			after              []traces.Edge
		}
		list := func(s traces.Source) (all []seen) {
			for core := range s.Cores() {
				err := w.Each(s, core, func(position, executed uint64, r *traces.Record, after []traces.Edge) error {
					if w.First > 0 && w.FromInstruction == 0 && w.ToInstruction == 0 {
						executed = 0 // not counted by a source that seeks a record
					}
					all = append(all, seen{position, executed, *r, append([]traces.Edge(nil), after...)})
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			return all
		}
		got, want := list(tracetest.Open(t, file)), list(traces.NewMemory(trace.Records, trace.Edges))
		if !reflect.DeepEqual(got, want) || len(want) == 0 && w.First != 1<<30 {
			t.Errorf("%+v: %d records, want %d", w, len(got), len(want))
		}
	}
	for _, w := range []traces.Range{{First: 2, Last: 1}, {FromInstruction: 2, ToInstruction: 2}} {
		if w.Validate() == nil {
			t.Errorf("%+v is accepted", w)
		}
	}
}

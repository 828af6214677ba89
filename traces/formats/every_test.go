package formats

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/csv"
	"github.com/carousel-sim/carousel/traces/sample"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// everyKind is a trace with records of every kind and with every meaning of their counts, whose tickets a replay
// gives out.
func everyKind(t *testing.T, addresses string) ([]byte, tracetest.Trace, [][]uint64) {
	t.Helper()
	const cores = 4
	trace, n := tracetest.Random(3, cores, 4000), [traces.Kinds]int{}
	for core, records := range trace.Records {
		for i := range records {
			r := &records[i]
			n[r.Kind]++
			switch r.Kind {
			case traces.Load:
				r.Count = []uint16{0, traces.Polls, traces.Tries}[n[traces.Load]%3]
			case traces.Atomic:
				r.Count = traces.TicketCount(uint64(n[traces.Atomic]))
			case traces.Fence:
				r.Count = uint16(n[traces.Fence] % (traces.Halts + 1))
			case traces.Join:
				r.Count = uint16(n[traces.Join] % (traces.ByEdge + 1))
			case traces.End:
				r.Count, r.Address = traces.AwaitsThreads+uint16(core)%traces.AwaitsOrder, uint64((core+1)%cores)
			}
		}
	}
	if slices.Contains(n[:], 0) {
		t.Fatalf("a kind of records is missing: %v", n)
	}
	trace.Metadata.Tickets, trace.Metadata.Tries, trace.Metadata.Addresses = true, true, addresses
	own := [][]uint64{{64, 128}, {192, 0}, {256, 320}, {384, 448}}
	var out bytes.Buffer
	w := must.Get(traces.NewWriter(&out, trace.Metadata, traces.DefaultWriterConfig()))
	must.Do(traces.Copy(w, trace.Source().WithTickets(own)))
	must.Do(w.Close())
	return out.Bytes(), trace, own
}

// TestNothingIsLost: what an export writes, an import reads back, with tickets, attempts, polls, halts, what ends wait
// for, and where addresses are from. A slice and windows keep the records, and tell that replays of a part do not give
// out tickets.
func TestNothingIsLost(t *testing.T) {
	for _, addresses := range []string{"synthetic", "mapped", "physical"} {
		file, want, own := everyKind(t, addresses)
		f := tracetest.Open(t, file)
		var text bytes.Buffer
		must.Do(csv.Export(&text, f, f.Metadata()))
		again, _, err := tracetest.Import(t, csv.Import, traces.ImportConfig{Workload: "x"}, text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got, back := tracetest.Read(t, again), tracetest.Open(t, again)
		lines, gives := back.Tickets()
		if m := got.Metadata; m.Addresses != addresses || !m.Tickets || !m.Tries || !gives || !reflect.DeepEqual(lines, own) {
			t.Errorf("%+v, tickets are given out: %v, own lines %v", m, gives, lines)
		}
		if !reflect.DeepEqual(got.Records, want.Records) || !reflect.DeepEqual(got.Edges, want.Edges) {
			t.Error("records or edges differ after export and import")
		}
	}
	file, want, _ := everyKind(t, "mapped")
	parts := map[string]func(f *traces.File, to traces.Destination) (traces.Imported, error){
		"slice": func(f *traces.File, to traces.Destination) (traces.Imported, error) {
			return traces.Slice(f, traces.SliceConfig{Range: traces.Range{FromInstruction: 300, ToInstruction: 900}}, to)
		},
		"sample": func(f *traces.File, to traces.Destination) (traces.Imported, error) {
			c := sample.DefaultConfig()
			c.Windows, c.Records = 2, 300
			return sample.Draw(f, c, to)
		},
	}
	for name, part := range parts {
		var out bytes.Buffer
		done := must.Get(part(tracetest.Open(t, file), traces.ToStream(&out, traces.DefaultWriterConfig())))
		sum := traces.Survey{Totals: done.Totals}.Sum()
		if m := done.Metadata; sum.Polls == 0 || sum.Tries == 0 || sum.Tickets == 0 || !m.Tickets || !m.Tries || m.Addresses != want.Metadata.Addresses {
			t.Errorf("%s: %+v, %+v", name, sum, m)
		}
		kept := slices.IndexFunc(done.Input, func(c traces.Count) bool { return strings.HasPrefix(c.Name, "tickets that ") })
		before := slices.IndexFunc(done.Input, func(c traces.Count) bool { return strings.HasPrefix(c.Name, "dependences on records before") })
		if before < 0 || name == "slice" && done.Input[before].N == 0 {
			t.Errorf("%s does not tell that dependences are lost: %v", name, done.Input)
		}
		if kept < 0 || done.Input[kept].N != sum.Tickets {
			t.Errorf("%s does not tell that %d tickets stay with their cores: %v", name, sum.Tickets, done.Input)
		}
	}
}

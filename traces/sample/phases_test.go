package sample_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// phases is a program of cores that meet after pieces of very unequal length.
func phases(cores, meetings int) tracetest.Trace {
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", cores), Edges: make([][]traces.Edge, cores)}
	for core := range cores {
		var records []traces.Record
		for i := range meetings {
			for j := range 20 * (1 + i%7) * (1 + (core+i)%2) {
				records = append(records, traces.Record{Address: uint64(core)<<16 + uint64(j%8)*8, Size: 3, Instructions: 4})
			}
			records = append(records, traces.Record{Kind: traces.Barrier, Count: uint16(cores)})
		}
		from.Records = append(from.Records, append(records, traces.Record{Kind: traces.End}))
	}
	return from
}

// TestWindowsLieBetweenBarriers: where all cores meet, a window is a whole number of intervals, at
// least as long as asked for. Over many seeds each interval is drawn about as often as any other,
// and every window lies in a part of its own.
func TestWindowsLieBetweenBarriers(t *testing.T) {
	const cores, meetings, windows, seeds = 3, 71, 10, 20
	from := phases(cores, meetings)
	begins := map[uint64]int{}
	for seed := range uint64(seeds) {
		f, _ := draw(t, from, small(windows, 30, seed))
		for w, origin := range f.Metadata().Windows {
			begins[origin.After]++
			one := must.Get(f.Window(w))
			for core := range cores {
				records, _ := tracetest.Drain(one, core, 50)
				if n := len(records); n < 2 || records[n-2].Kind != traces.Barrier {
					t.Fatalf("seed %d: window %d of core %d does not end with a barrier", seed, w, core)
				}
			}
			if w > 0 && origin.After <= f.Metadata().Windows[w-1].After {
				t.Fatalf("seed %d: windows %d and %d overlap", seed, w-1, w)
			}
		}
	}
	for begin, n := range begins { // each of about 40 intervals begins seeds * windows / 40 windows on average
		if n > 15 {
			t.Errorf("%d of %d windows begin after %d records", n, seeds*windows, begin)
		}
	}
	if len(begins) < 3*windows {
		t.Errorf("windows begin at %d moments", len(begins))
	}
	few, _ := draw(t, from, small(windows, 30, 1))
	many, _ := draw(t, from, small(meetings, 30, 1)) // more than there are intervals
	if a, b := few.Metadata().Drawn, many.Metadata().Drawn; !strings.Contains(a, "from barrier to barrier, of at least 30") || !strings.Contains(b, "(not from barrier to barrier: there are ") {
		t.Errorf("%d windows are said to be %q, and %d %q", windows, a, meetings, b)
	}
	one, _ := draw(t, phases(cores, 1), small(2, 5, 1))
	none, _ := draw(t, tracetest.Random(3, 5, 3000), small(2, 5, 1))
	for name, f := range map[string]*traces.File{"many barriers": few, "few": many, "one": one, "none": none} {
		if drawn := f.Metadata().Drawn; f.Metadata().CutsBarriers() != (f == many || f == one) {
			t.Errorf("%s: %q", name, drawn)
		}
	}
}

// TestMainThread: a core that waits for others, for their ends or for records, need not be at their barriers.
func TestMainThread(t *testing.T) {
	for name, main := range map[string][]traces.Record{"joins": {{Kind: traces.Join, Address: 1}}, "joins a thread": {{Kind: traces.Join, Address: 1, Count: traces.ByEdge}}, "waits": {{Instructions: 1}}, "works": make([]traces.Record, 30_000)} {
		from := phases(4, 71)
		for core := 1; core < 4; core++ {
			for i := range from.Records[core] {
				from.Records[core][i].Count = min(3, from.Records[core][i].Count)
			}
		}
		for i := range main {
			main[i].Instructions = 4
		}
		from.Records[0] = append(main, traces.Record{Kind: traces.End})
		if name == "waits" || name == "joins a thread" {
			from.Edges[0] = []traces.Edge{{Producer: 1, Position: uint64(len(from.Records[1]) - 2)}}
		}
		f, _ := draw(t, from, small(10, 30, 1))
		if drawn := f.Metadata().Drawn; strings.Contains(drawn, "from barrier to barrier, of at least 30") != (name != "works") {
			t.Errorf("a core that %s: %q", name, drawn)
		}
	}
}

// TestJoinOfThread: a core that joins a thread does not wait for what the other core does after it.
func TestJoinOfThread(t *testing.T) {
	from := phases(2, 0)
	for core := range from.Records {
		from.Records[core] = slices.Insert(from.Records[core], 0, slices.Repeat([]traces.Record{{Size: 3, Instructions: 4}}, 5000)...)
	}
	from.Records[0][100] = traces.Record{Kind: traces.Join, Address: 1, Count: traces.ByEdge}
	from.Edges = [][]traces.Edge{{{At: 100, Producer: 1, Position: 50}}, {{At: 1000, Position: 2000}}}
	if f, _ := draw(t, from, small(1, 300, 1)); f.Windows() != 1 {
		t.Errorf("%d windows", f.Windows())
	}
}

// TestOutsideBarriers: what takes time before the first barrier, or after the last one, is in its share of windows.
func TestOutsideBarriers(t *testing.T) {
	for before := range 2 {
		from := phases(3, 71)
		serial := make([]traces.Record, 23_000) // as long as all that has barriers
		for i := range serial {
			serial[i] = traces.Record{Address: 1<<20 + uint64(i%8)*8, Size: 3, Instructions: 4}
		}
		at := before * (len(from.Records[0]) - 1)
		from.Records[0] = slices.Insert(from.Records[0], at, serial...)
		few, _ := draw(t, phases(3, 71), small(80, 30, 1)) // more windows than there are intervals
		if more, _ := draw(t, from, small(80, 30, 1)); !few.Metadata().CutsBarriers() || more.Metadata().CutsBarriers() {
			t.Errorf("80 windows are %q, and with much outside barriers %q", few.Metadata().Drawn, more.Metadata().Drawn)
		}
		outside := 0
		for seed := range uint64(10) {
			f, _ := draw(t, from, small(10, 30, seed))
			if !strings.Contains(f.Metadata().Drawn, "after the last one, of equal time") {
				t.Fatal(f.Metadata().Drawn)
			}
			for w := range f.Windows() {
				if records, _ := tracetest.Drain(must.Get(f.Window(w)), 0, 50); records[0].Address >= 1<<20 {
					outside++
				}
			}
		}
		if outside < 25 || outside > 95 {
			t.Errorf("%d of 100 windows are outside barriers", outside)
		}
	}
}

// TestKindsOfUnits: of a program that repeats five phases of different length, eight windows nearly always hold
// each. If lengths did not matter, kinds would be missing in most draws.
func TestKindsOfUnits(t *testing.T) {
	var met []uint64
	at := uint64(0)
	for range 10 {
		for _, length := range []uint64{1000, 1400, 1200, 1600, 1800} {
			at += length
			met = append(met, at)
		}
	}
	missing := 0
	for seed := range uint64(50) {
		c := small(8, 100, seed)
		list, _, err := c.Choose(at, 4, met)
		kinds := map[uint64]int{}
		for i, w := range list {
			kinds[w.End-w.Begin]++
			if i > 0 && w.Begin < list[i-1].End {
				t.Errorf("seed %d: windows %d and %d overlap", seed, i-1, i)
			}
		}
		if err != nil || len(list) != 8 {
			t.Errorf("seed %d: %d windows, %v", seed, len(list), err)
		}
		if len(kinds) < 5 {
			missing++
		}
	}
	if missing > 3 {
		t.Errorf("in %d of 50 draws a kind is missing", missing)
	}
}

// TestRarePhase: a phase that returns eight times and takes a twelfth of the time is in windows in proportion. If
// windows were drawn from parts of equal time, some draws would have none of it, and others three times as much.
func TestRarePhase(t *testing.T) {
	var records []traces.Record
	for range 8 {
		for range 220 { // misses, of which each takes as long as 335 hits
			records = append(records, traces.Record{Address: 1<<20 + uint64(len(records))*64, Instructions: 1, Dependence: 1})
		}
		for i := range 6700 {
			records = append(records, traces.Record{Address: uint64(i%8) * 8, Size: 3, Instructions: 4})
		}
	}
	records[0].Dependence = 0
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{append(records, traces.Record{Kind: traces.End})}, Edges: make([][]traces.Edge, 1)}
	for seed := range uint64(20) {
		c := small(16, 400, seed)
		c.WarmUp = 1 << 20 // as long as windows allow: those of many records start before shorter ones in front of them
		f, _ := draw(t, from, c)
		last := uint64(0)
		for w, window := range f.Metadata().Windows {
			if records := must.Get(f.Window(w)).Totals()[0].Records; window.After < last || records < window.Lead+window.Measured {
				t.Errorf("seed %d: window %d starts after %d records and has %d; want those from %d on, and %d and %d", seed, w, window.After, records, last, window.Lead, window.Measured)
			}
			last = window.After
		}
		f, _ = draw(t, from, small(16, 400, seed))
		sum := uint64(0)
		for w := range f.Windows() {
			sum += must.Get(f.Window(w)).Totals()[0].Records
		}
		if sum < 16*200 || sum > 16*600 {
			t.Errorf("seed %d: 16 windows have %d records; want about %d", seed, sum, 16*400)
		}
	}
}

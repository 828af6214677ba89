package sample_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/sample"
	"github.com/carousel-sim/carousel/traces/timestamps"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// draw samples a trace and opens the result, which must be sound.
func draw(t *testing.T, from tracetest.Trace, c sample.Config) (*traces.File, traces.Imported) {
	t.Helper()
	long := tracetest.Open(t, tracetest.Write(from))
	var out bytes.Buffer
	done := must.Get(sample.Draw(long, c, traces.ToStream(&out, traces.WriterConfig{BlockRecords: 64})))
	return tracetest.Open(t, out.Bytes()), done
}

func small(windows int, records, seed uint64) sample.Config {
	return sample.Config{Windows: windows, Records: records, Seed: seed,
		Limit: traces.CacheLimit{L1Sets: 4, L1Ways: 2, L2Sets: 16, L2Ways: 2}}
}

// accessesOf lists the accesses of a core, without what the border of a window may change.
func accessesOf(t *testing.T, s traces.Source, core int) (list []string) {
	records, _ := tracetest.Drain(s, core, 50)
	for _, r := range records {
		if r.Kind.IsAccess() {
			list = append(list, fmt.Sprint(r.Kind, r.Address, r.Size))
		}
	}
	return list
}

// TestWindowsAreParts: whatever the program, each window can be replayed, and holds what each core
// did next; on average they are about as long as asked for; the same seed draws the same windows.
func TestWindowsAreParts(t *testing.T) {
	for seed := range uint64(8) {
		from := tracetest.Random(seed, 5, 3000)
		c := small(3, 100, seed)
		f, done := draw(t, from, c)
		again, _ := draw(t, from, c)
		if f.Windows() != 3 || done.Metadata.Drawn == "" || f.Metadata().Windows[0].After > f.Metadata().Windows[2].After {
			t.Fatalf("%d windows, %+v", f.Windows(), done.Metadata)
		}
		records := uint64(0)
		for w := range f.Windows() {
			one := must.Get(f.Window(w))
			same := must.Get(again.Window(w))
			for core, total := range one.Totals() {
				records += total.Records
				own, twin := accessesOf(t, one, core), accessesOf(t, same, core)
				if !reflect.DeepEqual(own, twin) {
					t.Fatalf("seed %d: window %d of core %d differs when it is drawn again", seed, w, core)
				}
				if whole := accessesOf(t, traces.NewMemory(from.Records, nil), core); !follows(whole, own) {
					t.Fatalf("seed %d: window %d of core %d is no part of its stream", seed, w, core)
				}
			}
		}
		if records < 3*5*50 || records > 3*5*200 {
			t.Errorf("seed %d: the windows have %d records of 5 cores", seed, records)
		}
	}
}

// follows reports whether a list stands in another one in a piece.
func follows(whole, part []string) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if reflect.DeepEqual(append([]string{}, whole[i:i+len(part)]...), append([]string{}, part...)) {
			return true
		}
	}
	return false
}

// TestTimestampsOfWindows: the record of a window is that of the accesses before it, and of the
// words of locks. With one core the order is the program's.
func TestTimestampsOfWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var records []traces.Record
	for i := range 2000 {
		records = append(records, traces.Record{Kind: traces.Kind(r.IntN(4)), Address: r.Uint64N(100) * 64, Instructions: 1})
		if word := traces.LockWord | (1<<16 + r.Uint64N(50)*64); i%10 == 0 {
			records = append(records, traces.Record{Kind: traces.Lock, Address: word}, traces.Record{Kind: traces.Unlock, Address: word})
		}
	}
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{append(records, traces.Record{Kind: traces.End})}, Edges: [][]traces.Edge{nil}}
	c := small(4, 200, 8)
	f, _ := draw(t, from, c)
	for w, origin := range f.Metadata().Windows {
		tracker := must.Get(timestamps.NewTracker(1, c.Limit))
		for _, x := range records[:origin.After] {
			if address, uses := x.Memory(); uses {
				tracker.Access(0, x.Kind, address)
			}
		}
		one := must.Get(f.Window(w))
		got, limit, err := one.ReadTimestamps()
		if want := tracker.Record(); err != nil || limit != c.Limit || !reflect.DeepEqual(got, want) {
			t.Errorf("window %d: %v\n%+v, want\n%+v", w, err, got, want)
		}
	}
}

// TestWindowsOfWarmTraces: a window drawn from a trace that says what caches hold at its start knows
// the blocks that were touched before the trace.
func TestWindowsOfWarmTraces(t *testing.T) {
	var records []traces.Record
	for i := range 3000 {
		block := i % 40 // the second half touches ten of forty blocks
		if i >= 1500 {
			block = i % 10
		}
		records = append(records, traces.Record{Address: uint64(64 * block), Instructions: 1})
	}
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{append(records, traces.Record{Kind: traces.End})}, Edges: [][]traces.Edge{nil}}
	c := small(1, 300, 1)
	for one := uint64(0); one < 1800; c.Seed++ { // until the window lies in the second half
		f, _ := draw(t, from, c)
		if one = f.Metadata().Windows[0].After; one < 1800 {
			continue
		}
		var again bytes.Buffer
		if _, err := sample.Draw(f, small(1, 100, 1), traces.ToStream(&again, traces.DefaultWriterConfig())); err != nil {
			t.Fatal(err)
		}
		inner := tracetest.Open(t, again.Bytes())
		before, _, err1 := f.ReadTimestamps()
		after, _, err2 := inner.ReadTimestamps()
		if err1 != nil || err2 != nil || len(after.Entries) != len(before.Entries) || len(before.Entries) <= 10 {
			t.Errorf("%d blocks are known before the inner window and %d before the outer one, %v, %v; want as many, more than 10", len(after.Entries), len(before.Entries), err1, err2)
		}
	}
}

// TestCoresEndTogether: in estimated time, a core that runs slower does less.
func TestCoresEndTogether(t *testing.T) {
	var slow, fast []traces.Record
	for i := range 150 {
		slow = append(slow, traces.Record{Address: uint64(i) * 64, Instructions: 1, Dependence: uint16(min(i, 1))}) // misses
	}
	for i := range 200_000 {
		fast = append(fast, traces.Record{Address: uint64(i%8) * 8, Size: 3, Instructions: 1})
	}
	end := traces.Record{Kind: traces.End}
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 2), Records: [][]traces.Record{append(slow, end), append(fast, end)}, Edges: make([][]traces.Edge, 2)}
	f, _ := draw(t, from, small(1, 10_000, 3))
	if n := f.Totals(); n[0].Loads*1000 > n[1].Loads || n[1].Loads < 15_000 {
		t.Errorf("a core that misses has done %d loads, one that hits %d", n[0].Loads, n[1].Loads)
	}
}

// TestWindowsFollowTime: what takes nine tenths of the time is in nine of ten windows, however few
// records it has, also where a core waits for long and looks again and again.
func TestWindowsFollowTime(t *testing.T) {
	var records []traces.Record
	slow := func() {
		for range 12_000 {
			records = append(records, traces.Record{Address: 1<<20 + uint64(len(records))*64, Instructions: 1, Dependence: 1})
		}
	}
	slow()
	for i := range 45_000 {
		records = append(records, traces.Record{Address: uint64(i%8) * 8, Size: 3, Instructions: 80})
	}
	slow()
	records[0].Dependence = 0
	end := traces.Record{Kind: traces.End}
	all := [][]traces.Record{append(records, end), {end}}
	edges := [][]traces.Edge{nil, {{Producer: 0, Position: 11_990}}}
	for cores := 1; cores <= 2; cores++ {
		f, _ := draw(t, tracetest.Trace{Metadata: traces.DefaultMetadata("x", cores), Records: all[:cores], Edges: edges[:cores]}, small(10, 1000, 5))
		fast := 0
		for w := range f.Windows() {
			if must.Get(f.Window(w)).Totals()[0].Records > 3000 { // misses take the time of 400 records
				fast++
			}
		}
		if fast < 1 || fast > 2 { // it takes a tenth of the time
			t.Errorf("%d cores: %d of 10 windows are of the fast part", cores, fast)
		}
	}
}

// TestLongRecord: a window in which one record takes all the time has that record, and windows that
// would have to share it are refused.
func TestLongRecord(t *testing.T) {
	var records []traces.Record
	for i := range 20_000 {
		records = append(records, traces.Record{Address: uint64(i%8) * 8, Size: 3, Instructions: 4})
	}
	records[10_000].Instructions = 80_000 // as long as all others
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{append(records, traces.Record{Kind: traces.End})}, Edges: make([][]traces.Edge, 1)}
	f, _ := draw(t, from, small(2, 9000, 1))
	for w, origin := range f.Metadata().Windows {
		one := must.Get(f.Window(w))
		if n := one.Totals()[0].Instructions; (origin.After == 10_000) != (n > 80_000) || origin.After > 10_000 {
			t.Errorf("window %d after %d records has %d instructions", w, origin.After, n)
		}
	}
	long := tracetest.Open(t, tracetest.Write(from))
	_, err := sample.Draw(long, small(8, 1000, 1), traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig()))
	if err == nil || !strings.Contains(err.Error(), "draw fewer windows") {
		t.Errorf("eight windows, four of them in one record: %v", err)
	}
}

// TestIllegalRecords: what verify would refuse is refused with its place.
func TestIllegalRecords(t *testing.T) {
	for _, kind := range []traces.Kind{traces.Create, traces.Join} {
		from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Edges: make([][]traces.Edge, 1),
			Records: [][]traces.Record{{{Kind: kind, Address: 9, Instructions: 1}, {Kind: traces.End}}}}
		b := tracetest.Write(from)
		f, err := traces.OpenReader(bytes.NewReader(b), int64(len(b)), traces.DefaultReaderConfig())
		if err == nil {
			_, err = sample.Draw(f, small(1, 1, 1), traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig()))
		}
		if !errors.Is(err, traces.ErrIllegal) {
			t.Errorf("%v of core 9 of 1: %v", kind, err)
		}
	}
}

// TestWaitingTakesTime: a core that waits for a record of a slow one goes on when that was passed,
// however long it has waited, and no faster than a core that did not wait.
func TestWaitingTakesTime(t *testing.T) {
	hits := func(n int) (list []traces.Record) {
		for i := range n {
			list = append(list, traces.Record{Address: uint64(i%8) * 8, Size: 3, Instructions: 1})
		}
		return append(list, traces.Record{Kind: traces.End})
	}
	var slow []traces.Record
	for i := range 110 {
		slow = append(slow, traces.Record{Address: 1<<20 + uint64(i)*64, Instructions: 1, Dependence: uint16(min(i, 1))})
	}
	// The slow core has passed 100 records when the free one has passed 135,000, and ends when that
	// has passed 148,000: then there are no windows any more. The window has nearly all the time.
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 3), Edges: [][]traces.Edge{nil, {{At: 0, Producer: 0, Position: 100}}, nil},
		Records: [][]traces.Record{append(slow, traces.Record{Kind: traces.End}), hits(30_000), hits(200_000)}}
	c := small(1, 52_400, 1)
	c.Cut = true
	f, _ := draw(t, from, c)
	for core, want := range []uint64{100, 12_500, 147_000} {
		if n := f.Totals()[core].Loads; n+2500 < want || n > want+2500 {
			t.Errorf("core %d has %d loads in the window; want about %d", core, n, want)
		}
	}
}

// TestCoresDriftApart: cores that do the same are not in step at the start of a window, as they are not on a chip.
func TestCoresDriftApart(t *testing.T) {
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 2), Edges: make([][]traces.Edge, 2)}
	for core := range 2 {
		var records []traces.Record
		for i := range 20_000 {
			records = append(records, traces.Record{Address: uint64(core)<<24 + uint64(i)*64, Instructions: 1, Dependence: uint16(min(i, 1))})
		}
		from.Records = append(from.Records, append(records, traces.Record{Kind: traces.End}))
	}
	f, _ := draw(t, from, small(10, 500, 1))
	apart := 0
	for w := range f.Windows() {
		var at [2]int
		for core := range at {
			records, _ := tracetest.Drain(must.Get(f.Window(w)), core, 50)
			at[core] = int(records[0].Address) / 64 % (1 << 18)
		}
		if d := at[0] - at[1]; d < -2 || d > 2 { // in a turn a core has one miss
			apart++
		}
	}
	if apart < 5 {
		t.Errorf("cores are apart in %d of 10 windows", apart)
	}
}

// TestDrawRefuses: windows that do not fit, and a trace that is in windows.
func TestDrawRefuses(t *testing.T) {
	from := tracetest.Random(1, 3, 300)
	long := tracetest.Open(t, tracetest.Write(from))
	for name, c := range map[string]sample.Config{
		"too many": small(100, 100, 1), "none": small(0, 1, 1), "too short for the least length": small(1, 0, 1), "no limit": {Windows: 1, Records: 1},
		"warm-up of too many misses": {Windows: 1, Records: 1, WarmUp: 1 << 63, Limit: traces.DefaultCacheLimit()},
	} {
		if _, err := sample.Draw(long, c, traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig())); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	fences := append(make([]traces.Record, 1000), traces.Record{Kind: traces.End})
	for i := range 1000 {
		fences[i].Kind = traces.Fence
	}
	timeless := tracetest.Open(t, tracetest.Write(tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{fences}, Edges: make([][]traces.Edge, 1)}))
	if _, err := sample.Draw(timeless, small(4, 100, 1), traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig())); err == nil || !strings.Contains(err.Error(), "draw fewer windows") {
		t.Errorf("records that take no time: %v", err)
	}
	f, _ := draw(t, from, small(2, 20, 1))
	if _, err := sample.Draw(f, small(1, 1, 1), traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig())); err == nil {
		t.Error("windows of windows are drawn")
	}
}

// TestWarmUp: a window holds what comes before the part that is measured, and what follows it. Windows
// may overlap then.
func TestWarmUp(t *testing.T) {
	for name, from := range map[string]tracetest.Trace{"random": tracetest.Random(3, 5, 3000), "barriers": phases(3, 71)} {
		cores := uint64(len(from.Records))
		plain, warm := small(6, 100, 2), small(6, 100, 2)
		warm.WarmUp = 1000
		a, _ := draw(t, from, plain)
		b, done := draw(t, from, warm)
		var opened []uint64
		for w, cold := range a.Metadata().Windows {
			one := must.Get(b.Window(w))
			lead, measured := one.Measured()
			origin := done.Metadata.Windows[w]
			if origin.After+lead != cold.After || cold.After > 0 && lead == 0 || lead > 2*measured || measured == 0 {
				t.Errorf("%s, window %d: %d records are measured after %d and a lead of %d; want a start after %d", name, w, measured, origin.After, lead, cold.After)
			}
			all := uint64(0)
			for core, total := range one.Totals() {
				all += total.Records
				if whole := accessesOf(t, traces.NewMemory(from.Records, nil), core); !follows(whole, accessesOf(t, one, core)) {
					t.Fatalf("%s: window %d of core %d is no part of its stream", name, w, core)
				}
			}
			if w < 5 && all < lead+measured*5/4 || all > lead+2*measured+2*cores {
				t.Errorf("%s: window %d has %d records for a lead of %d and %d", name, w, all, lead, measured)
			}
			opened = append(opened, origin.After)
		}
		// A short lead by misses is shorter than the window.
		warm.WarmUp = 3
		c, _ := draw(t, from, warm)
		for w := 1; w < c.Windows(); w++ {
			if origin := c.Metadata().Windows[w]; origin.After < opened[w] || origin.Lead == 0 {
				t.Errorf("%s: window %d, for three misses, starts after %d with a lead of %d", name, w, origin.After, origin.Lead)
			}
		}
	}
}

// TestNothingTouched: a window whose lead would open before any core has used memory opens at the start
// of the trace, since a window that opens later says what caches hold.
func TestNothingTouched(t *testing.T) {
	from := phases(3, 71)
	for core := range from.Records {
		from.Records[core] = slices.Insert(from.Records[core], 0, slices.Repeat([]traces.Record{{Kind: traces.Fence, Instructions: 1000}}, 60)...)
	}
	warm := small(6, 100, 2)
	warm.WarmUp = 1000
	for seed := range uint64(20) {
		warm.Seed = seed
		f, done := draw(t, from, warm)
		for w, origin := range done.Metadata.Windows {
			if _, _, err := must.Get(f.Window(w)).ReadTimestamps(); err != nil {
				t.Errorf("seed %d, window %d, after %d records: %v", seed, w, origin.After, err)
			}
		}
	}
}

// TestEndsOfWindows: the end of a core's part of a window tells what the core waits for after it.
func TestEndsOfWindows(t *testing.T) {
	const barrier, order, work, early, free, first, joins = 1, 2, 3, 4, 5, 6, 7 // cores; core 0 works for long
	var works []traces.Record
	for i := range 40000 {
		works = append(works, traces.Record{Address: uint64(64 * i), Instructions: 1})
	}
	step := traces.Record{Address: 1 << 20, Instructions: 1}
	halt := traces.Record{Kind: traces.Fence, Count: traces.Halts}
	meet := traces.Record{Kind: traces.Barrier, Address: 7, Count: 2}
	end := traces.Record{Kind: traces.End}
	late := make([]traces.Record, traces.HaltRecords+1)
	for i := range late {
		late[i] = step
	}
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 8), Records: [][]traces.Record{
		append(slices.Clone(works), meet, end), {step, meet, end}, {step, step, end}, {step, halt, step, step, end},
		slices.Concat([]traces.Record{halt}, late, []traces.Record{step, end}), append(slices.Clone(works), end), {step, end}, {step, {Kind: traces.Join, Count: traces.ByEdge}, end}}}
	after := func(at int) []traces.Edge { return []traces.Edge{{At: uint64(at), Position: 39990}} }
	from.Edges = [][]traces.Edge{nil, nil, after(1), after(3), after(len(late) + 1), nil, after(0), after(1)}
	f, _ := draw(t, from, small(1, 300, 3))
	want := map[int]traces.Record{barrier: {Count: traces.AwaitsThreads, Address: barrier}, order: {Count: traces.AwaitsOrder},
		work: {Count: traces.AwaitsWork}, early: {Count: traces.AwaitsOrder}, free: {}, first: {Count: traces.AwaitsOrder}, joins: {Count: traces.AwaitsThreads}, 0: {}}
	for core, w := range want {
		records, _ := tracetest.Drain(f, core, 50)
		if got := records[len(records)-1]; got.Kind != traces.End || got.Count != w.Count || got.Address != w.Address {
			t.Errorf("core %d ends with %+v, want count %d and address %d", core, got, w.Count, w.Address)
		}
	}
}

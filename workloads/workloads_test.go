package workloads

import (
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/traces/timestamps"
	"github.com/carousel-sim/carousel/traces/timestamps/timestampstest"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestEveryWorkload: each row opens, is legal, replays, and is the same twice and in other batches.
func TestEveryWorkload(t *testing.T) {
	for _, w := range Table {
		for _, cores := range []int{0, 1, 2, 7, 64} {
			c := Default()
			c.Cores, c.Records = cores, 500
			if w.Kind == Recording && cores != 0 {
				if _, err := w.Open(c); err == nil {
					t.Errorf("%s with %d cores", w.Name, cores)
				}
				continue
			}
			o := must.Get(Open(w.Name, c))
			if want := cores; want != 0 && o.Cores() != want || o.Info.Metadata.Cores != o.Cores() {
				t.Errorf("%s: %d cores, want %d", w.Name, o.Cores(), want)
			}
			if sum := tracetest.Check(t, o).Sum(); cores != 1 && w.Kind == Synthetic && sum.Records < uint64(o.Cores())*400 {
				t.Errorf("%s, %d cores: %+v", w.Name, cores, sum)
			}
			if w.Kind != Recording {
				o.Rewind()
				other := must.Get(Open(w.Name, c))
				user, shared, written := map[uint64]int{}, map[uint64]bool{}, false
				for core := range o.Cores() {
					r1, e1 := tracetest.Drain(o, core, 3)
					for _, r := range r1 {
						if line := r.Address / traces.LineBytes; r.Kind.IsAccess() {
							first, touched := user[line]
							shared[line] = shared[line] || touched && first != core
							user[line], written = core, written || shared[line] && r.Kind == traces.Store
						}
					}
					r2, e2 := tracetest.Drain(other, core, 100)
					if !reflect.DeepEqual(r1, r2) || !reflect.DeepEqual(e1, e2) {
						t.Errorf("%s, core %d: two streams of one seed differ", w.Name, core)
					}
				}
				if !written && cores != 1 {
					t.Errorf("%s, %d cores: no core writes what another one uses", w.Name, cores)
				}
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, b := Default(), Default()
	b.Seed = 2
	one := must.Get(Open("uniform-sharing", a))
	two := must.Get(Open("uniform-sharing", b))
	r1, _ := tracetest.Drain(one, 0, 64)
	r2, _ := tracetest.Drain(two, 0, 64)
	r3, _ := tracetest.Drain(one, 1, 64)
	if reflect.DeepEqual(r1, r2) || reflect.DeepEqual(r1, r3) {
		t.Error("streams of other seeds or cores are equal")
	}
}

func TestKindsOfRecords(t *testing.T) {
	o, err := Open("locks-and-barriers", Default())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[traces.Kind]bool{}
	records, _ := tracetest.Drain(o, 0, 64)
	for _, r := range records {
		seen[r.Kind] = true
	}
	for _, k := range []traces.Kind{traces.Lock, traces.Unlock, traces.Barrier, traces.Create, traces.Join} {
		if !seen[k] {
			t.Errorf("no %v", k)
		}
	}
	if !o.Created(1) || o.Created(0) {
		t.Error("core 0 creates the others")
	}
	if o, err = Open("producer-consumer", Default()); err != nil {
		t.Fatal(err)
	}
	if _, edges := tracetest.Drain(o, 3, 64); len(edges) < 800 {
		t.Errorf("%d edges", len(edges))
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	for _, w := range Table {
		c := Default()
		c.Records = 2000
		o := must.Get(w.Open(c))
		batch := make([]traces.Record, 512)
		pass := func() {
			o.Rewind()
			for core := range o.Cores() {
				for n := 1; n > 0; {
					n, _ = o.ReadRecords(core, batch)
				}
			}
		}
		// The mean is rounded down: what the runtime allocates once is no fault of the pass.
		if n := must.Allocations(10, pass); n != 0 {
			t.Errorf("%s: %v allocations", w.Name, n)
		}
		o.Close()
	}
}

func TestErrors(t *testing.T) {
	if _, err := Open("doom", Default()); err == nil {
		t.Error("anything opens")
	}
	for _, c := range []Config{{Cores: -1, Records: 1}, {Cores: 1025, Records: 1}, {Records: -1}} {
		if err := c.Validate(); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

// TestSampleTotals: golden numbers of the embedded recording.
func TestSampleTotals(t *testing.T) {
	o := must.Get(Open("nas-is-s", Default()))
	defer o.Close()
	d := must.Get(inspect.Of("", o.Source.(*traces.File), true, 2))
	sum := traces.Survey{Totals: d.PerCore}.Sum()
	want := traces.CoreTotals{Records: 1743607, Instructions: 1111349, Loads: 918591, Stores: 789695, Atomics: 196, Fetches: 35109, Edges: 240, Pages: 196}
	if sum != want || d.FootprintBytes != 64*10651 || d.FootprintPages != 196 || d.SharedLines != 223 || d.WrittenSharedLines != 213 {
		t.Errorf("%+v", d)
	}
	for core, n := range d.PerCore {
		if n.Records < 108000 || n.Records > 114000 {
			t.Errorf("core %d has %d records: the threads are not comparable", core, n.Records)
		}
	}
	if o.Info.Bytes > 1500000 {
		t.Errorf("%d bytes", o.Info.Bytes)
	}
}

// TestRareBarriers: these applications have barriers that are further apart than their windows are long.
func TestRareBarriers(t *testing.T) {
	for _, p := range Applications {
		o := must.Get(Open(p.Name, Default()))
		if rare := slices.Contains([]string{"ft", "is", "sp", "bt", "lu"}, p.Name); o.Info.Metadata.CutsBarriers() != rare {
			t.Errorf("%s: %s", p.Name, o.Info.Metadata.Drawn)
		}
		must.Do(o.Close())
	}
}

// TestApplications: the twelve of the table have names of their own that can be found.
func TestApplications(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Applications {
		found, err := FindApplication(p.Name)
		if err != nil || found.Paper != p.Paper || seen[p.Name] {
			t.Errorf("%s: %v, %v", p.Name, found, err)
		}
		seen[p.Name] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d applications", len(seen))
	}
	if _, err := FindApplication("ep"); err == nil {
		t.Error("ep is found")
	}
}

// TestWarmStateOfRecording: at several moments of a real program, the memory timestamp record of
// everything before gives what a simulation of every access holds, in caches of several sizes.
func TestWarmStateOfRecording(t *testing.T) {
	o := must.Get(Open("nas-is-s", Default()))
	defer o.Close()
	limit, cores := traces.DefaultCacheLimit(), o.Cores()
	tracker := must.Get(timestamps.NewTracker(cores, limit))
	var plain []*timestampstest.Simulation
	for _, s := range [][4]int{{256, 2, 16384, 16}, {64, 4, 512, 4}, {limit.L1Sets, limit.L1Ways, limit.L2Sets, limit.L2Ways}} {
		plain = append(plain, timestampstest.Simulate(cores, timestamps.Shape{L1Sets: s[0], L1Ways: s[1], L2Sets: s[2], L2Ways: s[3],
			Set: func(b uint32) int { return int(b) % s[2] }}))
	}
	batch := make([]traces.Record, 300)
	for round := range 60 { // the cores in turn
		for core := range cores {
			n := must.Get(o.ReadRecords(core, batch))
			for _, r := range batch[:n] {
				if !r.Kind.IsAccess() {
					continue
				}
				tracker.Access(core, r.Kind, r.Address)
				for _, m := range plain {
					m.Access(core, r.Kind, r.Address)
				}
			}
		}
		if round%20 != 19 {
			continue
		}
		record := tracker.Record()
		for _, m := range plain {
			c, err := timestamps.Select(record, limit, cores, m.Shape)
			if err == nil {
				err = m.Compare(c)
			}
			if err != nil {
				t.Fatalf("after %d turns, shape %+v: %v", round+1, m.Shape, err)
			}
		}
	}
}

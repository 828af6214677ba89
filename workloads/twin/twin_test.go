package twin

import (
	"bytes"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func embedded(t testing.TB, name string) *Parameters {
	t.Helper()
	p, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func generator(t testing.TB, p *Parameters, c Config) *Source {
	t.Helper()
	s, err := New(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEmbeddedTwins: every twin that is part of the program is legal, replays to its end with any number of cores
// and at any length, and has about as many records as were asked for.
func TestEmbeddedTwins(t *testing.T) {
	if len(Embedded()) < 2 {
		t.Fatal("no twins")
	}
	for _, name := range Embedded() {
		p := embedded(t, name)
		for _, c := range []Config{{Records: 700, Seed: 1}, {Cores: 1, Records: 300, Seed: 2}, {Cores: 7, Records: 300, Seed: 3}, {Cores: 40, Records: 90, Seed: 4}} {
			s := generator(t, p, c)
			survey, err := traces.Check(s, 1<<36)
			if err != nil {
				t.Fatalf("%s, %+v: %v", name, c, err)
			}
			cores := c.Cores
			if cores == 0 {
				cores = p.Cores
			}
			// Roles differ in length, so that a part of them may have less than the average.
			if n := survey.Sum().Records; s.Cores() != cores || n == 0 || cores%p.Cores == 0 && (n > uint64(cores*(c.Records+2)) || n < uint64(cores*c.Records*8/10)) {
				t.Errorf("%s, %+v: %d cores, %d records", name, c, s.Cores(), n)
			}
		}
	}
}

// TestSameSeedSameRecords: streams do not depend on the order or size of reads, nor on what was read before.
func TestSameSeedSameRecords(t *testing.T) {
	p := embedded(t, "nas-sp-s")
	one, two, other := generator(t, p, Config{Records: 2000, Seed: 1}), generator(t, p, Config{Records: 2000, Seed: 1}), generator(t, p, Config{Records: 2000, Seed: 2})
	differ := false
	for core := range one.Cores() {
		r1, e1 := tracetest.Drain(t, one, core, 3)
		tracetest.Drain(t, two, two.Cores()-1-core, 999)
		two.Rewind()
		r2, e2 := tracetest.Drain(t, two, core, 100)
		r3, _ := tracetest.Drain(t, other, core, 100)
		if !reflect.DeepEqual(r1, r2) || !reflect.DeepEqual(e1, e2) {
			t.Errorf("core %d: two streams of one seed differ", core)
		}
		differ = differ || !reflect.DeepEqual(r1, r3)
	}
	if !differ {
		t.Error("another seed gives the same records")
	}
}

// TestStatistics: what is generated has the counts of its parameters.
func TestStatistics(t *testing.T) {
	for _, name := range []string{"nas-is-s", "nas-sp-s"} {
		p := embedded(t, name)
		s := generator(t, p, Config{Seed: 1})
		survey, err := traces.Check(s, 4<<30)
		if err != nil {
			t.Fatal(err)
		}
		fetches := uint64(0)
		for _, r := range p.Roles {
			for _, n := range r.Fetches {
				fetches += n
			}
		}
		sum := survey.Sum()
		if want := p.Records + uint64(p.Cores); sum.Records != want {
			t.Errorf("%s: %d records, want %d", name, sum.Records, want)
		}
		near(t, name+" fetches", sum.Fetches, fetches, 1)
		stores, all := uint64(0), uint64(0)
		for i := range p.Behaviours {
			for _, row := range p.Behaviours[i].Contexts {
				for j := 2; j < len(row); j += 2 {
					all += row[j+1]
					if _, kind := parts(int(row[j])); kind == isStore {
						stores += row[j+1]
					}
				}
			}
		}
		near(t, name+" stores", sum.Stores*all/sum.Accesses(), stores, 4)
	}
}

func near(t *testing.T, what string, got, want uint64, percent uint64) {
	t.Helper()
	if got*100 < want*(100-percent) || got*100 > want*(100+percent) {
		t.Errorf("%s: %d, want %d within %d %%", what, got, want, percent)
	}
}

// known makes a trace by simple rules: each core walks over 64 lines of its own, four loads and a store in each
// round of five, reads a table that nobody writes, and every 50 rounds an atomic on a word that all use in turns.
func known(cores, rounds int) *traces.Memory {
	records, edges := make([][]traces.Record, cores), make([][]traces.Edge, cores)
	last := traces.Edge{}
	for round := range rounds {
		for core := range cores {
			out := &records[core]
			for i := range 4 {
				*out = append(*out, traces.Record{Address: uint64(1+core)<<20 + uint64(round%64)*64 + uint64(i)*8, Size: 3, Instructions: 3})
			}
			*out = append(*out, traces.Record{Address: uint64(1+core)<<20 + uint64(round%64)*64 + 32, Size: 3, Kind: traces.Store, Instructions: 1})
			*out = append(*out, traces.Record{Address: uint64(round%32) * 64, Size: 2, Instructions: 2})
			if round%50 == 49 {
				if at := uint64(len(*out)); last.At != 0 || last.Position != 0 {
					edges[core] = append(edges[core], traces.Edge{At: at, Position: last.Position, Producer: last.Producer})
				}
				last = traces.Edge{Position: uint64(len(*out)), Producer: uint16(core)}
				*out = append(*out, traces.Record{Address: 1 << 18, Size: 3, Kind: traces.Atomic, Instructions: 1})
			}
		}
	}
	return traces.NewMemory(records, edges)
}

// TestFitOfAKnownTrace: the fit finds what the trace was made by, and fitting the twin finds it again.
func TestFitOfAKnownTrace(t *testing.T) {
	const cores, rounds = 4, 2000
	m, config := traces.DefaultMetadata("known", cores), FitConfig{Slices: 8, Behaviours: 4}
	source := known(cores, rounds)
	for pass := range 2 {
		var p *Parameters
		var err error
		if pass == 0 {
			p, err = Fit(source, m, config)
		} else {
			first, failed := Fit(source, m, config)
			if failed != nil {
				t.Fatal(failed)
			}
			p, err = Fit(generator(t, first, Config{Seed: 1}), m, config)
		}
		if err != nil {
			t.Fatal(err)
		}
		f := &p.Footprint
		for core := range cores {
			near(t, "private lines", f.Private[core], 64, 2)
		}
		// The lines of the table are drawn; a core may miss one.
		near(t, "lines of the table", at(f.Shared, degreeClass(cores)), 32, 4)
		events, atomics := uint64(0), 0
		for _, list := range p.Events {
			for _, e := range list {
				if events++; e[2] == isAtomic {
					atomics++
				}
			}
		}
		if p.Chains != 1 || atomics == 0 {
			t.Fatalf("pass %d: %d chains, %d atomics", pass, p.Chains, atomics)
		}
		near(t, "events", events, cores*rounds/50, 6)
		// A line of the walk comes back after 64 rounds, which touch 64 lines and 32 of the table; one of the table
		// after 32 rounds, which touch 32 lines and the table.
		var classes [dataClasses]uint64
		for i := range p.Behaviours {
			for class := range classes {
				classes[class] += p.Behaviours[i].count(class)
			}
		}
		// The generator does not know which of the lines at one distance are of the table. When it is about to store
		// to one of those it takes the next line.
		near(t, "same line", classes[0], cores*rounds*4, 10)
		near(t, "far", classes[distanceClass(95)]+classes[distanceClass(63)]+
			classes[followed(distanceClass(95))]+classes[followed(distanceClass(63))], cores*rounds*2, 6)
	}
}

// TestReuse: distances equal those of a list that is searched.
func TestReuse(t *testing.T) {
	u, r := newReuse(), random.Numbered(1, 0)
	var list []int32
	for i := range 30000 {
		l := int32(r.Below(1 + r.Below(700)))
		want := -1
		for d := range list {
			if list[len(list)-1-d] == l {
				want = d
				list = append(list[:len(list)-1-d], list[len(list)-d:]...)
				break
			}
		}
		list = append(list, l)
		if got := u.touch(l); got != want {
			t.Fatalf("touch %d of line %d: distance %d, want %d", i, l, got, want)
		}
	}
}

func TestSamplerAndDrawer(t *testing.T) {
	weights := []uint64{5, 0, 1, 94, 1 << 20}
	s, r := newSampler(weights), random.Numbered(1, 0)
	var counts [5]uint64
	const draws = 1 << 20
	for range draws {
		counts[s.draw(r.Uint64())]++
	}
	if counts[1] != 0 || counts[0] > 40 || counts[4] < draws-200 || counts[3] < 50 || counts[3] > 150 {
		t.Errorf("%v", counts)
	}
	if none := newSampler(nil); none.draw(^uint64(0)) != 0 {
		t.Error("nothing to draw from")
	}
	var c spreadCounts
	sum := uint64(0)
	for i := range uint32(3000) {
		c.add(i * i % 977)
		sum += uint64(i * i % 977)
	}
	d := newDrawer(c.spread())
	drawn := uint64(0)
	for range 300000 {
		drawn += uint64(d.draw(&r))
	}
	near(t, "mean of 3000", drawn/100, sum, 2)
}

// TestStackIsLeastRecentlyUsed: distances drawn are distances found.
func TestStackIsLeastRecentlyUsed(t *testing.T) {
	var s stack
	for i := range uint64(100) {
		s.push(newEntry(i, useOwn))
	}
	s.raise(10)
	if s.top().line() != 89 || s.lines[0].line() != 0 || s.lines[89].line() != 90 {
		t.Errorf("%d on top, %d above the hole", s.top().line(), s.lines[89].line())
	}
	s.push(newEntry(500, useRead))
	if d, ok := s.near(0, true, anywhere, nil, 0); !ok || d != 1 {
		t.Errorf("a line that may be written at %d, %v", d, ok)
	}
	if e := newEntry(7, useOwned).at(64); e.end() != 64 || e.line() != 7 || e.use() != useOwned || e.fits(false, 999, tradedDistance) || !e.fits(true, 3, tradedDistance) {
		t.Errorf("%x", uint64(e))
	}
}

func TestParameterFiles(t *testing.T) {
	p := embedded(t, "nas-is-s")
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	q, err := Read(bytes.NewReader(text.Bytes()))
	if err != nil || !reflect.DeepEqual(p, q) {
		t.Errorf("what was written is not what is read: %v", err)
	}
	for _, c := range []struct{ old, new, complaint string }{
		{`"version":3`, `"version":9`, "version is 9"},
		{`"cores":16`, `"cores":0`, "cores is 0"},
		{`"slices":256`, `"slices":255`, "slices is 255"},
		{`"roles"`, `"rolls"`, "unknown field"},
		{`"workload"`, `workload`, "byte "},
		{`"contexts":[[0,0`, `"contexts":[[1,0`, "contexts[0]"},
		{`"contexts":[[0,0`, `"contexts":[[0,999`, "contexts[0]"},
	} {
		damaged := strings.Replace(text.String(), c.old, c.new, 1)
		if _, err := Read(strings.NewReader(damaged)); err == nil || !strings.Contains(err.Error(), c.complaint) {
			t.Errorf("%s for %s: %v", c.new, c.old, err)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	lock := traces.NewMemory([][]traces.Record{{{Kind: traces.Lock, Address: 1}, {Kind: traces.Unlock, Address: 1}}}, nil)
	m := traces.DefaultMetadata("x", 1)
	for name, err := range map[string]error{
		"a lock": func() error { _, err := Fit(lock, m, DefaultFit()); return err }(),
		"nothing": func() error {
			_, err := Fit(traces.NewMemory(make([][]traces.Record, 2), nil), m, DefaultFit())
			return err
		}(),
		"no slices": func() error { _, err := Fit(known(1, 2), m, FitConfig{Behaviours: 1}); return err }(),
		"65 cores":  func() error { _, err := Fit(known(65, 1), m, DefaultFit()); return err }(),
	} {
		if err == nil {
			t.Errorf("%s can be fitted", name)
		}
	}
	if _, err := Lookup("doom"); err == nil {
		t.Error("there is a twin of anything")
	}
}

// TestReadingDoesNotAllocate: once buffers have grown.
func TestReadingDoesNotAllocate(t *testing.T) {
	s := generator(t, embedded(t, "nas-sp-s"), Config{Records: 2000, Seed: 1})
	batch := make([]traces.Record, 512)
	pass := func() {
		s.Rewind()
		for core := range s.Cores() {
			for n := 1; n > 0; {
				n, _ = s.ReadRecords(core, batch)
			}
		}
	}
	if n := testing.AllocsPerRun(2, pass); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDegrees(t *testing.T) {
	got, err := Degrees(known(4, 100))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint64, degreeClasses)
	want[0], want[bits.Len(3)] = 4*64, 33
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, name := range Embedded() {
		b.Run(name, func(b *testing.B) {
			s := generator(b, embedded(b, name), Config{Records: 50000, Seed: 1})
			batch, total := make([]traces.Record, 1024), 0
			for b.Loop() {
				s.Rewind()
				for core := range s.Cores() {
					for n := 1; n > 0; total += n {
						n, _ = s.ReadRecords(core, batch)
					}
				}
			}
			b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mrecords/s")
		})
	}
}

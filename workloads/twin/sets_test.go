package twin

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
)

// TestRunsAndPattern: lines are in the sets that runs were made of, and no two lines are one.
func TestRunsAndPattern(t *testing.T) {
	short := []uint8{250, 252, 254, 0, 2, 7, 7, 7, 100}
	long := make([]uint8, 1000)
	for i := range long {
		long[i] = uint8(i * i)
	}
	for _, sequence := range [][]uint8{short, long} {
		found := runs(sequence)
		exact := len(found) <= exactRuns && len(sequence) == len(short)
		places, span := pattern(uint64(len(sequence)), found, random.Numbered(1, 0))
		if len(places) != len(sequence) {
			t.Fatalf("%d places for %d lines", len(places), len(sequence))
		}
		seen := map[uint32]bool{}
		for i, place := range places {
			if seen[place] || uint64(place) >= span {
				t.Errorf("line %d is at %d, which is taken or beyond %d", i, place, span)
			}
			seen[place] = true
			if exact && place%setCount != uint32(sequence[i]) {
				t.Errorf("line %d is in set %d, want %d", i, place%setCount, sequence[i])
			}
		}
	}
	if got, want := runs(short), []Run{{250, 2, 5}, {7, 0, 3}, {100, 0, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if places, _ := pattern(3*limitPeriod, nil, random.Numbered(1, 0)); len(places) != limitPeriod {
		t.Errorf("a pattern of %d lines", len(places))
	}
}

// conflicts counts the data accesses to lines that two others have driven out of their set.
func conflicts(t *testing.T, s Rewindable) (n uint64) {
	t.Helper()
	s.Rewind()
	batch := make([]traces.Record, 512)
	for core := range s.Cores() {
		var of sets
		seen := map[uint64]bool{}
		for {
			k, err := s.ReadRecords(core, batch)
			for _, r := range batch[:k] {
				if line := r.Address / traces.LineBytes; r.Kind.IsAccess() && !of.touch(line) && seen[line] {
					n++
				} else {
					seen[line] = true
				}
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}

// TestConflictsAreKept: a loop over 12 lines in one set, with accesses to lines of other sets between, misses a cache
// of two ways all the time; so does its twin. A loop over as many lines in a row never does.
func TestConflictsAreKept(t *testing.T) {
	for _, stride := range []uint64{setCount, 1} {
		records := make([][]traces.Record, 2)
		for core := range records {
			for i := range uint64(30000) {
				line := uint64(core)<<14 + i%12*stride
				if i%3 == 2 {
					line = uint64(core)<<14 + 100 + i%8
				}
				records[core] = append(records[core], traces.Record{Address: line * traces.LineBytes, Size: 3, Instructions: 2})
			}
		}
		recording := traces.NewMemory(records, nil)
		p, err := Fit(recording, traces.DefaultMetadata("loop", len(records)), FitConfig{Slices: 8, Behaviours: 2})
		if err != nil {
			t.Fatal(err)
		}
		made := generator(t, p, Config{Seed: 1})
		got, want := conflicts(t, made), conflicts(t, recording)
		if stride == 1 && (want > 0 || got > 300) {
			t.Errorf("lines in a row: %d conflicts, want %d", got, want)
		} else if stride > 1 {
			near(t, "conflicts", got, want, 10)
		}
	}
}

// TestReader: a reader gets lines of its part only, versions that exist and are not written over, and each once.
func TestReader(t *testing.T) {
	stream := random.Numbered(1, 0)
	below := func(n uint64) uint64 { return stream.Uint64() % n }
	for range 300 {
		lines := 1 + below(60)
		part := pool{size: 1 + below(lines), first: below(lines)}
		var r reader
		made, last, read := uint64(0), -1, 0
		for range 400 {
			made += below(4)
			if !r.advance(&part, lines, made) {
				continue
			}
			if at := r.place(&part, lines); at >= part.size {
				t.Fatalf("line %d of %d, of which the reader has %d from %d", r.next%lines, lines, part.size, part.first)
			}
			if r.next < made || r.next >= made+lines || int(r.next) <= last {
				t.Fatalf("version %d after %d: %d lines, %d made", r.next, last, lines, made)
			}
			if at := r.place(&part, lines); part.size <= lines/4 && at > 0 && int(r.next) != last+1 {
				t.Fatalf("a part of %d lines of %d is read from its line %d on", part.size, lines, at)
			}
			last = int(r.next)
			r.next++
			read++
		}
		if uint64(read) < min(part.size, 300) {
			t.Fatalf("%d versions read of %d made, %d lines of %d", read, made, part.size, lines)
		}
	}
}

// TestGroups: every core has lines where there are any, and all lines are some core's.
func TestGroups(t *testing.T) {
	for cores := 1; cores < 20; cores++ {
		for lines := uint64(1); lines < 40; lines++ {
			for size := 1; size <= 16; size *= 2 {
				var l layout
				whole := l.take(lines, nil)
				found := map[uint64]bool{}
				for _, pools := range l.appendGroups(make([][]pool, cores), whole, size, apart) {
					p := &pools[0]
					if p.size == 0 || p.from+p.size > lines || p.first >= p.size {
						t.Fatalf("%d cores, %d lines, groups of %d: %+v", cores, lines, size, *p)
					}
					for i := range p.size {
						found[p.line(i)] = true
					}
				}
				if uint64(len(found)) != lines {
					t.Fatalf("%d cores, %d lines, groups of %d: %d lines are used", cores, lines, size, len(found))
				}
			}
		}
	}
}

package twin

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
)

// linksOf makes a text of states.
func linksOf(of []int) (text []link) {
	var b bursts
	for _, state := range of {
		class, _ := parts(state)
		text = append(text, link{uint8(state), uint8(b.density())})
		b.add(class)
	}
	return text
}

// chooserOf makes the chooser of a text, with about so many counts.
func chooserOf(of []int, counts int) *chooser {
	tree := contexts([][]link{linksOf(of)})
	return newChooser(tree.rows(priceOf([]*context{tree}, counts)))
}

// TestContextsCountOnce: whatever a context costs, every access is counted in one row; and fewer are kept the more they
// cost.
func TestContextsCountOnce(t *testing.T) {
	var of []int
	for r := random.Numbered(1, 0); len(of) < 20000; {
		of = append(of, r.Below(3), 5, 7+r.Below(2))
		if of[len(of)-1] == 8 {
			of = append(of, stateOf(newPrivate, isLoad))
		}
	}
	last := 1 << 30
	for _, price := range []float64{0, 3, 100, 1e9} {
		sum, rows := uint64(0), contexts([][]link{linksOf(of[:7000]), linksOf(of[7000:])}).rows(price)
		for _, row := range rows {
			sum += weight(row[2:])
		}
		if sum != uint64(len(of)) || len(rows) >= last {
			t.Errorf("price %v: %d accesses of %d in %d rows", price, sum, len(of), len(rows))
		}
		last = len(rows)
	}
	if last != 1 {
		t.Errorf("%d rows are worth any price", last)
	}
}

// TestLoopsAreKept: what always comes in one order does so in the twin.
func TestLoopsAreKept(t *testing.T) {
	loop := []int{0, 0, 1, 0, 0, 2, 0, 1, 5, 0, 0, 0, 9}
	var of []int
	for range 300 {
		of = append(of, loop...)
	}
	c, r := chooserOf(of, 200), random.Numbered(1, 0)
	var h history
	for range 100 { // until it knows where it is
		c.draw(&h, &r)
	}
	for c.draw(&h, &r) != loop[len(loop)-1] {
	}
	for i := range 1000 {
		if got, want := c.draw(&h, &r), loop[i%len(loop)]; got != want {
			t.Fatalf("draw %d is %d, want %d", i, got, want)
		}
	}
}

// TestBurstsAreKept: misses that come together do so in the twin, and scattered ones do not.
func TestBurstsAreKept(t *testing.T) {
	near, far := stateOf(1, isLoad), stateOf(distances-1, isLoad)
	for _, burst := range []int{1, 8} {
		var of []int
		for r := random.Numbered(1, 0); len(of) < 200000; {
			for range r.Below(20*burst) + 1 {
				of = append(of, near)
			}
			for range r.Below(2*burst) + 1 {
				of = append(of, far)
			}
		}
		c, r := chooserOf(of, 40), random.Numbered(2, 0)
		var made []int
		var h history
		for range of {
			made = append(made, c.draw(&h, &r))
		}
		want, got := dense(of), dense(made)
		if want.misses*95 > got.misses*100 || got.misses*95 > want.misses*100 {
			t.Errorf("bursts of %d: %d misses, want %d", burst, got.misses, want.misses)
		}
		if d := got.together - want.together; d < -0.08 || d > 0.08 {
			t.Errorf("bursts of %d: %.2f of the misses come together, want %.2f", burst, got.together, want.together)
		}
	}
}

type density struct {
	misses   int
	together float64 // the part with four or more misses among the 16 accesses before
}

func dense(of []int) (d density) {
	misses := make([]int, len(of)+1) // before each access
	for i, state := range of {
		misses[i+1] = misses[i]
		if class, _ := parts(state); missing(class) {
			d.misses++
			misses[i+1]++
			if misses[i]-misses[max(i-16, 0)] >= 4 {
				d.together++
			}
		}
	}
	d.together /= float64(d.misses)
	return d
}

// TestWalksAreFollowed: a loop over many lines is told from random accesses to them, also when lines close by are
// touched in between and a new one now and then.
func TestWalksAreFollowed(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		r := random.Numbered(1, 0)
		u, w, next := newReuse(), walk{}, int32(1000)
		followed, all := 0, 0
		for i := range int32(4000) {
			line := i % 50
			if drawn {
				line = int32(r.Below(50))
			}
			touch := func(line int32) {
				d := u.touch(line)
				class := newPrivate
				if d >= 0 {
					class = classOf(d, true, crowded)
				}
				if i > 100 && far(class) {
					if all++; w.visit(class, d) >= following {
						followed++
					}
					return
				}
				w.visit(class, d)
			}
			touch(line)
			if touch(100 + i%2); i%7 == 0 {
				next++
				touch(next)
			}
		}
		if part := float64(followed) / float64(all); !drawn && part < 0.8 || drawn && part > 0.1 {
			t.Errorf("drawn at random %v: %.2f of the far lines follow", drawn, part)
		}
	}
}

// TestOrderOfExchangedLines: lines that several cores write lie in the sets of the recording in the order in which
// they are read.
func TestOrderOfExchangedLines(t *testing.T) {
	const lines, step = 64, 8
	records := make([][]traces.Record, 2)
	var edges [][]traces.Edge
	for i := range uint64(lines) {
		records[0] = append(records[0], traces.Record{Address: i * traces.LineBytes, Size: 3, Kind: traces.Store, Instructions: 1})
	}
	for i := range uint64(lines) {
		at := (i*step + i*step/lines) % lines * traces.LineBytes
		records[1] = append(records[1], traces.Record{Address: at, Size: 3, Instructions: 1}, traces.Record{Address: at, Size: 3, Kind: traces.Store, Instructions: 1})
	}
	edges = [][]traces.Edge{nil, {{At: 0, Position: lines - 1, Producer: 0}}}
	p, err := Fit(traces.NewMemory(records, edges), traces.DefaultMetadata("x", 2), FitConfig{Slices: 2, Behaviours: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range p.Footprint.Sets.Exchanged {
		for i, r := range runs {
			if want := (Run{uint16(i), step, lines / step}); r != want {
				t.Errorf("run %d is %v, want %v", i, r, want)
			}
		}
		if len(runs) != 0 && len(runs) != lines/step {
			t.Errorf("%d runs", len(runs))
		}
	}
	if p.Footprint.Exchanged[len(p.Footprint.Exchanged)-1].Lines != lines {
		t.Errorf("%v", p.Footprint.Exchanged)
	}
}

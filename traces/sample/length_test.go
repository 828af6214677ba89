package sample_test

import (
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestLengthByMisses: where no length is asked for, a window has as many records as hold 10,000 misses, within its
// bounds, and all windows have at most half of the records. L1s may have one way.
func TestLengthByMisses(t *testing.T) {
	const records = 640_000
	for i, x := range []struct {
		every, windows int // accesses to a new block
		want           uint64
	}{{1, 2, 20_000}, {4, 2, 40_000}, {100, 2, 80_000}, {100, 6, records / 12}, {100, 20, 20_000}} {
		from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{nil}, Edges: [][]traces.Edge{nil}}
		for at := range uint64(records) {
			from.Records[0] = append(from.Records[0], traces.Record{Address: at / uint64(x.every) * 64, Instructions: 1})
		}
		from.Records[0] = append(from.Records[0], traces.Record{Kind: traces.End})
		c := small(x.windows, 0, 1)
		c.WarmUp, c.Limit.L1Ways = 1, 2-i%2
		f, _ := draw(t, from, c)
		for _, w := range f.Metadata().Windows {
			if off := float64(w.Measured)/float64(x.want) - 1; math.Abs(off) > 0.02 {
				t.Errorf("a new block every %d accesses, %d windows: one of %d records, want %d", x.every, x.windows, w.Measured, x.want)
			}
		}
	}
}

// TestCompact: windows that must be small are no longer than asked for, though cores meet less often. Whatever their
// own numbers of records, they hold at most half the records of an average window before the measured part, and a
// quarter after it.
func TestCompact(t *testing.T) {
	c := small(5, 10, 1)
	c.WarmUp, c.Compact = 1000, true
	f, _ := draw(t, phases(3, 71), c)
	if m := f.Metadata(); !strings.Contains(m.Drawn, "not from barrier to barrier: there are 7") || !strings.Contains(m.Drawn, "half the records of an average window") {
		t.Error(m.Drawn)
	}
	c.Records = 100
	if f, _ := draw(t, phases(3, 71), c); !strings.Contains(f.Metadata().Drawn, "from barrier to barrier, of at least 100") {
		t.Error("no windows between barriers that come often enough")
	}
	from := tracetest.Trace{Metadata: traces.DefaultMetadata("x", 1), Records: [][]traces.Record{nil}, Edges: [][]traces.Edge{nil}}
	for i := range uint64(20_000) { // accesses of the second half hit
		from.Records[0] = append(from.Records[0], traces.Record{Address: min(i, 10_000) * 64, Instructions: 1})
	}
	from.Records[0] = append(from.Records[0], traces.Record{Kind: traces.End})
	f, _ = draw(t, from, c)
	least, most := uint64(math.MaxUint64), uint64(0)
	for i, w := range f.Metadata().Windows {
		all := must.Get(f.Window(i)).Totals()[0].Records - 1 // and an end
		if w.Lead != c.Records/2 || all != w.Lead+w.Measured+c.Records/4 {
			t.Errorf("window %d has %d records, of which %d are measured after %d", i, all, w.Measured, w.Lead)
		}
		least, most = min(least, w.Measured), max(most, w.Measured)
	}
	if most < 4*least {
		t.Errorf("windows have %d to %d measured records", least, most)
	}
}

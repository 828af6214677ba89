package stress

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/traces"
)

// Small histories with a known answer under either memory model. x and y are words of two blocks.
func TestOrderOfSmallHistories(t *testing.T) {
	const x, y = 0, 64
	ld := func(core int, record uint64, address, version uint64) cmp.Performed {
		return cmp.Performed{Core: core, Record: record, Access: traces.Record{Kind: traces.Load, Address: address}, Version: version}
	}
	access := func(kind traces.Kind) func(core int, record uint64, address, version uint64) cmp.Performed {
		return func(core int, record uint64, address, version uint64) cmp.Performed {
			p := ld(core, record, address, version)
			p.Access.Kind = kind
			return p
		}
	}
	st, at, fence := access(traces.Store), access(traces.Atomic), access(traces.Fence)
	from := func(core int, record uint64, address, store uint64) cmp.Performed {
		p := ld(core, record, address, 0)
		p.Forwarded, p.From = true, store
		return p
	}
	for _, h := range []struct {
		name    string
		tso, sc string // part of the complaint, "" when there must be none
		events  []cmp.Performed
	}{
		{"message passed", "", "", []cmp.Performed{st(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), ld(1, 1, x, 1)}},
		{"message lost", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"stores buffered", "", "no order", []cmp.Performed{st(0, 0, x, 1), ld(0, 1, y, 0), st(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"stores and fences", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), fence(0, 1, 0, 0), ld(0, 2, y, 0),
			st(1, 0, y, 1), fence(1, 1, 0, 0), ld(1, 2, x, 0)}},
		{"atomics", "no order", "no order", []cmp.Performed{at(0, 0, x, 1), ld(0, 1, y, 0), at(1, 0, y, 1), ld(1, 1, x, 0)}},
		{"loads buffered", "no order", "no order", []cmp.Performed{ld(0, 0, x, 1), st(0, 1, y, 1), ld(1, 0, y, 1), st(1, 1, x, 1)}},
		{"back in time", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), ld(1, 0, x, 1), ld(1, 1, x, 0)}},
		{"forwarded and kept", "no order", "no order", []cmp.Performed{st(0, 0, x, 1), ld(0, 1, y, 1), from(0, 2, x, 0), st(1, 0, x, 2), st(1, 1, y, 1)}},
		{"forwarded in time", "", "no order", []cmp.Performed{st(0, 0, x, 2), from(0, 1, x, 0), ld(0, 2, y, 0), st(1, 0, y, 1), st(1, 1, x, 1), ld(1, 2, x, 1)}},
		{"own store to another word", "", "", []cmp.Performed{st(0, 0, y+8, 1), ld(0, 1, x, 1), ld(0, 2, y, 0), st(1, 0, x, 1), ld(1, 1, y, 1)}},
		{"made twice", "was written before", "was written before", []cmp.Performed{st(0, 0, x, 1), st(1, 0, x, 1)}},
		{"a gap", "never written", "never written", []cmp.Performed{st(0, 0, x, 2)}},
		{"out of thin air", "was never written", "was never written", []cmp.Performed{ld(0, 0, x, 3)}},
		{"from nowhere", "never become visible", "never become visible", []cmp.Performed{from(0, 1, x, 0)}},
	} {
		for sequential, want := range map[bool]string{false: h.tso, true: h.sc} {
			o := order{sequential: sequential}
			for _, e := range h.events {
				o.observe(e)
			}
			if err := o.check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, sequential %t: %v; want %q", h.name, sequential, err, want)
			}
		}
	}
}

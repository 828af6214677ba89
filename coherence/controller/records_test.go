package controller

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
)

// TestRecords compares the hash table with a map.
func TestRecords(t *testing.T) {
	const initial = 7
	r := NewRecords(initial)
	want := map[coherence.Block]int{}
	for i := range 5000 {
		b := coherence.Block(i*i*7919) & 0xfff
		*r.Get(b)++
		want[b]++
	}
	if r.Find(0x10000) != nil {
		t.Error("a block that nobody asked for has a record")
	}
	n := 0
	r.Visit(func(b coherence.Block, record *int) {
		n++
		if *record != initial+want[b] || r.Find(b) != record {
			t.Errorf("block %d: record %d, want %d", b, *record, initial+want[b])
		}
	})
	if n != len(want) {
		t.Errorf("%d records, want %d", n, len(want))
	}
}

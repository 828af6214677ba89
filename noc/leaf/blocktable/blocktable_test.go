package blocktable

import "testing"

// TestTable compares the table with a map, while it grows.
func TestTable(t *testing.T) {
	const initial = 7
	r := New[uint32](initial)
	want := map[uint32]int{}
	r.Grow(100)
	for i := range 5000 {
		b := uint32(i*i*7919) & 0xfff
		*r.Get(b)++
		want[b]++
	}
	if r.Find(0x10000) != nil {
		t.Error("a block that nobody asked for has a record")
	}
	n := 0
	r.Visit(func(b uint32, record *int) {
		n++
		if *record != initial+want[b] || r.Find(b) != record {
			t.Errorf("block %d: record %d, want %d", b, *record, initial+want[b])
		}
	})
	if n != len(want) {
		t.Errorf("%d records, want %d", n, len(want))
	}
}

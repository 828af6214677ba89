package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/traces"
)

// bytes are the bytes of an access.
func bytes(address uint64, size uint8) (first, end uint64) { return address, address + 1<<size }

// A load takes its value from the youngest older store to its bytes, in the buffer or in the window, if that
// wrote them all; the counts of words never hide a store.
func TestForwardingAgainstPlainSearch(t *testing.T) {
	r := random{1}
	q := newStores(CoreConfig{Window: 12, StoreBuffer: 5})
	type one struct { // those here, oldest first
		address uint64
		record  uint32
		size    uint8
		kind    traces.Kind
	}
	var all []one
	found := [3]int{}
	for step := range 200_000 {
		address, size := 4096+r.next()%96, uint8(r.next()%5)
		block := coherence.Block(address / coherence.BlockBytes)
		switch v := r.next() % 8; {
		case v < 2 && len(all)-q.buffered() < 12:
			s := one{address: address, record: uint32(step), size: size, kind: traces.Store}
			if r.next()%8 == 0 {
				s.kind = traces.Unlock
			}
			q.enter(&operation{kind: s.kind, address: address, size: size, index: s.record}, block)
			all = append(all, s)
		case v == 2 && q.buffered() < 5 && len(all) > q.buffered():
			q.retire()
		case v == 3 && q.buffered() > 0:
			if q.front().record != all[0].record {
				t.Fatalf("step %d: the oldest store is %+v, want %+v", step, *q.front(), all[0])
			}
			if q.pop(); all[0].kind == traces.Unlock {
				if object := q.objects.pop(); object != all[0].address {
					t.Fatalf("step %d: the unlock is of %d, want %d", step, object, all[0].address)
				}
			}
			all = all[1:]
		case v > 3:
			older := int(r.next() % uint64(len(all)+1)) // stores older than the load
			want, from := forwardNone, uint32(0)
			first, end := bytes(address, size)
			for i := older - 1; i >= 0 && want == forwardNone; i-- {
				s, e := bytes(all[i].address, all[i].size)
				switch {
				case all[i].kind != traces.Store || all[i].address/coherence.BlockBytes != uint64(block) || s >= end || first >= e:
				case s <= first && end <= e:
					want, from = forwardAll, all[i].record
				default:
					want, from = forwardPart, all[i].record
				}
			}
			gotFrom, got := q.forwards(block, address, size, uint16(q.visible)+uint16(older))
			if got != want || gotFrom != from || want != forwardNone && !q.mayForward(address, size) {
				t.Fatalf("step %d: %d from record %d, want %d from %d; may forward: %t", step, got, gotFrom, want, from, q.mayForward(address, size))
			}
			found[want]++
		}
	}
	if len(all) == 0 || found[forwardNone] == 0 || found[forwardAll] == 0 || found[forwardPart] == 0 {
		t.Errorf("too little happened: %d stores are left, %v", len(all), found)
	}
}

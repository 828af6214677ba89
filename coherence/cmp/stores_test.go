package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// bytes returns the bytes of an access.
func bytes(address uint64, size uint8) (first, end uint64) { return address, address + 1<<size }

// A load takes its value from the youngest store to its bytes that has entered before it, in the
// buffer or in the window, if that wrote them all, whatever stores have entered or left since. The
// table of words never hides a store, also when numbers of stores come round.
func TestForwardingAgainstPlainSearch(t *testing.T) {
	r := random.Stream(1)
	q := newStores(CoreConfig{Window: 12, StoreBuffer: 5})
	type one struct { // those here, oldest first
		number  uint64
		address uint64
		record  uint32
		size    uint8
		kind    traces.Kind
	}
	var all []one
	type load struct {
		operation
		entered uint64 // stores before it
	}
	var loads [6]load // some that are in the window
	found := [3]int{}
	for step := range 800_000 {
		address, size := 4096+r.Uint64()%96, uint8(r.Uint64()%5)
		block := coherence.Block(address / coherence.BlockBytes)
		switch v := r.Uint64() % 8; {
		case v < 2 && len(all)-q.buffered() < 12:
			s := one{number: q.entered, address: address, record: uint32(step), size: size, kind: traces.Store}
			if r.Uint64()%8 == 0 {
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
				if object := q.objects.Pop(); object != all[0].address {
					t.Fatalf("step %d: the unlock is of %d, want %d", step, object, all[0].address)
				}
			}
			all = all[1:]
		case v < 6:
			l := load{operation{kind: traces.Load, address: address, size: size}, q.entered}
			q.guard(&l.operation)
			loads[r.Uint64()%6] = l
		default:
			l := &loads[r.Uint64()%6]
			block := coherence.Block(l.address / coherence.BlockBytes)
			want, from := forwardNone, uint32(0)
			first, end := bytes(l.address, l.size)
			for i := len(all) - 1; i >= 0 && want == forwardNone; i-- {
				s, e := bytes(all[i].address, all[i].size)
				switch {
				case all[i].number >= l.entered || all[i].kind != traces.Store || all[i].address/coherence.BlockBytes != uint64(block) || s >= end || first >= e:
				case s <= first && end <= e:
					want, from = forwardAll, all[i].record
				default:
					want, from = forwardPart, all[i].record
				}
			}
			gotFrom, got := uint32(0), forwardNone
			if l.guarded {
				gotFrom, got = q.forwards(block, l.address, l.size, l.older)
			}
			if got != want || gotFrom != from {
				t.Fatalf("step %d: %d from record %d, want %d from %d; %+v", step, got, gotFrom, want, from, *l)
			}
			found[want]++
		}
	}
	if len(all) == 0 || found[forwardNone] == 0 || found[forwardAll] == 0 || found[forwardPart] == 0 || q.entered < 1<<16 {
		t.Errorf("too little happened: %d stores of %d are left, %v", len(all), q.entered, found)
	}
}

// A number that comes round may be that of a younger store: a load does not take its value, neither
// where its word was last touched so long ago, nor where the store before it to the word is the
// next that was.
func TestNumbersOfStoresComeRound(t *testing.T) {
	for _, before := range []bool{false, true} {
		q := newStores(CoreConfig{Window: 12, StoreBuffer: 5})
		enter := func(address uint64) {
			q.enter(&operation{kind: traces.Store, address: address}, coherence.Block(address/64))
		}
		enter(4096)
		for range 1<<16 - 3 {
			q.retire()
			q.pop()
			enter(8192)
		}
		q.retire()
		q.pop()
		if before {
			enter(4096)
		} else {
			enter(8192)
		}
		l := operation{kind: traces.Load, address: 4097}
		q.guard(&l)
		enter(8192)
		enter(4097) // its number is that of the first
		if _, f := q.forwards(64, l.address, 0, l.older); l.guarded && f != forwardNone {
			t.Errorf("with a store to the word before it %t: a load takes the value of a younger store", before)
		}
	}
}

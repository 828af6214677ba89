package cache

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The filter admits every block that an array of a cache holds, whatever other arrays and caches
// do, and none that was released, unless another block of its set has the same bit.
func TestPresenceFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Sets: 4, Ways: 2, Policy: LRU}
		const caches = 3
		filter := NewPresenceFilter(c, caches)
		var arrays [caches][2]Array
		for i := range arrays {
			for j := range arrays[i] {
				arrays[i][j] = NewArray(c, 0)
			}
		}
		for range 100 {
			member, array := rapid.IntRange(0, caches-1).Draw(t, "cache"), rapid.IntRange(0, 1).Draw(t, "array")
			a := &arrays[member][array]
			release := func(f int32) {
				gone := a.Block(f)
				a.Release(f)
				filter.Changed(member, array, a, gone)
			}
			b := uint32(rapid.IntRange(0, 60).Draw(t, "block"))
			switch f := a.Find(b); {
			case f != None:
				release(f)
			default:
				if f = a.Victim(b, 0); a.Holds(f) {
					release(f)
				}
				a.Fill(f, b)
				filter.Filled(member, array, b)
			}
			for i := range arrays {
				var held []uint64
				for j := range arrays[i] {
					for b := range uint32(61) {
						if arrays[i][j].Find(b) != None {
							held = append(held, hashBit(b)<<8|uint64(b%4))
						}
					}
				}
				for b := range uint32(61) {
					if want := slices.Contains(held, hashBit(b)<<8|uint64(b%4)); filter.MayHold(i, b) != want {
						t.Fatalf("cache %d may hold block %d: %t, want %t", i, b, !want, want)
					}
				}
			}
		}
	})
}

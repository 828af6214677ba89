package set

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type number uint

// small is what all sets can do.
type small interface {
	Has(number) bool
	First() number
	Many() bool
}

// TestSets holds sets of all sizes to sorted lists of their members.
func TestSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var s8 Of8[number]
		var s16 Of16[number]
		var s32 Of32[number]
		var s64 Of64[number]
		lists := map[int][]number{}
		for range random.IntN(20) {
			n, in := number(random.IntN(64)), random.IntN(3) > 0
			change := func(size number, add, remove func(number)) {
				at := n % size
				lists[int(size)] = slices.DeleteFunc(lists[int(size)], func(m number) bool { return m == at })
				if remove(n); in {
					add(n)
					lists[int(size)] = append(lists[int(size)], at)
				}
				slices.Sort(lists[int(size)])
			}
			change(8, s8.Add, s8.Remove)
			change(16, s16.Add, s16.Remove)
			change(32, s32.Add, s32.Remove)
			change(64, s64.Add, s64.Remove)
			twice, other := s16, s8
			if twice.Put(n, s16.Bit(n)); twice != s16 {
				t.Fatalf("Put of what is there makes %b of %b", twice, s16)
			}
			if other.Put(n, s8.Bit(n)^1); other.Has(n) == s8.Has(n) || other^s8 != 1<<(n%8) {
				t.Fatalf("Put of %d makes %b of %b", n, other, s8)
			}
		}
		for size, s := range map[int]small{8: s8, 16: s16, 32: s32, 64: s64} {
			list := lists[size]
			for n := range number(size) {
				if s.Has(n) != slices.Contains(list, n) {
					t.Fatalf("%d has %d: %v, members %v", size, n, s.Has(n), list)
				}
			}
			if s.Many() != (len(list) > 1) || len(list) > 0 && s.First() != list[0] {
				t.Fatalf("%d: first %d, many %v, members %v", size, s.First(), s.Many(), list)
			}
		}
		for size, count := range map[int]int{16: s16.Count(), 32: s32.Count(), 64: s64.Count()} {
			if count != len(lists[size]) {
				t.Fatalf("%d has %d members, want %v", size, count, lists[size])
			}
		}
		for size, all := range map[int][]number{8: slices.Collect(s8.All()), 16: slices.Collect(s16.All()), 32: slices.Collect(s32.All()), 64: slices.Collect(s64.All())} {
			if !slices.Equal(all, lists[size]) {
				t.Fatalf("all of %d are %v, want %v", size, all, lists[size])
			}
		}
	}
}

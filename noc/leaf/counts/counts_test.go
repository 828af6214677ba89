package counts

import "testing"

// TestAdd: counts and energies add up, and what is no number stays.
func TestAdd(t *testing.T) {
	type all struct {
		Name    string
		Created bool
		Energy  float64
		List    [2]uint64
	}
	sum := all{"name", true, 0.5, [2]uint64{5, 6}}
	if Add(&sum, &all{"other", false, 0.25, [2]uint64{1, 2}}); sum != (all{"name", true, 0.75, [2]uint64{6, 8}}) {
		t.Errorf("the sum is %+v", sum)
	}
}

// TestSince: every count is that since the start, and texts stay.
func TestSince(t *testing.T) {
	type pair struct{ A, B uint64 }
	type all struct {
		Name  string
		Small uint16
		List  [3]uint64
		Pairs [2]pair
	}
	end := all{"name", 9, [3]uint64{5, 6, 7}, [2]pair{{8, 9}, {10, 11}}}
	start := all{"other", 2, [3]uint64{1, 1, 7}, [2]pair{{8, 0}, {1, 2}}}
	if Since(&end, &start); end != (all{"name", 7, [3]uint64{4, 5, 0}, [2]pair{{0, 9}, {9, 9}}}) {
		t.Errorf("the difference is %+v", end)
	}
}

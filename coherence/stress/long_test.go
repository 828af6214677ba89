package stress

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// number reads an environment variable.
func number(t *testing.T, name string, fallback int) int {
	v := os.Getenv(name)
	if v == "" {
		return fallback
	}
	var n int
	if _, err := fmt.Sscan(v, &n); err != nil || n < 0 {
		t.Fatalf("%s is %q; a number from 0 on is allowed", name, v)
	}
	return n
}

// TestLong runs CAROUSEL_STRESS_CASES cases from number CAROUSEL_STRESS_FIRST on, of
// CAROUSEL_STRESS_WORK each (see Sized), and prints each one's figures: half an hour for a billion
// accesses. Runs of up to a million accesses are checked for an order that explains them.
func TestLong(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("set CAROUSEL_LONG=1 for a billion accesses")
	}
	first, cases, work := number(t, "CAROUSEL_STRESS_FIRST", 0), number(t, "CAROUSEL_STRESS_CASES", 600), number(t, "CAROUSEL_STRESS_WORK", 10_000_000)
	total := uint64(0)
	for k := first; k < first+cases; k++ {
		start := time.Now()
		c, err := Case(networks(), k).Sized(t.Context(), uint64(work))
		var r Report
		c.Order = c.Accesses <= 1_000_000
		if err == nil {
			r, err = Run(t.Context(), c, nil)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		total += r.Accesses
		x := &r.Result
		fmt.Printf("%s: %d accesses, %d cycles, %.0f k/s; misses %d, persistent %d, replays %d; total %d\n", c.Name, r.Accesses, r.Cycles,
			float64(r.Accesses)/time.Since(start).Seconds()/1e3, x.L1Misses, x.Counter("persistent_requests"), x.Replays, total)
	}
}

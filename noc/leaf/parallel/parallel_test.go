package parallel

import (
	"context"
	"errors"
	"testing"
)

// TestDo: everything is done once, whatever the number of jobs.
func TestDo(t *testing.T) {
	for _, jobs := range []int{0, 1, 4, 200} {
		done := make([]int, 100)
		Do(len(done), jobs, func(i int) { done[i]++ })
		for i, n := range done {
			if n != 1 {
				t.Errorf("%d jobs: %d is done %d times", jobs, i, n)
			}
		}
	}
}

// TestUntil: progress is told, the first error is returned, and nothing begins after an
// interruption.
func TestUntil(t *testing.T) {
	last, first := 0, errors.New("first")
	err := Until(t.Context(), 100, 4, func(n int) { last = n }, func(i int) error {
		switch i {
		case 30:
			return first
		case 60:
			return errors.New("second")
		}
		return nil
	})
	if err != first || last != 100 {
		t.Errorf("%d are done (%v)", last, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	count := 0
	err = Until(ctx, 10, 1, nil, func(int) error { count++; stop(); return nil })
	if !errors.Is(err, context.Canceled) || count != 1 {
		t.Errorf("%d are done after an interruption (%v)", count, err)
	}
}

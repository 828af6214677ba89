package traffic

import (
	"context"
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// still is a network that owes a delivery for ever; while it moves, phits cross its links.
type still struct {
	nowhere
	moves noc.Cycle
}

func (s *still) InFlight() int              { return 1 }
func (s *still) Totals() noc.Totals         { return noc.Totals{PhitHops: uint64(min(s.now, s.moves))} }
func (s *still) Deliveries() []noc.Delivery { return nil }

// waiter waits for a cycle, or for ever, and calls what does not move stalled.
type waiter struct {
	until   noc.Cycle
	stalled error
	looks   int
}

func (w *waiter) Serve(now noc.Cycle) (noc.Cycle, bool, error) { return w.until, now >= w.until, nil }
func (w *waiter) Take(int, *noc.Delivery)                      {}
func (w *waiter) Stalled() error                               { w.looks++; return w.stalled }

// TestDrive: a run ends with its source, at its end, with its context, and when nothing moves for
// long, if the source calls that stalled.
func TestDrive(t *testing.T) {
	stopped, cancelled := errors.New("stopped"), context.Background()
	cancelled, stop := context.WithCancel(cancelled)
	stop()
	for _, c := range []struct {
		what      string
		ctx       context.Context
		moves     noc.Cycle // of the network
		source    waiter
		end       noc.Cycle
		err       error
		from, to  noc.Cycle // of the end
		sometimes bool      // the source is asked whether it has stalled
	}{
		{"its source is done", context.Background(), noc.Never, waiter{until: 700, stalled: stopped}, noc.Never, nil, 700, 700, false},
		{"its end", context.Background(), noc.Never, waiter{until: noc.Never, stalled: stopped}, 100_000, nil, 100_000, 100_000, false},
		{"nothing moves", context.Background(), 50_000, waiter{until: noc.Never, stalled: stopped}, noc.Never, stopped, 50_000 + stallLimit, 50_000 + 3*stallLimit, true},
		{"phits move and never arrive", context.Background(), noc.Never, waiter{until: noc.Never, stalled: stopped}, noc.Never, stopped, mostLooks * stallLimit, mostLooks * stallLimit, true},
		{"the source waits", context.Background(), 50_000, waiter{until: noc.Never}, 200_000, nil, 200_000, 200_000, true},
		{"it is cancelled", cancelled, noc.Never, waiter{until: 700}, noc.Never, context.Canceled, 0, 0, false},
	} {
		n := &still{moves: c.moves}
		err := Drive(c.ctx, Networks{n}, &c.source, c.end, func() {})
		if !errors.Is(err, c.err) || n.now < c.from || n.now > c.to || (c.source.looks > 0) != c.sometimes {
			t.Errorf("%s: %v in cycle %d after %d questions; want %v between %d and %d", c.what, err, n.now, c.source.looks, c.err, c.from, c.to)
		}
	}
}

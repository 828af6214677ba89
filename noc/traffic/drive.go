package traffic

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Source sends packets through networks.
type Source interface {
	// Serve does what is due in a cycle and returns the next cycle in which something is: noc.Never if it waits
	// for deliveries. done ends the run.
	Serve(now noc.Cycle) (next noc.Cycle, done bool, err error)
	// Take takes a delivery of one of the networks.
	Take(network int, d *noc.Delivery)
	// Stalled returns why networks in which nothing moves have stopped; nil if they have not.
	Stalled() error
}

// stallLimit is the number of cycles without a delivery after which [Drive] looks whether phits still move. After
// mostLooks they move without getting anywhere.
const stallLimit, mostLooks = 8192, 128

// Drive is the loop of everything that a network carries without a chip. It serves a source until it is
// done, or until the given cycle. Now and then it calls report, and ends with the error of ctx after ctx
// has ended.
func Drive(ctx context.Context, networks Networks, s Source, end noc.Cycle, report func()) error {
	if err := networks.Check(); err != nil {
		return err
	}
	networks.hold(true)
	defer networks.hold(false)
	quiet, moved, looks := networks.Now(), ^uint64(0), 0
	for round := 0; networks.Now() < end; round++ {
		if round%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			report()
		}
		next, done, err := s.Serve(networks.Now())
		if done || err != nil {
			return err
		}
		if next = min(next, end); networks.InFlight() > 0 { // else the networks skip to it, however far it is
			next = min(next, quiet+stallLimit)
		}
		now := networks.Step(next)
		some := networks.InFlight() == 0
		for i, n := range networks {
			list := n.Deliveries()
			for k := range list {
				s.Take(i, &list[k])
			}
			some = some || len(list) > 0
		}
		if some {
			quiet, looks = now, 0
		} else if now >= quiet+stallLimit {
			before := moved
			quiet, moved, looks = now, phits(networks), looks+1
			if moved == before || looks >= mostLooks {
				if err := s.Stalled(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// phits are those that have crossed links or reached destinations.
func phits(networks Networks) (sum uint64) {
	for _, n := range networks {
		t := n.Totals()
		sum += t.PhitHops + t.Phits
	}
	return sum
}

// StandstillError says why nothing moves in networks any more.
type StandstillError struct{ text string }

// Error returns what the packets hold and wait for.
func (e *StandstillError) Error() string { return e.text }

// Standstill explains why nothing moves in a network. rules are those that its routers follow, where
// options switch rules on and off, or "".
func Standstill(network noc.Network, rules string) error {
	stuck := network.Explain()
	text := fmt.Sprintf("the network has stopped at cycle %d with %d deliveries owed; %d packets cannot move",
		network.Now(), network.InFlight(), len(stuck))
	if rules != "" {
		text += fmt.Sprintf("; its routers follow the rules %q, see carousel list", rules)
	}
	for i := range stuck[:min(len(stuck), 8)] {
		p := &stuck[i]
		text += fmt.Sprintf("\n  a packet of node %d, class %d, at node %d since cycle %d holds %s and waits for %s at node %d",
			p.Src, p.Class, p.At, p.Since, p.Holds, p.Waits, p.For)
	}
	return &StandstillError{text}
}

// Tags are the tags of packets or messages under way, with what is known of each.
type Tags[T any] struct {
	all  []T
	free []noc.Tag
}

// New returns a tag that nothing under way has. What it stands for keeps its old content.
func (t *Tags[T]) New() (noc.Tag, *T) {
	last := len(t.free) - 1
	if last < 0 {
		t.all = append(t.all, *new(T))
		return noc.Tag(len(t.all) - 1), &t.all[len(t.all)-1]
	}
	tag := t.free[last]
	t.free = t.free[:last]
	return tag, &t.all[tag]
}

// At returns what a tag stands for; the pointer is good until the next New.
func (t *Tags[T]) At(tag noc.Tag) *T { return &t.all[tag] }

// Free gives a tag back.
func (t *Tags[T]) Free(tag noc.Tag) { t.free = append(t.free, tag) }

// Len returns how many tags are in use.
func (t *Tags[T]) Len() int { return len(t.all) - len(t.free) }

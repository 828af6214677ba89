package traffic

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Networks are networks of the same nodes at the same cycle, stepped by one clock, for chips that have more
// than one. After each Step none has gone past a cycle in which a delivery of another one became visible, so
// a client that acts on deliveries sees the same as if it had stepped all networks cycle by cycle.
type Networks []noc.Network

// Check reports whether there is a network, and all have the same nodes and clock.
func (n Networks) Check() error {
	if len(n) == 0 {
		return fmt.Errorf("there is no network")
	}
	for i, other := range n {
		if other.Nodes() != n[0].Nodes() || other.Now() != n[0].Now() {
			return fmt.Errorf("network %d has %d nodes and is at cycle %d, network 0 has %d and is at %d",
				i, other.Nodes(), other.Now(), n[0].Nodes(), n[0].Now())
		}
	}
	return nil
}

// Now is the cycle about to be simulated.
func (n Networks) Now() noc.Cycle { return n[0].Now() }

// InFlight is the number of deliveries still owed.
func (n Networks) InFlight() (sum int) {
	for _, one := range n {
		sum += one.InFlight()
	}
	return sum
}

// hold passes on noc.Hold.
func (n Networks) hold(held bool) {
	for _, one := range n {
		noc.Hold(one, held)
	}
}

// Step simulates cycles from Now on, up to and not including until, and returns the new Now. While
// one network alone is busy, it stops early as that one does; while several are, after each cycle.
func (n Networks) Step(until noc.Cycle) noc.Cycle {
	busy := -1
	for i, one := range n {
		if one.InFlight() == 0 {
			continue
		}
		if busy >= 0 {
			busy, until = -1, min(until, n.Now()+1)
			break
		}
		busy = i
	}
	if busy >= 0 {
		until = n[busy].Step(until)
	}
	for _, one := range n {
		for one.Now() < until {
			one.Step(until)
		}
	}
	return until
}

package ideal

import "fmt"

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, copies land in order, and those that wait do so for a sink without room.
func (n *Network) CheckInvariants() error {
	waiting := 0
	for i := range n.ports {
		p := &n.ports[i]
		waiting += p.waiting.Len()
		if node, class := n.sinkOf(i); p.waiting.Len() > 0 && !p.freed && n.Sinks.Room(node, class) {
			return fmt.Errorf("ideal: cycle %d, node %d: a packet of class %d waits for a sink with room", n.Clock, node, class)
		}
	}
	if flying := len(n.flying.all); flying+waiting != n.Owed() {
		return fmt.Errorf("ideal: cycle %d: %d copies fly and %d wait for a sink; %d are owed", n.Clock, flying, waiting, n.Owed())
	}
	for i := range n.flying.all {
		f := &n.flying.all[i]
		if f.start < n.Clock || i > 0 && f.before(&n.flying.all[(i-1)/2]) {
			return fmt.Errorf("ideal: cycle %d: a copy for node %d that lands in cycle %d is out of order", n.Clock, f.at, f.start)
		}
	}
	return nil
}

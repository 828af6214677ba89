package rotary

import "github.com/carousel-sim/carousel/noc"

// Quota has, for each class, the packets that a router holds: those that have been injected there
// or granted an output stage that leads there, until they are granted an output stage themselves.
type Quota [noc.MaxClasses]int16

// Room returns how many more packets of a class the router may hold: the least of what is free at
// the levels from the class upwards. Level c counts the classes up to c.
func (q *Quota) Room(l *Limits, class noc.Class) int {
	return q.Rooms(l)[class]
}

// Rooms returns the same for every class.
func (q *Quota) Rooms(l *Limits) (rooms [noc.MaxClasses]int) {
	sum, least := 0, 1<<30
	for level, limit := range l.Quota {
		sum += int(q[level])
		rooms[level] = limit - sum
	}
	for level := len(rooms) - 1; level >= 0; level-- {
		if l.Quota[level] >= 0 { // else higher classes have no limit either
			least = min(least, rooms[level])
		}
		rooms[level] = least
	}
	return rooms
}

// admits is rule 18: whether router r takes a packet of a class that comes from its port from,
// which is the local one for its own interface, and has room for that number of packets. taken
// tells that the sender has used its turn in this cycle.
//
// Neighbours see what is held at the start of the cycle. While there is room for every possible
// sender, all may send; otherwise only the port whose turn it is by the number of the cycle, and a
// single packet. So nothing depends on the order in which routers are visited, and no limit is
// exceeded.
func (n *Network) admits(r *router, from int, class noc.Class, packets int, taken bool) bool {
	room := r.seen.Room(&n.limits, class)
	if room >= n.limits.Takers() {
		return true
	}
	return !taken && room >= packets && int(n.Clock%noc.Cycle(n.limits.Ports)) == from
}

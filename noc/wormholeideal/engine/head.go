package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// advance lets the header of a worm, which is ready in its router, ask for its next place: the receiver of
// a stop that is attached here, or else the channel onwards.
func (n *Network) advance(id int32, t noc.Cycle) {
	w, plan := &n.worms[id], n.Dispatch.At(id)
	if n.config.InjectionChannels && w.head == 0 && plan.Port != dispatch.Loopback {
		ports := int32(n.config.InjectionPorts)
		n.askChannel(id, int32(len(n.wiring.Channels))+int32(plan.From)*ports+plan.Port, t)
		return
	}
	stop := plan.Stops[plan.Next]
	if int32(n.wiring.Exit[stop].Router) == w.router || plan.Port == dispatch.Loopback {
		n.enqueue(&n.receivers[stop].queue, id, nodePlus(stop), t)
		n.askReceiver(int32(stop))
		return
	}
	n.routers[w.router].Decided++
	if plan.Routed {
		n.askChannel(id, n.router.Next(noc.NodeID(w.router), stop), t)
		return
	}
	to := plan.Path[plan.Step]
	plan.Step++
	n.askChannel(id, int32(n.wiring.Channel(noc.NodeID(w.router), to)), t)
}

// askChannel puts a worm into the queue of a channel, or of its router where routing is adaptive.
func (n *Network) askChannel(id, c int32, t noc.Cycle) {
	if from := n.channels[c].from; n.adaptive != nil && from != none {
		n.enqueue(&n.forks[from].queue, id, c, t)
		n.stir(from)
		return
	}
	n.enqueue(&n.channels[c].queue, id, c, t)
	n.list(c)
}

// enqueue sorts a worm into a queue: the oldest request first, then the lowest input port.
func (n *Network) enqueue(queue *int32, id, place int32, t noc.Cycle) {
	w := &n.worms[id]
	w.waits, w.since, w.key = place, t, int32(w.in)*portBase+n.Dispatch.At(id).Port
	at := queue
	for *at != none {
		other := &n.worms[*at]
		if other.since > t || other.since == t && other.key > w.key {
			break
		}
		at = &other.behind
	}
	w.behind = *at
	*at = id
}

// list notes that a channel is to be arbitrated in this cycle.
func (n *Network) list(c int32) {
	if ch := &n.channels[c]; !ch.listed && ch.holder == none && ch.queue != none {
		ch.listed = true
		n.freed = append(n.freed, c)
	}
}

// askReceiver notes that the ejection channels of a node are to be arbitrated in this cycle.
func (n *Network) askReceiver(node int32) {
	if r := &n.receivers[node]; !r.listed && r.idle > 0 && r.queue != none {
		r.listed = true
		n.asked = append(n.asked, node)
	}
}

// arbitrate gives free places to the headers that have asked for them longest. Receivers come first, for
// whoever has got one asks for the channel onwards in the same cycle. A header that crosses may draw a
// tail out of a buffer far behind, whose channel is then free for the same cycle. Adaptive headers come after
// those with one choice, in rounds (adapt.go).
func (n *Network) arbitrate(t noc.Cycle) {
	for len(n.asked) > 0 {
		n.asked, n.again = n.again[:0], n.asked
		for _, node := range n.again {
			n.receivers[node].listed = false
			n.receive(node, t)
		}
	}
	for len(n.freed)+len(n.restless) > 0 {
		for i := 0; i < len(n.freed); i++ {
			c := n.freed[i]
			n.channels[c].listed = false
			if n.channels[c].holder == none && n.channels[c].queue != none {
				n.cross(c, t)
			}
		}
		n.freed = n.freed[:0]
		n.round(t)
	}
}

// receive gives the ejection channels of a node to headers whose class has room in the sink.
func (n *Network) receive(node int32, t noc.Cycle) {
	r := &n.receivers[node]
	if r.idle == 0 {
		return
	}
	asking, granted := uint64(0), uint64(0)
	for at := r.queue; at != none; at = n.worms[at].behind {
		asking++
	}
	for at := &r.queue; *at != none && r.idle > 0; {
		id := *at
		w := &n.worms[id]
		class := n.Dispatch.At(id).Class
		if !n.Sinks.Room(noc.NodeID(node), class) {
			at = &w.behind
			continue
		}
		*at = w.behind
		n.Sinks.Reserve(noc.NodeID(node), class)
		r.idle--
		granted++
		n.eject(id, noc.NodeID(node), t)
	}
	if granted > 0 {
		x := &n.routers[n.wiring.Exit[node].Router]
		x.Asked += asking
		x.Granted += granted
	}
}

// eject lets a node take a copy of a worm. At the last stop the header crosses into the node at once; at
// another the worm goes on to ask for the next place, and copy and worm advance together.
func (n *Network) eject(id int32, node noc.NodeID, t noc.Cycle) {
	w, plan := &n.worms[id], n.Dispatch.At(id)
	w.waits, w.behind = none, none
	w.visits = append(w.visits, visit{node, w.head})
	x := &n.routers[w.router]
	x.Crossbar += uint64(w.phits)
	x.Ejected += uint64(w.phits)
	n.Dispatch.Head(id, node, n.links(w.head), t)
	if plan.Next++; int(plan.Next) < len(plan.Stops) {
		x.Replicated++
		n.advance(id, t)
		return
	}
	w.done = true
	n.leaveSource(id, t)
	if w.head > 0 {
		x.Read += uint64(w.phits)
	}
	w.head++
	w.held, w.crossed = append(w.held, none), append(w.crossed, t)
	n.followTail(id, t)
}

// cross lets the header that has asked longest cross a channel.
func (n *Network) cross(c int32, t noc.Cycle) {
	ch := &n.channels[c]
	id := ch.queue
	x := &n.routers[ch.to]
	if ch.from != none {
		x = &n.routers[ch.from]
	}
	for at := id; at != none; at = n.worms[at].behind {
		x.Asked++
	}
	x.Granted++
	ch.queue, ch.holder = n.worms[id].behind, id
	n.enter(id, c, t)
}

// enter lets the header of a worm cross a channel that the worm holds from now on.
func (n *Network) enter(id, c int32, t noc.Cycle) {
	ch, w := &n.channels[c], &n.worms[id]
	w.waits, w.behind = none, none
	phits := uint64(w.phits)
	x := &n.routers[ch.to]
	if ch.from != none {
		x = &n.routers[ch.from]
	}
	ch.phits += phits
	if ch.from != none {
		n.phitHops += phits
		x.Crossbar += phits
		if w.head > 0 {
			x.Read += phits
		}
	}
	n.leaveSource(id, t)
	w.head++
	w.held, w.crossed = append(w.held, c), append(w.crossed, t)
	w.router, w.in = ch.to, ch.in
	n.routers[ch.to].Written += phits
	n.routers[ch.to].Enter(t + 1)
	n.calendar.Add(t+1+noc.Cycle(n.config.RouteCycles), headArrives, id)
	n.followTail(id, t)
}

// leaveSource counts a worm whose header leaves its node in cycle t, if this one does.
func (n *Network) leaveSource(id int32, t noc.Cycle) {
	w := &n.worms[id]
	if w.head > 0 {
		return
	}
	x := &n.routers[w.router]
	x.Injected += uint64(w.phits)
	n.Dispatch.Leaves(id, t)
	if !n.config.InjectionChannels {
		x.Enter(t)
	}
}

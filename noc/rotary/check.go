package rotary

import (
	"errors"
	"fmt"
)

// CheckInvariants verifies the laws of the package documentation on the state between two cycles.
// It is for tests and audits, and changes nothing.
func (n *Network) CheckInvariants() error {
	packets, err := n.checkLaws()
	if err == nil {
		err = n.checkMemory()
	}
	if queued, _ := n.Sources.Waiting(); err == nil && (packets != n.packets.live || packets+queued != n.Packets.Live()) {
		err = fmt.Errorf("%d packets inside and %d at sources; %d are in use, and %d in the arena (law 6)", packets, queued, n.packets.live, n.Packets.Live())
	}
	return n.inCycle(err)
}

// inCycle tells when an error was found.
func (n *Network) inCycle(err error) error {
	if err != nil {
		return fmt.Errorf("rotary: cycle %d: %w", n.Clock, err)
	}
	return nil
}

// checkLaws verifies all laws but law 5, and counts the packets inside.
func (n *Network) checkLaws() (packets int, err error) {
	spare := 0
	for id := range n.routers {
		free, err := n.checkRouter(&n.routers[id])
		if err != nil {
			return 0, fmt.Errorf("router %d: %w", id, err)
		}
		spare += free
	}
	if spare < 1 && n.config.Multicast != Tree {
		return 0, errors.New("no spare slot in the network (law 3)")
	}
	if err := n.checkQuotas(); err != nil {
		return 0, err
	}
	return n.checkOwed()
}

// checkRouter verifies laws 1 and 2 and returns the spare slots of a router: those that its rings
// need not keep, and those of the stages to and from its neighbours.
func (n *Network) checkRouter(r *router) (spare int, err error) {
	for ring := range r.segments {
		free := 0
		for p := range r.segments[ring] {
			s := &r.segments[ring][p]
			if n.free(s) < 0 {
				return 0, fmt.Errorf("ring %d segment %d has %d free slots (law 1)", ring, p, n.free(s))
			}
			free += n.free(s)
		}
		if free < 1 {
			return 0, fmt.Errorf("ring %d has %d free slots (law 2)", ring, free)
		}
		if r.holder[ring] != none && free < n.config.EnterSlots {
			return 0, fmt.Errorf("ring %d is held with %d free slots (law 2)", ring, free)
		}
		spare += free - 1
	}
	for p := range r.outputs {
		o := &r.outputs[p]
		if o.peer == none { // a slot towards the node is of no use to a packet for another node
			continue
		}
		for ring := range o.lanes {
			free := n.limits.LaneSlots - o.lanes[ring].Len()
			if free < 0 {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots (law 1)", p, ring, free)
			}
			spare += free
		}
		free := n.limits.InputSlots - n.routers[o.peer].inputs[o.entry].Len()
		if free < 0 {
			return 0, fmt.Errorf("input stage %d of router %d has %d free slots (law 1)", o.entry, o.peer, free)
		}
		spare += free
	}
	return spare, nil
}

// eachQueue calls visit with each queue of a router, and the router for whose quotas its packets
// count, or none.
func (r *router) eachQueue(visit func(q *fifo, counts int)) {
	for p := range r.inputs {
		visit(&r.inputs[p].fifo, r.id)
		for ring := range r.segments {
			visit(&r.segments[ring][p].lanes[0].fifo, r.id)
			visit(&r.segments[ring][p].lanes[1].fifo, r.id)
			visit(&r.outputs[p].lanes[ring], r.outputs[p].peer)
		}
	}
}

// checkQuotas verifies law 4.
func (n *Network) checkQuotas() error {
	held := make([]Quota, len(n.routers)) // by each router
	for id := range n.routers {
		n.routers[id].eachQueue(func(q *fifo, counts int) {
			if counts != none {
				held[counts].add(q)
			}
		})
	}
	for id := range held {
		if held[id] != n.routers[id].held {
			return fmt.Errorf("router %d holds %v packets per class, %v noted (law 4)", id, held[id], n.routers[id].held)
		}
		if room := held[id].Room(&n.limits, 0); room < 0 {
			return fmt.Errorf("router %d holds %v packets per class, over its quotas (law 4)", id, held[id])
		}
	}
	return nil
}

// add counts the packets of a queue.
func (q *Quota) add(f *fifo) {
	for _, s := range f.All() {
		q[s.packet.class]++
	}
}

// checkMemory verifies law 5: the phits in each segment fit its memory, although a slot is given
// away before the packet in it has left completely.
func (n *Network) checkMemory() error {
	ports := n.limits.Ports
	stored, counted := make([]int, len(n.routers)*Rings*ports), map[*slot]bool{}
	count := func(router, ring, p int, s *slot) {
		for i := s.sent; i < s.filled && !counted[s]; i++ {
			if s.arrival[i] <= n.Clock {
				stored[(router*Rings+ring)*ports+p]++
			}
		}
		counted[s] = true
	}
	for id := range n.routers {
		for ring := range n.routers[id].segments {
			for p := range n.routers[id].segments[ring] {
				s := &n.routers[id].segments[ring][p]
				for lane := range s.lanes {
					for _, at := range s.lanes[lane].All() {
						count(id, ring, p, at)
					}
				}
			}
		}
	}
	for i := range n.streams {
		if s := &n.streams[i]; s.hop == turning || s.hop == ejecting { // out of the segment before
			count(s.router.id, s.ring, n.limits.Next(1-s.ring, s.port), s.from)
		}
	}
	for at, phits := range stored {
		if phits > n.config.SegmentPhits {
			return fmt.Errorf("router %d: ring %d segment %d holds %d phits (law 5)", at/ports/Rings, at/ports%Rings, at%ports, phits)
		}
	}
	return nil
}

// checkOwed verifies law 6: every destination that was accepted is delivered, owed by one packet
// inside, or still at its source. It counts the packets inside.
func (n *Network) checkOwed() (packets int, err error) {
	owed, counted := 0, map[*packet]bool{}
	count := func(k *packet) {
		if !counted[k] {
			counted[k] = true
			owed += n.Packets.Count(k.id)
		}
	}
	for id := range n.routers {
		n.routers[id].eachQueue(func(q *fifo, _ int) {
			for _, s := range q.All() {
				count(s.packet)
			}
		})
	}
	for i := range n.streams {
		count(n.streams[i].packet)
	}
	if _, waiting := n.Sources.Waiting(); owed+waiting != n.Owed() {
		err = fmt.Errorf("packets inside owe %d destinations and those at sources %d, of %d (law 6)", owed, waiting, n.Owed())
	}
	return len(counted), err
}

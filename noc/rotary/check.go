package rotary

import "fmt"

// audit is the room that CheckInvariants counts in. Builds with the tag invariants call it in every
// cycle, in which nothing is allocated.
type audit struct {
	number int     // of the pass, which marks packets and slots that it has counted
	held   []quota // by each router
	stored []int   // phits in each segment
}

// CheckInvariants verifies the laws of the package documentation on the state between two cycles.
// It is for tests and audits, and changes nothing.
func (n *Network) CheckInvariants() error {
	spare := 0
	for id := range n.routers {
		r := &n.routers[id]
		free, err := n.checkRouter(r)
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.Clock, id, err)
		}
		spare += free
	}
	if spare < 1 && !n.config.UnlimitedOutput && n.config.Multicast != Tree {
		return fmt.Errorf("rotary: cycle %d: no spare slot in the network (law 3)", n.Clock)
	}
	if err := n.checkQuotas(); err != nil {
		return fmt.Errorf("rotary: cycle %d, %w", n.Clock, err)
	}
	if err := n.checkMemory(); err != nil {
		return fmt.Errorf("rotary: cycle %d, %w", n.Clock, err)
	}
	return n.checkPackets()
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
		if o.peer == none { // a slot of the way to the node is of no use to a packet for another one
			continue
		}
		for ring := range o.lanes {
			free := n.limits.LaneSlots - o.lanes[ring].size()
			if free < 0 && !n.config.UnlimitedOutput {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots (law 1)", p, ring, free)
			}
			spare += max(free, 0)
		}
		free := n.limits.InputSlots - n.routers[o.peer].inputs[o.entry].size()
		if free < 0 {
			return 0, fmt.Errorf("input stage %d of router %d has %d free slots (law 1)", o.entry, o.peer, free)
		}
		spare += free
	}
	return spare, nil
}

// checkQuotas verifies law 4.
func (n *Network) checkQuotas() error {
	held := n.audit.held
	clear(held)
	for id := range n.routers {
		r := &n.routers[id]
		for p := range r.inputs {
			held[id].add(&r.inputs[p].fifo)
			for ring := range r.segments {
				held[id].add(&r.segments[ring][p].lanes[0].fifo)
				held[id].add(&r.segments[ring][p].lanes[1].fifo)
				if o := &r.outputs[p]; o.peer != none {
					held[o.peer].add(&o.lanes[ring].fifo)
				}
			}
		}
	}
	for id := range held {
		if held[id] != n.routers[id].held {
			return fmt.Errorf("router %d holds %v packets per class, %v noted (law 4)", id, held[id], n.routers[id].held)
		}
		if room := held[id].room(&n.limits, 0); room < 0 {
			return fmt.Errorf("router %d holds %v packets per class, over its quotas (law 4)", id, held[id])
		}
	}
	return nil
}

// add counts the packets of a queue.
func (q *quota) add(f *fifo) {
	for _, s := range f.all() {
		q[s.packet.class]++
	}
}

// checkMemory verifies law 5: the phits in each segment fit its memory, though a slot is given away
// before the packet in it has left whole.
func (n *Network) checkMemory() error {
	n.audit.number++
	ports, stored := n.limits.Ports, n.audit.stored
	clear(stored)
	count := func(router, ring, p int, s *slot) {
		for i := s.sent; i < s.filled && s.checked != n.audit.number; i++ {
			if s.arrival[i] <= n.Clock {
				stored[(router*Rings+ring)*ports+p]++
			}
		}
		s.checked = n.audit.number
	}
	for id := range n.routers {
		for ring := range n.routers[id].segments {
			for p := range n.routers[id].segments[ring] {
				s := &n.routers[id].segments[ring][p]
				for lane := range s.lanes {
					for _, at := range s.lanes[lane].all() {
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

// checkPackets verifies law 6: every destination that was accepted is delivered, owed by one packet
// inside, or still at its source.
func (n *Network) checkPackets() error {
	n.audit.number++
	owed, packets := 0, 0
	count := func(k *packet) {
		if k.checked == n.audit.number {
			return
		}
		k.checked = n.audit.number
		packets++
		owed += n.Packets.Count(k.worm)
	}
	for id := range n.routers {
		r := &n.routers[id]
		for p := range r.inputs {
			for _, s := range r.inputs[p].all() {
				count(s.packet)
			}
			for ring := range r.segments {
				for _, q := range []*fifo{&r.segments[ring][p].lanes[0].fifo, &r.segments[ring][p].lanes[1].fifo, &r.outputs[p].lanes[ring].fifo} {
					for _, s := range q.all() {
						count(s.packet)
					}
				}
			}
		}
	}
	for i := range n.streams {
		count(n.streams[i].packet)
	}
	queued, sources := n.Sources.Waiting()
	if owed+sources != n.Owed() || packets != n.pool.live || packets+queued != n.Packets.Live() {
		return fmt.Errorf("rotary: cycle %d: %d packets inside owe %d destinations, %d at sources %d; %d packets are in use, %d worms, and %d destinations are to be served (law 6)",
			n.Clock, packets, owed, queued, sources, n.pool.live, n.Packets.Live(), n.Owed())
	}
	return nil
}

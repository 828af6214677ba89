package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// pending keeps the packets of which the caller has not taken all deliveries. The network gets their
// numbers here as tags.
type pending struct {
	packets []pendingPacket
	free    []noc.Tag
	count   int // destinations
	next    uint64
}

// pendingPacket is a packet as the caller gave it. Dst has the destinations whose deliveries the caller
// has not taken.
type pendingPacket struct {
	noc.Packet
	offered noc.Cycle // noc.Never while the network has not accepted it
	number  uint64    // in order of the calls
}

// add keeps a packet and returns its number.
func (p *pending) add(k noc.Packet) noc.Tag {
	if len(p.free) == 0 {
		p.free = append(p.free, noc.Tag(len(p.packets)))
		p.packets = append(p.packets, pendingPacket{})
	}
	tag := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	own := p.packets[tag].Dst
	if own.More == nil {
		own.More = slices.Clone(k.Dst.More)
	}
	own.Assign(k.Dst)
	k.Dst = own
	p.packets[tag] = pendingPacket{k, noc.Never, p.next}
	p.next++
	p.count += k.Dst.Count()
	return tag
}

// drop forgets a packet that the network has refused.
func (p *pending) drop(tag noc.Tag) {
	p.count -= p.packets[tag].Dst.Count()
	p.packets[tag].Dst.Clear()
	p.free = append(p.free, tag)
}

// take notes that the caller has a delivery, and returns the caller's tag of the packet.
func (p *pending) take(d *noc.Delivery) noc.Tag {
	k := &p.packets[d.Tag]
	k.Dst.Remove(d.At)
	p.count--
	if k.Dst.Empty() {
		p.free = append(p.free, d.Tag)
	}
	return k.Tag
}

// each calls f for every destination of every packet, in order of the calls that offered them and then
// of nodes, until f returns false.
func (p *pending) each(f func(k *pendingPacket, to noc.NodeID) bool) {
	var list []*pendingPacket
	for i := range p.packets {
		if !p.packets[i].Dst.Empty() {
			list = append(list, &p.packets[i])
		}
	}
	slices.SortFunc(list, func(a, b *pendingPacket) int { return cmp.Compare(a.number, b.number) })
	for _, k := range list {
		for to, more := k.Dst.Next(0); more; to, more = k.Dst.Next(to + 1) {
			if !f(k, to) {
				return
			}
		}
	}
}

// checkSink returns what is wrong with the name of a sink.
func (n *network) checkSink(node uint32, class uint8) error {
	if int(node) >= n.Nodes() || int(class) >= n.classes {
		return fmt.Errorf("there is no sink of node %d and class %d; the network has nodes 0 to %d and classes 0 to %d (traffic.classes)",
			node, class, n.Nodes()-1, n.classes-1)
	}
	return nil
}

// maxPlaces is the most places of a bounded sink.
const maxPlaces = 1<<31 - 2

// limitSink bounds a sink.
func (n *network) limitSink(node uint32, class uint8, places uint32) error {
	if err := n.checkSink(node, class); err != nil {
		return err
	}
	if places > maxPlaces {
		return fmt.Errorf("places is %d; at most %d are allowed", places, maxPlaces)
	}
	n.LimitSink(noc.NodeID(node), noc.Class(class), int(places))
	return nil
}

// freeSink gives a place of a bounded sink back.
func (n *network) freeSink(node uint32, class uint8) error {
	if err := n.checkSink(node, class); err != nil {
		return err
	}
	switch taken, bounded := n.inner.TakenPlaces(noc.NodeID(node), noc.Class(class)); {
	case !bounded:
		return fmt.Errorf("the sink of node %d and class %d has no limit; call carousel_limit_sink first", node, class)
	case taken == 0:
		return fmt.Errorf("no place of the sink of node %d and class %d is taken; each delivery after carousel_limit_sink takes one place", node, class)
	}
	n.FreeSink(noc.NodeID(node), noc.Class(class))
	return nil
}

// next returns the first cycle in which something can happen; noc.Never if nothing is inside.
func (n *network) next() noc.Cycle {
	if n.lines.Len() > 0 {
		return n.Now()
	}
	return n.inner.NextWork()
}

// start begins a step beside the caller's thread.
func (n *network) start(until noc.Cycle) {
	ended := make(chan struct{})
	n.running = ended
	go func() {
		defer close(ended)
		defer n.rescue()
		n.step(until)
	}()
}

// wait waits for the end of a step that start has begun.
func (n *network) wait() {
	if n.running != nil {
		<-n.running
		n.running = nil
	}
}

// rescue, deferred, turns a panic into the state of a broken network.
func (n *network) rescue() {
	if broken := recover(); broken != nil {
		n.broken, n.failure = true, fmt.Sprintf("a defect of the library: %v", broken)
		if failure, is := broken.(*noc.Failure); is { // of a network that is a program
			n.failure = failure.Error()
		}
	}
}

// Package audit checks every delivery and the counters of a network against the laws of package
// noc. Tests (noc/noctest) and programs (noc/soak) use it.
//
// There is one type: an [Auditor] stands between a client and a network. The client offers and
// steps through it.
//
// It verifies that each destination of each packet gets exactly one delivery, in the order of the
// contract and not before its phits and links allow; that each packet that asks for a receipt gets
// one, before its last copy arrives; that Step stops at deliveries and goes no
// further than requested; that the network reports exactly the missing deliveries as in flight, and
// keeps no memory of the caller; that the network's own invariants hold; and that the counters add
// up after the last delivery.
//
// To audit one more thing of a delivery, add it to (*Auditor).deliver.
package audit

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Auditor is a network under audit. All offers and steps go through it, from the network's first
// cycle on.
type Auditor struct {
	Network noc.Network
	// CheckEvery is the distance in cycles between audits of the network's own invariants: they
	// are looked at after steps that end in a multiple of it.
	CheckEvery noc.Cycle
	// Observe, if not nil, is called with each delivery that is in order, and the cycle in which
	// the receipt of its packet was listed; 0 if it has none yet.
	Observe func(d *noc.Delivery, sent noc.Cycle)

	// Packets were accepted and Refused not; Missing deliveries are owed, Delivered were made
	// with Phits in all.
	Packets, Refused, Delivered, Phits uint64
	Missing                            int

	distance func(from, to noc.NodeID) int
	flights  map[noc.Tag]*flight
}

// flight is a packet on its way.
type flight struct {
	packet  noc.Packet
	owed    noc.NodeSet
	offered noc.Cycle
	left    int       // deliveries
	sent    noc.Cycle // when its receipt was listed
}

// New begins the audit of a new network. distance returns the fewest links between two nodes. It
// refuses a network that does not check its invariants.
func New(net noc.Network, distance func(from, to noc.NodeID) int) (*Auditor, error) {
	if _, ok := net.(noc.Checker); !ok {
		return nil, fmt.Errorf("%T does not check its invariants; give it the method CheckInvariants of noc.Checker", net)
	}
	return &Auditor{Network: net, CheckEvery: 1, distance: distance, flights: map[noc.Tag]*flight{}}, nil
}

// Offer offers a packet and reports whether there was room. No two packets on their way may have
// the same tag.
func (a *Auditor) Offer(p noc.Packet) bool {
	scratch, owed := a.copyOf(p.Dst), a.copyOf(p.Dst)
	offered := p
	offered.Dst = scratch
	ok := a.Network.Offer(offered)
	for i := range scratch.More { // the network must not keep the caller's words
		scratch.More[i] = ^uint64(0)
	}
	if !ok {
		a.Refused++
		return false
	}
	p.Dst = a.copyOf(p.Dst)
	f := &flight{packet: p, owed: owed, offered: a.Network.Now(), left: owed.Count()}
	a.flights[p.Tag] = f
	a.Missing += f.left
	a.Packets++
	return true
}

func (a *Auditor) copyOf(set noc.NodeSet) noc.NodeSet {
	c := noc.NewNodeSet(a.Network.Nodes())
	c.AddAll(set)
	return c
}

// Step steps once, audits what arrived, and returns the first broken law.
func (a *Auditor) Step(until noc.Cycle) error {
	net := a.Network
	from := net.Now()
	now := net.Step(until)
	if now != net.Now() || now <= from || now > until {
		return fmt.Errorf("Step(%d) at cycle %d returned %d, Now is %d", until, from, now, net.Now())
	}
	for _, r := range net.Sent() {
		f := a.flights[r.Tag]
		if f == nil || !f.packet.Receipt || f.sent > 0 || r.Src != f.packet.Src || r.Class != f.packet.Class {
			return fmt.Errorf("cycle %d: receipt %+v is not owed", now, r)
		}
		f.sent = now
	}
	var before noc.Delivery
	for i, d := range net.Deliveries() {
		if i > 0 && (d.Arrived < before.Arrived || d.Arrived == before.Arrived && d.At < before.At) {
			return fmt.Errorf("cycle %d: %+v is listed after %+v", now, d, before)
		}
		if d.Arrived != now {
			return fmt.Errorf("cycle %d: %+v is listed after a step from cycle %d", now, d, from)
		}
		if err := a.deliver(&d); err != nil {
			return err
		}
		before = d
	}
	if owes := net.InFlight(); owes != a.Missing {
		return fmt.Errorf("cycle %d: the network owes %d deliveries; %d are missing", now, owes, a.Missing)
	}
	if now%a.CheckEvery == 0 {
		return net.(noc.Checker).CheckInvariants()
	}
	return nil
}

// deliver audits one delivery.
func (a *Auditor) deliver(d *noc.Delivery) error {
	f := a.flights[d.Tag]
	if f == nil || int(d.At) >= a.Network.Nodes() || !f.owed.Has(d.At) {
		return fmt.Errorf("cycle %d: %+v is not owed", a.Network.Now(), *d)
	}
	f.owed.Remove(d.At)
	if f.left--; f.left == 0 {
		if f.packet.Receipt && f.sent == 0 {
			return fmt.Errorf("cycle %d: all of packet %d has arrived, and it has not left", a.Network.Now(), d.Tag)
		}
		delete(a.flights, d.Tag)
	}
	a.Missing--
	a.Delivered++
	a.Phits += uint64(f.packet.Phits)
	if d.Src != f.packet.Src || d.Class != f.packet.Class || d.Offered != f.offered {
		return fmt.Errorf("cycle %d: %+v does not match its packet %+v of cycle %d", a.Network.Now(), *d, f.packet, f.offered)
	}
	if least := a.distance(d.Src, d.At); int(d.Hops) < least || d.Injected < d.Offered || d.Arrived < d.Injected+noc.Cycle(f.packet.Phits) {
		return fmt.Errorf("cycle %d: %+v is early: it has %d phits and at least %d links to cross", a.Network.Now(), *d, f.packet.Phits, least)
	}
	if a.Observe != nil {
		a.Observe(d, f.sent)
	}
	return nil
}

// Drain steps, by step cycles at most, until nothing is missing. It fails when that takes
// longer than limit.
func (a *Auditor) Drain(limit, step noc.Cycle) error {
	for end := a.Network.Now() + limit; a.Missing > 0; {
		if a.Network.Now() >= end {
			stuck := a.Network.Explain()
			return fmt.Errorf("cycle %d: %d deliveries are missing %d cycles after the last offer; %d packets are stuck, such as %+v",
				a.Network.Now(), a.Missing, limit, len(stuck), stuck[:min(len(stuck), 3)])
		}
		if err := a.Step(min(end, a.Network.Now()+step)); err != nil {
			return err
		}
	}
	return nil
}

// settle is how long an empty network takes at most until credits have returned and ports are idle.
const settle = 200

// End audits the counters of a network that has delivered everything.
func (a *Auditor) End() error {
	net := a.Network
	for end := net.Now() + settle; net.Now() < end; {
		if err := a.Step(end); err != nil {
			return err
		}
	}
	t := net.Totals()
	want := noc.Totals{Offered: a.Packets, Injected: t.Injected, Delivered: a.Delivered, Phits: a.Phits, PhitHops: t.PhitHops}
	if t != want || t.Injected < t.Offered || t.Injected > t.Delivered {
		return fmt.Errorf("at the end the totals are %+v; there were %d packets, %d deliveries and %d phits delivered, and nothing is inside",
			t, a.Packets, a.Delivered, a.Phits)
	}
	if stuck := net.Explain(); len(stuck) > 0 {
		return fmt.Errorf("at the end the empty network explains %+v", stuck[:min(len(stuck), 3)])
	}
	return a.counters(t)
}

// counters holds the counters of routers and links to the totals.
func (a *Auditor) counters(t noc.Totals) error {
	net := a.Network
	activity := net.Activity(nil)
	sent, link := make([]uint64, len(activity)), uint64(0)
	links := net.Links(nil)
	for _, l := range links {
		sent[l.From] += l.Phits
		link += l.Phits
	}
	if len(links) == 0 && net.Hardware().Uncounted { // links of a program of somebody else may be unknown
		link = t.PhitHops
	}
	var ejected, injected uint64
	for r, x := range activity {
		ejected += x.EjectPhits
		injected += x.InjectPhits
		if x.LinkPhits != sent[r] {
			return fmt.Errorf("router %d sent %d phits, its links carried %d", r, x.LinkPhits, sent[r])
		}
		if x.Cycles != uint64(net.Now()) || x.IdleCycles > x.Cycles {
			return fmt.Errorf("router %d: %d cycles, %d idle, at cycle %d", r, x.Cycles, x.IdleCycles, net.Now())
		}
		for k := range x.BufferWrites {
			if x.BufferReads[k] < x.BufferWrites[k] {
				return fmt.Errorf("router %d: %d phits written to %s, %d read", r, x.BufferWrites[k], noc.BufferKind(k), x.BufferReads[k])
			}
		}
	}
	if link != t.PhitHops || ejected != t.Phits || injected > t.Phits || injected == 0 && t.Phits > 0 {
		return fmt.Errorf("links carried %d phits and routers took %d from nodes and handed %d over; totals are %+v", link, injected, ejected, t)
	}
	return nil
}

// Traffic makes random packets of all kinds: unicasts, multicasts, broadcasts, some to their own
// node, of all classes and lengths. Two of three ask for a receipt.
type Traffic struct {
	Nodes, Classes int
	Phits          int // longest packet
	Random         random.Stream
	made           int
}

// Packet makes the next packet, without a tag.
func (t *Traffic) Packet() noc.Packet {
	draw := t.Random.Remainder
	p := noc.Packet{Src: noc.NodeID(draw(t.Nodes)), Dst: noc.NewNodeSet(t.Nodes), Phits: uint16(1 + draw(t.Phits)),
		Class: noc.Class(draw(t.Classes)), Receipt: t.made%3 > 0}
	t.made++
	copies := 1
	switch kind := draw(40); {
	case kind == 0:
		copies = t.Nodes
		for i := range t.Nodes {
			p.Dst.Add(noc.NodeID(i))
		}
	case kind < 8:
		copies = 1 + draw(min(t.Nodes, 9))
	}
	for p.Dst.Count() < copies {
		p.Dst.Add(noc.NodeID(draw(t.Nodes)))
	}
	return p
}

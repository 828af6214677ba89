package noctest

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// oneCycle and manyCycles are the longest steps that an audit takes.
const (
	oneCycle   = 1
	manyCycles = 1 << 20
)

// drainWithin is how long a network may take to deliver what it holds once the sources stop.
const drainWithin = 100_000

// audit plays a script into a network and checks every delivery against it.
type audit struct {
	t       *testing.T
	net     noc.Network
	least   func(from, to noc.NodeID) int // links at least
	packets map[noc.Tag]noc.Packet
	offered map[noc.Tag]noc.Cycle
	owed    map[noc.Tag]noc.NodeSet
	left    int // deliveries owed
	last    map[flow]noc.Tag
	log     []noc.Delivery
	refused int
	packet  uint64 // accepted
	phits   uint64 // delivered
}

// flow is what Ordered packets keep their order in.
type flow struct {
	src, dst noc.NodeID
	class    noc.Class
}

func (s Subject) newAudit(t *testing.T, net noc.Network, g topology.Grid) *audit {
	least := g.Distance
	if s.Wiring != nil {
		least = s.Wiring.Distance
	}
	return &audit{t: t, net: net, least: least, packets: map[noc.Tag]noc.Packet{}, offered: map[noc.Tag]noc.Cycle{},
		owed: map[noc.Tag]noc.NodeSet{}, last: map[flow]noc.Tag{}}
}

// play offers a script, dropping what is refused, and then drains the network.
func (a *audit) play(script []offer, step noc.Cycle) {
	a.t.Helper()
	for _, o := range script {
		a.stepTo(o.at, step)
		a.offer(o.packet)
	}
	for end := a.net.Now() + drainWithin; a.left > 0; {
		if a.net.Now() >= end {
			stuck := a.net.Explain()
			a.t.Fatalf("cycle %d: %d deliveries are missing %d cycles after the last offer; %d packets are stuck, such as %+v",
				a.net.Now(), a.left, drainWithin, len(stuck), stuck[:min(len(stuck), 4)])
		}
		a.step(min(end, a.net.Now()+step))
	}
}

// offer offers one packet and notes what it owes.
func (a *audit) offer(p noc.Packet) bool {
	scratch := noc.NewNodeSet(a.net.Nodes())
	for n, ok := p.Dst.Next(0); ok; n, ok = p.Dst.Next(n + 1) {
		scratch.Add(n)
	}
	q := p
	q.Dst = scratch
	ok := a.net.Offer(q)
	for i := range scratch.More { // the network must not keep the caller's words
		scratch.More[i] = ^uint64(0)
	}
	if !ok {
		a.refused++
		return false
	}
	owed := noc.NewNodeSet(a.net.Nodes())
	for n, ok := p.Dst.Next(0); ok; n, ok = p.Dst.Next(n + 1) {
		owed.Add(n)
	}
	a.packets[p.Tag], a.offered[p.Tag], a.owed[p.Tag] = p, a.net.Now(), owed
	a.left += owed.Count()
	a.packet++
	return true
}

func (a *audit) stepTo(at, step noc.Cycle) {
	for a.net.Now() < at {
		a.step(min(at, a.net.Now()+step))
	}
}

// runTo brings an idle network to a cycle.
func (a *audit) runTo(at noc.Cycle) { a.stepTo(at, manyCycles) }

// step steps once and audits what arrived.
func (a *audit) step(until noc.Cycle) {
	a.t.Helper()
	from := a.net.Now()
	if now := a.net.Step(until); now != a.net.Now() || now <= from || now > until {
		a.t.Fatalf("Step(%d) at cycle %d returned %d, Now is %d", until, from, now, a.net.Now())
	}
	var before noc.Delivery
	for i, d := range a.net.Deliveries() {
		if i > 0 && (d.Arrived < before.Arrived || (d.Arrived == before.Arrived && d.At < before.At)) {
			a.t.Fatalf("deliveries out of order: %+v before %+v", before, d)
		}
		before = d
		if d.Arrived <= from || d.Arrived > a.net.Now() {
			a.t.Fatalf("%+v listed after stepping from %d to %d", d, from, a.net.Now())
		}
		if d.Arrived != a.net.Now() {
			a.t.Fatalf("cycle %d: Step went past the arrival of %+v", a.net.Now(), d)
		}
		a.deliver(d)
	}
	if a.net.InFlight() != a.left {
		a.t.Fatalf("cycle %d: the network owes %d deliveries, %d are missing", a.net.Now(), a.net.InFlight(), a.left)
	}
	if c, ok := a.net.(interface{ CheckInvariants() error }); ok {
		if err := c.CheckInvariants(); err != nil {
			a.t.Fatal(err)
		}
	}
}

// deliver checks one delivery against its packet.
func (a *audit) deliver(d noc.Delivery) {
	a.t.Helper()
	a.log = append(a.log, d)
	p, known := a.packets[d.Tag]
	owed := a.owed[d.Tag]
	if !known || !owed.Has(d.At) {
		a.t.Fatalf("%+v is not owed (packet %+v)", d, p)
	}
	owed.Remove(d.At)
	a.owed[d.Tag] = owed
	a.left--
	a.phits += uint64(p.Phits)
	if d.Src != p.Src || d.Class != p.Class || d.Offered != a.offered[d.Tag] {
		a.t.Fatalf("%+v does not match its packet %+v offered at %d", d, p, a.offered[d.Tag])
	}
	if d.Injected < d.Offered || d.Arrived < d.Injected+noc.Cycle(p.Phits) {
		a.t.Fatalf("%+v: too early for %d phits", d, p.Phits)
	}
	if least := a.least(d.Src, d.At); int(d.Hops) < least {
		a.t.Fatalf("%+v: %d links are the least", d, least)
	}
	if p.Ordered {
		f := flow{d.Src, d.At, d.Class}
		if last, ok := a.last[f]; ok && last > d.Tag {
			a.t.Fatalf("%+v: ordered packet %d of the same flow arrived before", d, last)
		}
		a.last[f] = d.Tag
	}
}

// drained checks that the counters of a network that has delivered everything add up.
func (a *audit) drained() {
	a.t.Helper()
	a.runTo(a.net.Now() + 200) // credits return, last ports fall idle
	tot := a.net.Totals()
	want := noc.Totals{Offered: a.packet, Injected: tot.Injected, Delivered: uint64(len(a.log)), Phits: a.phits, PhitHops: tot.PhitHops}
	if tot != want {
		a.t.Errorf("totals %+v, want %+v", tot, want)
	}
	if tot.Injected < tot.Offered || tot.Injected > tot.Delivered {
		a.t.Errorf("%d worms injected for %d packets and %d copies", tot.Injected, tot.Offered, tot.Delivered)
	}
	var link, eject, inject uint64
	perRouter := make([]uint64, len(a.net.Activity(nil)))
	for _, l := range a.net.Links(nil) {
		link += l.Phits
		perRouter[l.From] += l.Phits
	}
	if link != tot.PhitHops {
		a.t.Errorf("links carried %d phits, totals say %d", link, tot.PhitHops)
	}
	for r, act := range a.net.Activity(nil) {
		if act.LinkPhits != perRouter[r] {
			a.t.Errorf("router %d sent %d phits, its links carried %d", r, act.LinkPhits, perRouter[r])
		}
		eject += act.EjectPhits
		inject += act.InjectPhits
		if act.Cycles != uint64(a.net.Now()) || act.IdleCycles > act.Cycles {
			a.t.Errorf("router %d: %d cycles, %d idle, at cycle %d", r, act.Cycles, act.IdleCycles, a.net.Now())
		}
		for k := range act.BufferWrites {
			if act.BufferReads[k] < act.BufferWrites[k] {
				a.t.Errorf("router %d: %d phits written to %s, %d read", r, act.BufferWrites[k], noc.BufferKind(k), act.BufferReads[k])
			}
		}
	}
	if eject != tot.Phits {
		a.t.Errorf("routers handed over %d phits, totals say %d", eject, tot.Phits)
	}
	if inject > tot.Phits || inject == 0 {
		a.t.Errorf("%d phits taken from the nodes, %d handed to them", inject, tot.Phits)
	}
	if stuck := a.net.Explain(); len(stuck) > 0 {
		a.t.Errorf("an empty network explains %+v", stuck)
	}
}

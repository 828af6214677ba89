// Package soak sends random traffic through a network and audits every delivery, for programs that check
// networks outside of tests (package noctest holds networks to more laws, in tests).
//
// There are a few types: a [Config] says how much traffic; a [Report] sums up what happened. A [Subject] is one
// of the networks that are worth an audit, and its [Result] goes into a report of many. The laws that a run
// verifies are those of package noc: one delivery for each destination of each packet and none besides, not
// before its phits and links allow, in order where that was asked for; the network owes exactly what is
// missing; whatever its own invariants say in each step; and after the last offer everything arrives and the
// totals add up.
//
// The loop is Run. To audit one more thing of a delivery, add it to (*audit).deliver.
package soak

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Config is how much traffic.
type Config struct {
	Cycles  noc.Cycle // with traffic; the network is drained afterwards
	Classes int
	Phits   int // longest packet
	// Load is the phits that each 100 nodes hand to destinations in a cycle, were all packets taken.
	Load int
	Seed uint64
	// Patience is how many cycles the network may take to deliver what it holds.
	Patience noc.Cycle
}

// Default is a load that saturates most networks.
func Default() Config {
	return Config{Cycles: 3000, Classes: 6, Phits: 5, Load: 150, Seed: 1, Patience: 100_000}
}

// Report sums up a run. Runs with equal digests had equal deliveries in equal cycles.
type Report struct {
	Packets, Multicasts, Deliveries, Refused uint64
	Cycles                                   noc.Cycle
	Digest                                   uint64
}

// Run sends traffic through a new network and returns the first broken law.
func Run(ctx context.Context, net noc.Network, w *topology.Wiring, c Config) (report Report, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cycle %d: panic: %v", net.Now(), r)
		}
	}()
	a := audit{net: net, least: distances(w), nodes: w.Nodes(), config: c, random: random.Stream(c.Seed), last: map[flow]noc.Tag{}}
	for net.Now() < c.Cycles {
		if err := ctx.Err(); err != nil {
			return a.report, err
		}
		a.owedLoad += c.Load * a.nodes
		for ; a.owedLoad > 0; a.owedLoad -= 100 * a.offer() {
		}
		if err := a.step(net.Now() + 1); err != nil {
			return a.report, err
		}
	}
	for end := net.Now() + c.Patience; a.missing > 0; {
		if net.Now() >= end {
			stuck := net.Explain()
			return a.report, fmt.Errorf("cycle %d: %d deliveries are missing %d cycles after the last offer; %d packets are stuck, such as %+v",
				net.Now(), a.missing, c.Patience, len(stuck), stuck[:min(len(stuck), 3)])
		}
		if err := a.step(end); err != nil {
			return a.report, err
		}
	}
	return a.report, a.end()
}

// audit is a run under way.
type audit struct {
	net      noc.Network
	nodes    int
	least    []int // links between two nodes, by source and destination
	config   Config
	random   random.Stream
	owedLoad int
	flights  []flight // by tag
	last     map[flow]noc.Tag
	missing  int
	phits    uint64
	report   Report
}

// flight is a packet on its way.
type flight struct {
	noc.Packet
	owed noc.NodeSet
	at   noc.Cycle
}

// distances are the fewest links between any two nodes.
func distances(w *topology.Wiring) (least []int) {
	for from := range w.Nodes() {
		for to := range w.Nodes() {
			least = append(least, w.Distance(noc.NodeID(from), noc.NodeID(to)))
		}
	}
	return least
}

// flow is what ordered packets keep their order in.
type flow struct {
	src, dst noc.NodeID
	class    noc.Class
}

func (a *audit) draw(n int) int { return a.random.Remainder(n) }

// offer offers a random packet and returns the phits that its copies have together.
func (a *audit) offer() int {
	n := a.nodes
	p := noc.Packet{Src: noc.NodeID(a.draw(n)), Tag: noc.Tag(len(a.flights)), Dst: noc.NewNodeSet(n), Phits: uint16(1 + a.draw(a.config.Phits)),
		Class: noc.Class(a.draw(a.config.Classes)), Ordered: a.draw(2) == 0}
	copies := 1
	switch kind := a.draw(40); {
	case kind == 0:
		copies = n
		for i := range n {
			p.Dst.Add(noc.NodeID(i))
		}
	case kind < 8:
		copies = 1 + a.draw(min(n, 9))
	}
	for p.Dst.Count() < copies {
		p.Dst.Add(noc.NodeID(a.draw(n)))
	}
	if !a.net.Offer(p) {
		a.report.Refused++
		return copies * int(p.Phits)
	}
	a.flights = append(a.flights, flight{p, p.Dst, a.net.Now()})
	a.missing += copies
	a.report.Packets++
	if copies > 1 {
		a.report.Multicasts++
	}
	return copies * int(p.Phits)
}

// step steps once and audits what arrived.
func (a *audit) step(until noc.Cycle) error {
	a.net.Step(until)
	a.report.Cycles = a.net.Now()
	for _, d := range a.net.Deliveries() {
		if err := a.deliver(d); err != nil {
			return err
		}
	}
	if owes := a.net.InFlight(); owes != a.missing {
		return fmt.Errorf("cycle %d: the network owes %d deliveries; %d are missing", a.net.Now(), owes, a.missing)
	}
	if c, ok := a.net.(interface{ CheckInvariants() error }); ok && a.net.Now()%64 == 0 {
		return c.CheckInvariants()
	}
	return nil
}

// deliver audits one delivery.
func (a *audit) deliver(d noc.Delivery) error {
	if int(d.Tag) >= len(a.flights) || !a.flights[d.Tag].owed.Has(d.At) {
		return fmt.Errorf("cycle %d: %+v is not owed", a.net.Now(), d)
	}
	f := &a.flights[d.Tag]
	f.owed.Remove(d.At)
	a.missing--
	a.phits += uint64(f.Phits)
	a.report.Deliveries++
	for _, v := range [...]uint64{uint64(d.Tag), uint64(d.At), uint64(d.Arrived), uint64(d.Hops)} {
		a.report.Digest = (a.report.Digest ^ v) * 0x100000001b3
	}
	if d.Src != f.Src || d.Class != f.Class || d.Offered != f.at {
		return fmt.Errorf("cycle %d: %+v does not match its packet %+v of cycle %d", a.net.Now(), d, f.Packet, f.at)
	}
	if least := a.least[int(d.Src)*a.nodes+int(d.At)]; int(d.Hops) < least || d.Injected < d.Offered || d.Arrived < d.Injected+noc.Cycle(f.Phits) {
		return fmt.Errorf("cycle %d: %+v is early: it has %d phits and at least %d links to cross", a.net.Now(), d, f.Phits, least)
	}
	if f.Ordered {
		in := flow{d.Src, d.At, d.Class}
		if last, ok := a.last[in]; ok && last > d.Tag {
			return fmt.Errorf("cycle %d: %+v comes after packet %d of the same order", a.net.Now(), d, last)
		}
		a.last[in] = d.Tag
	}
	return nil
}

// end audits a network that has delivered everything.
func (a *audit) end() error {
	t := a.net.Totals()
	if t.Offered != a.report.Packets || t.Delivered != a.report.Deliveries || t.Phits != a.phits {
		return fmt.Errorf("at the end the totals are %+v; there were %d packets, %d deliveries and %d phits delivered",
			t, a.report.Packets, a.report.Deliveries, a.phits)
	}
	if stuck := a.net.Explain(); len(stuck) > 0 {
		return fmt.Errorf("at the end the empty network explains %+v", stuck[:min(len(stuck), 3)])
	}
	return nil
}

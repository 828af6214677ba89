// Package soak sends random traffic through a network and audits every delivery, for programs
// that check networks outside of tests (package noctest holds networks to more laws, in tests).
//
// A [Config] says how much traffic, and a [Report] sums up what happened. A [Subject] is one of the
// networks that are worth an audit, and its [Result] goes into a report of many. Package audit says
// what is verified of each delivery and of the network; here the traffic is made, and everything
// must arrive after the last offer.
//
// The loop is drive, below Run.
package soak

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/audit"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Config is how much traffic.
type Config struct {
	Cycles  noc.Cycle // with traffic; the network is drained afterwards
	Classes int
	Phits   int // longest packet
	// Load is the phits that each 100 nodes hand to destinations in a cycle, were all packets
	// taken.
	Load int
	Seed uint64
	// Patience is how many cycles the network may take to deliver what it holds.
	Patience noc.Cycle
}

// Default returns a load that saturates most networks.
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
	auditor, err := audit.New(net, distances(w))
	if err != nil {
		return report, err
	}
	a := run{Auditor: auditor, nodes: w.Nodes(), config: c,
		traffic: audit.Traffic{Nodes: w.Nodes(), Classes: c.Classes, Phits: c.Phits, Random: random.Stream(c.Seed)}}
	a.CheckEvery, a.Observe = checkEvery, a.digest
	err = a.drive(ctx)
	a.report.Packets, a.report.Deliveries, a.report.Refused, a.report.Cycles = a.Packets, a.Delivered, a.Refused, net.Now()
	if err == nil {
		err = a.End()
	}
	return a.report, err
}

// checkEvery is the distance between audits of a network's own invariants, which take long.
const checkEvery = 64

// run is a run under way.
type run struct {
	*audit.Auditor
	nodes    int
	config   Config
	traffic  audit.Traffic
	owedLoad int
	tag      noc.Tag
	report   Report
}

// drive offers traffic and then lets everything arrive.
func (a *run) drive(ctx context.Context) error {
	for a.Network.Now() < a.config.Cycles {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.owedLoad += a.config.Load * a.nodes
		for ; a.owedLoad > 0; a.owedLoad -= 100 * a.offer() {
		}
		if err := a.Step(a.Network.Now() + 1); err != nil {
			return err
		}
	}
	return a.Drain(a.config.Patience, a.config.Patience)
}

// distances returns the fewest links between any two nodes, from a table.
func distances(w *topology.Wiring) func(from, to noc.NodeID) int {
	nodes := w.Nodes()
	least := make([]int, nodes*nodes)
	for i := range least {
		least[i] = w.Distance(noc.NodeID(i/nodes), noc.NodeID(i%nodes))
	}
	return func(from, to noc.NodeID) int { return least[int(from)*nodes+int(to)] }
}

// offer offers a random packet and returns the phits that its copies have together.
func (a *run) offer() int {
	p := a.traffic.Packet()
	p.Tag = a.tag
	copies := p.Dst.Count()
	if a.Offer(p) {
		a.tag++
		if copies > 1 {
			a.report.Multicasts++
		}
	}
	return copies * int(p.Phits)
}

// digest adds a delivery to the digest of the run.
func (a *run) digest(d *noc.Delivery) {
	for _, v := range [...]uint64{uint64(d.Tag), uint64(d.At), uint64(d.Arrived), uint64(d.Hops)} {
		a.report.Digest = (a.report.Digest ^ v) * 0x100000001b3
	}
}

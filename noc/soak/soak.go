// Package soak sends random traffic through a network and audits every delivery. It is for
// programs; package noctest checks more laws, in tests.
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
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/audit"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
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
	// DrainLimit is how many cycles the network may take to deliver what it holds.
	DrainLimit noc.Cycle
}

// Default returns a load that saturates most networks.
func Default() Config {
	return Config{Cycles: 3000, Classes: 6, Phits: 5, Load: 150, Seed: 1, DrainLimit: 100_000}
}

// Report sums up a run. Runs with equal digests had equal deliveries in equal cycles.
type Report struct {
	Packets    uint64    `json:"packets"`
	Multicasts uint64    `json:"multicasts"`
	Deliveries uint64    `json:"deliveries"`
	Cycles     noc.Cycle `json:"cycles"`
	Digest     string    `json:"digest"`
}

// Run sends traffic through a new network and returns the first broken law.
func Run(ctx context.Context, net noc.Network, w *topology.Wiring, c Config) (report Report, err error) {
	defer func() {
		r := recover()
		if failure, is := r.(*noc.Failure); is {
			err = failure
		} else if r != nil {
			err = fmt.Errorf("cycle %d: panic: %v", net.Now(), r)
		}
	}()
	a, err := audit.New(net, w.NodeDistances())
	if err != nil {
		return report, err
	}
	a.CheckEvery = checkEvery
	digest := uint64(0)
	a.Observe = func(d *noc.Delivery, _ noc.Cycle) {
		for _, v := range [...]uint64{uint64(d.Tag), uint64(d.At), uint64(d.Arrived), uint64(d.Hops)} {
			digest = (digest ^ v) * 0x100000001b3
		}
	}
	report.Multicasts, err = drive(ctx, a, w.Nodes(), c)
	report.Packets, report.Deliveries, report.Cycles, report.Digest = a.Packets, a.Delivered, net.Now(), fmt.Sprintf("%016x", digest)
	if err == nil {
		err = a.End()
	}
	return report, err
}

// checkEvery is the distance between audits of a network's own invariants, which take long.
const checkEvery = 64

// drive offers traffic, counts the multicasts that are taken, and then lets everything arrive.
func drive(ctx context.Context, a *audit.Auditor, nodes int, c Config) (multicasts uint64, err error) {
	traffic := audit.Traffic{Nodes: nodes, Classes: c.Classes, Phits: c.Phits, Random: random.Stream(c.Seed)}
	tag := noc.Tag(0)
	for owed := 0; a.Network.Now() < c.Cycles; { // phits to be offered, times 100
		if err := ctx.Err(); err != nil {
			return multicasts, err
		}
		for owed += c.Load * nodes; owed > 0; {
			p := traffic.Packet()
			p.Tag = tag
			copies := p.Dst.Count()
			owed -= 100 * copies * int(p.Phits)
			if a.Offer(p) {
				tag++
				if copies > 1 {
					multicasts++
				}
			}
		}
		if err := a.Step(a.Network.Now() + 1); err != nil {
			return multicasts, err
		}
	}
	return multicasts, a.Drain(c.DrainLimit, c.DrainLimit)
}

// audited is the topologies that Subjects lists: with the multicast schemes, besides their own,
// that models with a choice are audited with, and whether they are part of a quick list.
var audited = []struct {
	topology string
	schemes  []string
	quick    bool
}{
	{"torus:8x8", nil, true},
	{"mesh:4x5", []string{"dual-path", "multi-path", "column-path", "qg", "ocms", "otms"}, true},
	{"torus:3x3x3", []string{"qg", "qg-unicast"}, true},
	{"min:baseline:16:4", []string{"cmin", "atbm"}, true},
	{"min:butterfly:27:3", []string{"atbm"}, true},
	{"bimin:butterfly:64:4", []string{"umin", "atbm", "atbm-multiple"}, true},
	{"lattice:16:1:4:2", []string{"postorder-doubling"}, true},
	{"utorus:5x4:-y+x", nil, true},
	{"chiplets:2x2:mesh:2x3", nil, true},
	{"dragonfly:1:4:2", nil, true},
	{"flatfly:3:2:2", nil, false},
	{"cmesh:4x3:2", nil, false},
	{"torus:2x2", nil, false},
	{"torus:4x3", nil, false},
	{"torus:16x8", nil, false},
	{"mesh:8x8", []string{"dual-path", "qg", "otms"}, false},
	{"min:baseline:64:2", []string{"cmin", "atbm"}, false},
	{"bimin:butterfly:256:4", nil, false},
	{"lattice:64:1", []string{"postorder-doubling"}, false},
	{"utorus:10x12", nil, false},
}

// Subject is a network to send traffic through.
type Subject struct {
	Model   models.Model
	Options models.Options
}

// Result is what an audit of a Subject found.
type Result struct {
	Router   string `json:"router"`
	Topology string `json:"topology"`
	Scheme   string `json:"scheme"`
	Report
	Violation string `json:"violation,omitempty"`
	Skipped   string `json:"skipped,omitempty"` // why the router cannot be built there
}

// Subjects lists the networks that are worth an audit with a number of message classes: every
// model on every topology that it works on, with several schemes. full adds larger and odder
// topologies.
func Subjects(list models.List, classes int, full bool) (subjects []Subject, err error) {
	for _, a := range audited {
		if !a.quick && !full {
			continue
		}
		l, err := topology.Open(a.topology)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			o := models.DefaultOptions()
			o.Classes = classes
			if o, err = o.WithLinks(l); err != nil {
				return nil, err
			}
			if !m.Fits(o) {
				continue
			}
			for _, scheme := range append([]string{""}, a.schemes...) {
				if o.Scheme = scheme; scheme == "" || slices.Contains(m.Schemes, scheme) && (!strings.HasPrefix(scheme, "atbm") || m.Name == "wormhole-ideal") {
					subjects = append(subjects, Subject{m, o})
				}
			}
		}
	}
	return subjects, nil
}

// Audit sends traffic through the network, once as it is and once with every router stepped in
// every cycle, and compares the deliveries. A router that does not fit the topology is skipped.
func (s Subject) Audit(ctx context.Context, c Config) Result {
	r := Result{Router: s.Model.Name, Topology: s.Options.Topology(), Scheme: s.Model.SchemeOf(s.Options)}
	for _, everyCycle := range []bool{false, true} {
		s.Options.EveryCycle = everyCycle
		net, err := s.Model.Build(s.Options)
		if errors.As(err, new(models.Unfit)) && !everyCycle {
			r.Skipped = err.Error()
			return r
		}
		before := r.Digest
		if err == nil {
			layout, _ := s.Model.LayoutOf(s.Options) // Build has looked at it
			r.Topology, r.Scheme = layout.String(), models.SchemeOf(net, r.Scheme)
			r.Report, err = Run(ctx, net, layout.Wiring, c)
			noc.Close(net)
		}
		if err != nil {
			r.Violation = err.Error()
			return r
		}
		if everyCycle && r.Digest != before {
			r.Violation = "deliveries differ when every router is stepped in every cycle"
		}
	}
	return r
}

// Package checks verifies the simulator itself: coherence protocols exhaustively and at random,
// chips with every network, and networks under random traffic; and compares it with others: the energy
// model with published figures, and replays of programs with their execution.
//
// [Run] does the checks and returns a [Report], which can be written as a document or as a sheet. [Power]
// and [Fidelity] are the comparisons.
//
// The checks of protocols are in package coherence/verify, those of networks in noc/soak; this
// package combines them, because neither may import the other. A protocol or a router that is in
// its table is checked.
package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Report is what checks have found.
type Report struct {
	verify.Report
	Networks    []soak.Result `json:"networks"`
	Conformance []Conformance `json:"conformance,omitempty"`
}

// The subjects beside the names of protocols.
const (
	Network = "network"
	All     = "all"
)

// Subjects lists what can be verified: each of the protocols, and more.
func Subjects(protocols []verify.Protocol) (names []string) {
	for i := range protocols {
		names = append(names, protocols[i].Name)
	}
	return append(names, Network, All)
}

// Run does the checks of a subject on these protocols and networks. The report has what is finished
// also when the context ends, with the error. A subject that is not one of Subjects is an error.
func Run(ctx context.Context, subject string, protocols []verify.Protocol, networks models.List, o verify.Options) (*Report, error) {
	r := &Report{Report: verify.NewReport(), Networks: []soak.Result{}}
	if subjects := Subjects(protocols); !slices.Contains(subjects, subject) {
		return r, fmt.Errorf("unknown subject %q; choose from %s", subject, strings.Join(subjects, ", "))
	}
	o.Networks = chipNetworks(networks)
	var err error
	for i := range protocols {
		if p := &protocols[i]; err == nil && (subject == p.Name || subject == All) {
			err = p.Check(ctx, o, &r.Report)
		}
	}
	if err == nil && (subject == Network || subject == All) {
		err = r.audit(ctx, networks, o)
	}
	r.Interrupted = err != nil
	return r, err
}

// chipNetworks returns models as networks of chips.
func chipNetworks(list models.List) []stress.Network {
	var all []stress.Network
	for _, m := range list {
		all = append(all, stress.Network{Name: m.Name, FiniteSinks: m.FiniteSinks, New: func(s stress.Shape) (noc.Network, error) {
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
			}
			o.Grid, o.Seed = topology.Torus(s.Columns, s.Rows), s.Seed
			return m.Build(o)
		}})
	}
	return all
}

// audit sends random traffic through every network.
func (r *Report) audit(ctx context.Context, list models.List, o verify.Options) error {
	traffic := soak.Default()
	if o.Full {
		traffic.Cycles = 100_000
	}
	subjects, err := soak.Subjects(list, traffic.Classes, o.Full)
	if err != nil {
		return err
	}
	results := make([]soak.Result, len(subjects))
	err = parallel.Until(ctx, len(subjects), o.Jobs, func(done int) {
		if o.Progress != nil {
			o.Progress(func() string { return fmt.Sprintf("networks: %d of %d", done, len(subjects)) })
		}
	}, func(i int) error { results[i] = subjects[i].Audit(ctx, traffic); return nil })
	if err != nil {
		return err
	}
	for i := range results {
		r.Passed = r.Passed && results[i].Violation == ""
	}
	r.Networks = results
	return nil
}

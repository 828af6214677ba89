package main

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
)

// audited is the networks that verify network sends traffic through: by topology, the multicast schemes besides their
// own that models with a choice are audited with, and whether it is done in quick runs.
var audited = []struct {
	topology string
	schemes  []string
	quick    bool
}{
	{"torus:8x8", nil, true},
	{"mesh:4x5", []string{"dual-path", "multi-path", "column-path", "qg", "ocms", "otms"}, true},
	{"torus:3x3x3", nil, true},
	{"min:baseline:16:4", []string{"cmin", "atbm"}, true},
	{"bimin:butterfly:64:4", []string{"umin", "atbm"}, true},
	{"lattice:16:1:4:2", []string{"postorder-doubling"}, true},
	{"utorus:5x4:-y+x", nil, true},
	{"torus:2x2", nil, false},
	{"torus:4x3", nil, false},
	{"torus:16x8", nil, false},
	{"mesh:8x8", []string{"dual-path", "qg", "otms"}, false},
	{"min:baseline:64:2", []string{"cmin", "atbm"}, false},
	{"bimin:butterfly:256:8", nil, false},
	{"lattice:64:1", []string{"postorder-doubling"}, false},
	{"utorus:10x12", nil, false},
}

// audit is one network to send traffic through.
type audit struct {
	model   models.Model
	options models.Options
}

// audits lists the networks of the table above, for all models that work on them.
func (v *verification) audits(classes int) (list []audit, err error) {
	for _, a := range audited {
		if !a.quick && !v.flags.full {
			continue
		}
		l, err := topology.Open(a.topology)
		if err != nil {
			return nil, err
		}
		for _, m := range models.Table() {
			o := models.DefaultOptions()
			o.Classes = classes
			if l.Grid != nil {
				o.Grid = *l.Grid
			} else {
				o.Other = &l
			}
			if !m.Fits(o) {
				continue
			}
			for _, scheme := range append([]string{""}, a.schemes...) {
				if o.Scheme = scheme; scheme == "" || slices.Contains(m.Schemes, scheme) && (scheme != "atbm" || m.Name == "wormhole-ideal") {
					list = append(list, audit{m, o})
				}
			}
		}
	}
	return list, nil
}

// networks sends random traffic through every network of the table.
func (v *verification) networks() error {
	config := soak.Default()
	if v.flags.full {
		config.Cycles = 100_000
	}
	audits, err := v.audits(config.Classes)
	if err != nil {
		return err
	}
	reports := make([]networkReport, len(audits))
	err = v.inParallel("networks", len(reports), func(i int) { reports[i] = v.network(audits[i], config) })
	if err != nil {
		return err
	}
	for _, r := range reports {
		if r.Violation != "" {
			v.report.Passed = false
		}
	}
	v.report.Networks = reports
	return nil
}

// network audits one network, and compares it with itself when no router ever sleeps.
func (v *verification) network(a audit, c soak.Config) networkReport {
	r := networkReport{Router: a.model.Name, Topology: a.options.Topology(), Scheme: a.model.SchemeOf(a.options)}
	var digests [2]uint64
	for i, everyCycle := range []bool{false, true} {
		a.options.EveryCycle = everyCycle
		net, err := a.model.Build(a.options)
		if err == nil {
			var s soak.Report
			s, err = soak.Run(v.ctx, net, a.options.Layout().Wiring, c)
			digests[i] = s.Digest
			r.Packets, r.Multicasts, r.Deliveries, r.Cycles = s.Packets, s.Multicasts, s.Deliveries, uint64(s.Cycles)
			r.Digest = fmt.Sprintf("%016x", s.Digest)
		}
		if err != nil {
			r.Violation = err.Error()
			return r
		}
	}
	if digests[0] != digests[1] {
		r.Violation = "deliveries differ when every router is stepped in every cycle"
	}
	return r
}

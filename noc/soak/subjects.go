package soak

import (
	"context"
	"slices"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// audited is the topologies that Subjects lists: with the multicast schemes, besides their own,
// that models with a choice are audited with, and whether they are part of a quick list.
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
					subjects = append(subjects, Subject{m, o})
				}
			}
		}
	}
	return subjects, nil
}

// Audit sends traffic through the network, once as it is and once with every router stepped in
// every cycle, and compares the deliveries.
func (s Subject) Audit(ctx context.Context, c Config) Result {
	r := Result{Router: s.Model.Name, Topology: s.Options.Topology(), Scheme: s.Model.SchemeOf(s.Options)}
	for _, everyCycle := range []bool{false, true} {
		s.Options.EveryCycle = everyCycle
		net, err := s.Model.Build(s.Options)
		before := r.Digest
		if err == nil {
			r.Report, err = Run(ctx, net, s.Options.Layout().Wiring, c)
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

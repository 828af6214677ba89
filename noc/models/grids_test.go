package models

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// TestGridsOnly: models that need coordinates refuse other networks and name those that do not.
func TestGridsOnly(t *testing.T) {
	one, _ := Lookup("wormhole-ideal")
	if n, err := one.Build(on(t, "utorus:3x5")); n != nil || err == nil || !strings.Contains(err.Error(), "packets on utorus:3x5 could wait for each other in a circle; use wormhole, ideal") {
		t.Errorf("wormhole-ideal on rings whose links lead one way: network %v, error %v", n, err)
	}
	for router, want := range map[string]string{
		"base":    "on full:4: it works on a torus, a mesh or chiplets, not on full:4; use rr, mrr, wormhole, wormhole-ideal, ideal",
		"rr-path": "on chiplets:2x2:mesh:2x2: it needs links that are all alike, unlike those of chiplets:2x2:mesh:2x2; use base, base-mc, rr, mrr, wormhole, ideal",
		"mrr":     "on cmesh:2x2:2: it needs a node at each router and links that lead both ways, unlike cmesh:2x2:2; use wormhole, wormhole-ideal, ideal",
		"rr":      "on utorus:3x3: it needs a node at each router and links that lead both ways, unlike utorus:3x3; use wormhole, ideal",
		"rr-tree": "on lattice:9:1: it works on a torus or a mesh, not on lattice:9:1; use rr, mrr, wormhole, wormhole-ideal, ideal",
	} {
		spec, text, _ := strings.Cut(strings.TrimPrefix(want, "on "), ": ")
		if n, err := must.Get(Lookup(router)).Build(on(t, spec)); n != nil || err == nil || err.Error() != text {
			t.Errorf("%s on %s: network %v, error %v", router, spec, n, err)
		}
	}
	narrow := DefaultOptions()
	narrow.Link.X.Bits = 64
	narrow = must.Get(narrow.WithLinks(topology.Mesh(4, 4).Layout()))
	if _, err := must.Get(Lookup("mrr")).Build(narrow); err == nil || !strings.Contains(err.Error(), "its links have one width, unlike those of mesh:4x4; use wormhole, ideal") {
		t.Errorf("mrr with narrow links: %v", err)
	}
	for _, m := range Table() {
		n, err := m.Build(on(t, "lattice:9:1"))
		if m.Anywhere || m.Direct {
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
			continue
		}
		if n != nil || err == nil || !strings.Contains(err.Error(), "lattice:9:1") || !strings.Contains(err.Error(), "wormhole-ideal") {
			t.Errorf("%s on a lattice: network %v, error %v", m.Name, n, err)
		}
	}
}

// TestSchemesAnywhere: the wormhole networks serve multicasts by the schemes that belong to a
// network, with choices of ways and without, and refuse those that do not fit.
func TestSchemesAnywhere(t *testing.T) {
	fits := map[string]string{"unicast": "", "random-doubling": "", "umin": "bimin", "cmin": "min:", "postorder-doubling": "lattice"}
	for _, m := range Table() {
		if !m.Anywhere || m.Schemes == nil {
			continue
		}
		for _, name := range others {
			for _, scheme := range m.Schemes {
				o := on(t, name)
				if !m.Fits(o) {
					continue
				}
				o.Scheme = scheme
				kind, known := fits[scheme]
				n, err := m.Build(o)
				fit := known && strings.HasPrefix(name, kind) ||
					strings.HasPrefix(scheme, "atbm") && m.Name == "wormhole-ideal" && o.Other.Multistage != nil && (scheme == "atbm" || o.Other.Multistage.Bidirectional)
				if fit != (err == nil) && !strings.HasPrefix(name, "lattice:16") {
					t.Errorf("%s, %s on %s: %v", m.Name, scheme, name, err)
				}
				if err != nil {
					continue
				}
				deliverAll(t, n, m, o, 7)
			}
		}
	}
}

// TestGroupsOverAnyRouting: Qualified Groups by unicasts, which section 3 of their paper says go along with any
// routing: turn models, an adaptive one with an escape channel, and tori.
func TestGroupsOverAnyRouting(t *testing.T) {
	m := must.Get(Lookup("wormhole"))
	for _, c := range [][2]string{{"mesh:5x4", "west-first"}, {"mesh:5x4", "north-last"}, {"mesh:5x4", "negative-first"}, {"mesh:5x4", "odd-even"},
		{"mesh:5x4", "adaptive"}, {"torus:5x4", "by-scheme"}} {
		o := DefaultOptions()
		o.Grid, o.Scheme, o.Wormhole.Routing = *must.Get(topology.Open(c[0])).Grid, "qg-unicast", wormhole.Routing(c[1])
		n, err := m.Build(o)
		if err != nil {
			t.Errorf("%s on %s: %v", c[1], c[0], err)
			continue
		}
		deliverAll(t, n, m, o, 5)
	}
}

// TestFatTreesClimbAtRandom: under full load a fat tree carries much more than the butterfly with the same
// wiring, whose headers wait for the lowest port where none is free.
func TestFatTreesClimbAtRandom(t *testing.T) {
	m := must.Get(Lookup("wormhole"))
	phits := map[string]uint64{}
	for _, name := range []string{"fattree:4:3", "bimin:butterfly:64:4"} {
		o := on(t, name)
		o.Classes, o.Wormhole.VirtualChannels = 1, 4
		n := must.Get(m.Build(o))
		noctest.Drive(t, n, topology.Mesh(64), traffic.Config{Load: 1, PacketPhits: 1, Classes: 1, Seed: 1}).Run(3000)
		phits[name] = n.Totals().Phits
	}
	if phits["fattree:4:3"] < 2*phits["bimin:butterfly:64:4"] {
		t.Errorf("phits delivered: %v", phits)
	}
}

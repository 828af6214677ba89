package models

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// others are small networks that are no grids, of 16 nodes each: of every kind, with one switch
// or several per node and several nodes per switch.
var others = []string{"min:baseline:16:2", "min:baseline:16:4", "bimin:butterfly:16:2", "bimin:butterfly:16:4", "lattice:16:1:4", "lattice:8:2:3:2", "utorus:4x4:-y+x"}

// on returns the options for a network by name.
func on(t testing.TB, name string) Options {
	t.Helper()
	l := noctest.Must(topology.Open(name))
	o := DefaultOptions()
	o.Other = &l
	return o
}

// TestConformanceAnywhere holds every model that works on any topology to the laws of package noc
// on networks that are no grids.
func TestConformanceAnywhere(t *testing.T) {
	for _, m := range Table() {
		if !m.Anywhere {
			continue
		}
		names := []string{"utorus:7x5:-y-x", "bimin:butterfly:9:3", "lattice:7:2:3:2",
			"utorus:4x6", "utorus:3x9:-y+x", "utorus:5", "min:baseline:27:3", "lattice:13:1:4"}
		if m.Schemes == nil {
			names = names[:3] // without contention they are much alike
		}
		for _, name := range names {
			o := on(t, name)
			if !m.Fits(o) {
				continue
			}
			t.Run(m.Name+"/"+name, func(t *testing.T) {
				s := subject(m, o)
				s.Wiring = o.Other.Wiring
				noctest.Run(t, s)
			})
		}
	}
}

// TestGridsOnly: models that need coordinates refuse other networks and name those that do not.
func TestGridsOnly(t *testing.T) {
	one, _ := Lookup("wormhole-ideal")
	if n, err := one.Build(on(t, "utorus:3x5")); n != nil || err == nil || !strings.Contains(err.Error(), "the rings of utorus:3x5 would deadlock; there use wormhole, ideal") {
		t.Errorf("wormhole-ideal on rings whose links lead one way: network %v, error %v", n, err)
	}
	for _, m := range Table() {
		n, err := m.Build(on(t, "lattice:9:1"))
		if m.Anywhere {
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
				fit := known && strings.HasPrefix(name, kind) || scheme == "atbm" && m.Name == "wormhole-ideal" && o.Other.Multistage != nil
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

// TestLargeWormholeRouters: routers of more than 64 virtual channels take the plain form.
func TestLargeWormholeRouters(t *testing.T) {
	m := noctest.Must(Lookup("wormhole"))
	for grid, plain := range map[string]bool{"torus:4x4": false, "torus:4x4x4": true} { // 5 and 7 ports of 12 channels
		o := DefaultOptions()
		l := noctest.Must(topology.Open(grid))
		o.Grid = *l.Grid
		n := noctest.Must(m.Build(o))
		if _, got := n.(*wormhole.Network); got != plain {
			t.Errorf("%s: the plain form is built: %v, want %v", grid, got, plain)
		}
	}
}

// Package claimtest holds the criteria of claims to the rule that they can fail.
package claimtest

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// CanFail fails a test unless every claim of an entry that needs no sweep is refuted: by a finding
// on made-up data in failing, by its identifier, or else by what is so. A claim whose criterion has
// several parts can have a finding against each, in further maps.
func CanFail(t *testing.T, e claim.Entry, failing ...map[string]claim.Finding) {
	t.Helper()
	known := map[string]bool{}
	for _, c := range e.Claims {
		known[c.ID] = true
		var against []claim.Finding
		for _, made := range failing {
			if f, ok := made[c.ID]; ok {
				against = append(against, f)
			}
		}
		if against == nil {
			against = append(against, c.Judge(chart.NewData(&tables.Rows{}, chart.Extent{})))
		}
		for _, f := range against {
			if f.Verdict != tables.NotConfirmed {
				t.Errorf("%s can not be seen to fail: it is %s (%s)", c.ID, f.Verdict, f.Detail)
			}
		}
	}
	for _, made := range failing {
		for id := range made {
			if !known[id] {
				t.Errorf("%s has no claim %s", e.ID, id)
			}
		}
	}
}

// OneByOne plans unicasts of a chain's first node, one after the other, to all others.
func OneByOne(chain []noc.NodeID, _ multicast.Middle, route func(a, b noc.NodeID) []noc.NodeID) multicast.Plan {
	return claim.Must(multicast.Copies(multicast.Request{Source: chain[0], Destinations: chain[1:]}, 1, route))
}

// Rising is the finding on steps that grow faster than their bound.
func Rising() claim.Finding {
	g := claim.Growth{Where: "made up", Series: "test", Size: "v"}
	for v := 8; v <= 512; v *= 2 {
		g.Rows = append(g.Rows, claim.Grown{Size: v, Steps: uint64(v * v), Bound: float64(v)})
	}
	return claim.Bounded([]claim.Growth{g})
}

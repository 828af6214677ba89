package qg

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail: the example without its last destinations, groups that are all there twice,
// schemes with more steps, another startup, deeper buffers, and other variations refute.
func TestCriteriaCanFail(t *testing.T) {
	r := qgExample()
	r.Destinations = r.Destinations[:25:25]
	q, err := multicast.QualifiedGroups(topology.Mesh(10, 10), r, multicast.DefaultGroupOptions())
	if err != nil {
		t.Fatal(err)
	}
	twice := func(g topology.Grid, r multicast.Request, o multicast.GroupOptions) (multicast.Grouping, error) {
		q, err := multicast.QualifiedGroups(g, r, o)
		q.Final = append(q.Final, q.Final...)
		return q, err
	}
	deep := messages.Default()
	deep.BufferFlits++
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S4-01": exampleDivisor(q), "S4-02": exampleWeights(q), "S4-03": exampleAverage(q), "S4-04": exampleSplit(q), "S4-05": groupCounts(twice),
		"S4-06": claimtest.Rising(), "S4-07": twoSteps("column-path"), "S4-09": pathTimes(34), "S4-38": configured(deep, models.DefaultOptions()),
	})
	v := PrintedTable4()
	v.CV["qg"] = v.CV["dual-path"]
	claimtest.CanFail(t, Printed(), map[string]claim.Finding{"S4-23": improvementArithmetic(v, 0.6), "S4-25": improvementArithmetic(v, 0.2)})
}

// TestGroupCounts: groups of one node that are unqualified refute the claim, and so do unqualified
// ones that stay whole and qualified ones that are divided; without any of these it is confirmed.
func TestGroupCounts(t *testing.T) {
	type grouping = func(topology.Grid, multicast.Request, multicast.GroupOptions) (multicast.Grouping, error)
	divisible := func(g topology.Grid, r multicast.Request, o multicast.GroupOptions) (multicast.Grouping, error) {
		for ; ; r.Destinations = r.Destinations[1:] {
			q, err := multicast.QualifiedGroups(g, r, o)
			if err != nil || !slices.ContainsFunc(q.Primary, func(p multicast.Group) bool { return len(p.Nodes) == 1 && !q.Qualified(p, o.Threshold) }) {
				return q, err
			}
		}
	}
	changed := func(change func(*multicast.Grouping)) grouping {
		return func(g topology.Grid, r multicast.Request, o multicast.GroupOptions) (multicast.Grouping, error) {
			q, err := divisible(g, r, o)
			change(&q)
			return q, err
		}
	}
	for _, c := range []struct {
		what    string
		group   grouping
		verdict string
		reason  string
	}{
		{"as they are", multicast.QualifiedGroups, tables.NotConfirmed, "unqualified groups have one node"},
		{"none of one node that is unqualified", divisible, tables.Confirmed, ""},
		{"never divided", changed(func(q *multicast.Grouping) { q.Final = q.Primary }), tables.NotConfirmed, "0 of "},
		{"all twice", changed(func(q *multicast.Grouping) { q.Final = append(q.Final, q.Final...) }), tables.NotConfirmed, "0 of "},
	} {
		f := groupCounts(c.group)
		if f.Verdict != c.verdict || c.verdict != tables.Confirmed && !strings.Contains(f.Reason, c.reason) {
			t.Errorf("%s: %s, want %s: %s; %s", c.what, f.Verdict, c.verdict, f.Detail, f.Reason)
		}
	}
}

// TestConfiguredChannels: a network with fewer channels between node and router refutes, and with
// the usual ones is confirmed.
func TestConfiguredChannels(t *testing.T) {
	for _, c := range []struct {
		injection, ejection int
		verdict             string
	}{{0, 0, tables.Confirmed}, {1, 0, tables.NotConfirmed}, {3, 0, tables.NotConfirmed}, {0, 1, tables.NotConfirmed}, {0, 3, tables.NotConfirmed}} {
		o := models.DefaultOptions()
		o.WormholeIdeal.InjectionPorts, o.WormholeIdeal.EjectionChannels = c.injection, c.ejection
		if f := configured(messages.Default(), o); f.Verdict != c.verdict {
			t.Errorf("%d injection ports and %d ejection channels: %s, want %s: %s", c.injection, c.ejection, f.Verdict, c.verdict, f.Detail)
		}
	}
}

package rotary_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/engine"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestScenarios plays the stories of testdata, a header's timeline cycle by cycle, with the plain
// router and with the engine.
func TestScenarios(t *testing.T) {
	for _, form := range []string{"plain", "engine"} {
		t.Run(form, func(t *testing.T) {
			stories.Play(t, "testdata", func(l topology.Layout, d *datadriven.TestData) (stories.Network, error) {
				c := rotary.DefaultRR()
				c.MissLimit = 6
				d.ScanArgs(t, "scheme", &c.Multicast)
				var n noc.Network
				var err error
				if form == "plain" {
					n, err = rotary.New(*l.Grid, c)
				} else {
					n, err = engine.New(*l.Grid, c)
				}
				if err != nil {
					return stories.Network{}, err
				}
				return stories.Network{Network: n, Watch: headers(n, *l.Grid)}, nil
			})
		})
	}
}

// headers tells what headers have done since the last call: that they entered a segment, or left by
// an output, or were copied.
func headers(n noc.Network, g topology.Grid) func() []string {
	activity, links := n.Activity(nil), n.Links(nil)
	streams := make([]noc.Cycle, len(links)) // until then phits of the same packet follow
	return func() (events []string) {
		happened := func(count uint64, router int, what string) {
			for range count {
				events = append(events, fmt.Sprintf("node %d: %s", router, what))
			}
		}
		now := n.Activity(nil)
		for r, a := range now {
			happened(a.ArbGrants[noc.RingEntry]-activity[r].ArbGrants[noc.RingEntry], r, "enters a segment")
			happened(a.Replications-activity[r].Replications, r, "copied")
			happened(a.Misroutes-activity[r].Misroutes, r, "misrouted")
		}
		for i, l := range n.Links(nil) {
			if l.Phits > links[i].Phits && n.Now() > streams[i] {
				streams[i] = n.Now() + 4 // all packets have five phits
				happened(1, int(l.From), "leaves by "+g.PortName(int(l.Port)))
			}
			links[i] = l
		}
		activity = now
		return events
	}
}

// mrr is the multicast rotary router.
func mrr() rotary.Config {
	c := rotary.DefaultRR()
	c.Multicast = rotary.Adaptive
	return c
}

// variant returns a reference of the paper's section 3.3: a multicast scheme with unlimited output
// stages.
func variant(s rotary.Scheme) rotary.Config {
	c := rotary.DefaultRR()
	c.Multicast, c.UnlimitedOutput = s, true
	return c
}

func TestConformance(t *testing.T) {
	for _, c := range []rotary.Config{rotary.DefaultRR(), mrr(), variant(rotary.Tree), variant(rotary.Path)} {
		build := func(every bool) func(topology.Grid, uint64) (noc.Network, error) {
			return func(g topology.Grid, seed uint64) (noc.Network, error) {
				c.Seed, c.EveryCycle = seed, every
				return rotary.New(g, c)
			}
		}
		t.Run(string(c.Multicast), func(t *testing.T) {
			if os.Getenv("CAROUSEL_LONG") == "" && c.Multicast != rotary.Adaptive {
				t.Skip("with CAROUSEL_LONG=1; the engine, which is held to the same laws, equals this router")
			}
			noctest.Run(t, noctest.Subject{Grids: noctest.FewGrids(), Build: build(false), EveryCycle: build(true), Classes: c.Classes, Phits: c.SlotPhits})
		})
	}
}

package experiment

import (
	"context"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// halves puts the nodes of a network at so many routers, one or two, which have channels both ways.
func halves(o models.Options, routers int) (topology.Layout, error) {
	places := make([]topology.Place, o.Grid.Nodes())
	for n := range places {
		places[n] = topology.Place{Router: noc.NodeID(n % routers), Port: uint16(n)}
	}
	var channels []topology.Channel
	if far := uint16(len(places)); routers == 2 {
		channels = []topology.Channel{{From: 0, To: 1, Out: far, In: far}, {From: 1, To: 0, Out: far, In: far}}
	}
	w, err := topology.NewWiring("halves", routers, channels, places, places)
	return topology.Layout{Wiring: w}, err
}

// across is the routing of two routers: over the channel that leaves.
type across struct{}

func (across) Next(router, _ noc.NodeID) int32 { return int32(router) }

// few is a network without contention whose nodes share so many routers.
func few(routers int) models.Model {
	m := must.Get(models.Lookup("ideal"))
	m.Name, m.Plain = "few", nil
	m.Layout = func(o models.Options) (topology.Layout, error) { return halves(o, routers) }
	m.New = func(o models.Options) (noc.Network, error) {
		l := must.Get(halves(o, routers))
		return ideal.NewWiring(l.Wiring, across{}, o.Ideal)
	}
	return m
}

// TestFewRouters: nodes that share routers, in a topology that a model brings, run on a chip. Tables say
// what sits at each router, and have no coordinates or links that there are not.
func TestFewRouters(t *testing.T) {
	for routers, hops := range map[int]bool{1: false, 2: true} {
		s := small()
		s.Runs, s.Models, s.Routers = 1, append(models.Table(), few(routers)), []string{"base", "few"}
		must.Do(s.Check())
		outcomes, rows := do(t, context.Background(), s, quiet(1))
		run := rows.Runs[1]
		if run.ExitState != tables.Finished {
			t.Fatal(outcomes[1].Err)
		}
		var cores, controllers uint64
		seen := 0
		for _, r := range rows.Routers {
			if r.RunKey == run.RunKey {
				seen, cores, controllers = seen+1, cores+r.Cores.Value, controllers+r.Controllers.Value
				if r.X.Known || r.Y.Known || r.EjectPhits == 0 {
					t.Errorf("router %d has a place or has done nothing: %+v", r.Node, r)
				}
			}
		}
		links := 0
		for _, l := range rows.Links {
			if l.RunKey == run.RunKey {
				if links++; l.Direction.Known || l.FromX.Known || l.Phits == 0 {
					t.Errorf("link %+v", l)
				}
			}
		}
		if seen != routers || cores != 4 || controllers != 4 || links != 2*(routers-1) || run.PhitHops.Known != hops || run.Topology != "torus:4x4" {
			t.Errorf("%d routers with %d cores and %d controllers, %d links, phit hops %+v, topology %s", seen, cores, controllers, links, run.PhitHops, run.Topology)
		}
	}
}

// TestLayoutsThatDoNotFit are refused before anything is simulated.
func TestLayoutsThatDoNotFit(t *testing.T) {
	for want, change := range map[string]func(*models.Model){
		"the network has 1 routers, but torus:4x4 has 16; set Layout of the model": func(m *models.Model) { m.Layout = nil },
		"the network has 1 routers, but halves has 2": func(m *models.Model) {
			m.Layout = func(o models.Options) (topology.Layout, error) { return halves(o, 2) }
		},
		"its layout halves has 64 nodes, but torus:4x4 has 16": func(m *models.Model) {
			m.Layout = func(o models.Options) (topology.Layout, error) { return halves(models.DefaultOptions(), 1) }
		},
		"the network has 64 nodes": func(m *models.Model) {
			m.New = func(o models.Options) (noc.Network, error) { return ideal.New(topology.Torus(8, 8), o.Ideal) }
		},
		"to router 12, which bare has not": func(m *models.Model) {
			m.Layout = func(o models.Options) (topology.Layout, error) {
				w := o.Grid.Wiring()
				bare, err := topology.NewWiring("bare", w.Routers, nil, w.Entry, w.Exit)
				return topology.Layout{Wiring: bare}, err
			}
			m.New = func(o models.Options) (noc.Network, error) { return ideal.New(o.Grid, o.Ideal) }
		},
		"literal has no index": func(m *models.Model) {
			m.Layout = func(o models.Options) (topology.Layout, error) {
				l, err := halves(o, 1)
				return topology.Layout{Wiring: &topology.Wiring{Name: "literal", Routers: 1, Entry: l.Wiring.Entry, Exit: l.Wiring.Exit}}, err
			}
		},
		"its layout has no wiring": func(m *models.Model) {
			m.Layout = func(models.Options) (topology.Layout, error) { return topology.Layout{}, nil }
		},
	} {
		m := few(1)
		change(&m)
		s := small()
		s.Models, s.Routers = models.List{m}, []string{"few"}
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

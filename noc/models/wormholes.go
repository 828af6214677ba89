package models

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/virtualchannel"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// ByScheme is the routing that goes together with the scheme, for the wormhole networks: labels with
// label-ordered worms, dimension order with others where it is free of deadlock.
const ByScheme = "by-scheme"

// wormSchemes are the schemes of the wormhole networks. Those of label-ordered worms need unicasts that
// follow the labels; mixed with dimension order they deadlock (package routing).
var wormSchemes = []string{"unicast", "dual-path", "multi-path", "column-path", "qg", "ocms", "otms"}

// labelOrdered tells whether a scheme's worms follow the labels.
func labelOrdered(scheme string) bool { return scheme != "unicast" && scheme != "column-path" }

// plans is a scheme as the interfaces of a wormhole network use it.
type plans struct {
	scheme  multicast.Scheme
	network *multicast.Network
	options multicast.Options
}

func (p plans) Plan(r multicast.Request) (multicast.Plan, error) {
	return p.scheme.Plan(p.network, r, p.options)
}

// planner is the planner of a scheme on a grid; nil for separate copies.
func planner(g topology.Grid, scheme string) (dispatch.Planner, error) {
	if !slices.Contains(wormSchemes, scheme) {
		return nil, fmt.Errorf("scheme is %q; wormhole networks have %q", scheme, wormSchemes)
	}
	if scheme == "unicast" {
		return nil, nil
	}
	s, err := multicast.LookupScheme(scheme)
	if err != nil {
		return nil, err
	}
	p := plans{s, multicast.NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g}), multicast.DefaultOptions()}
	if _, err := p.Plan(multicast.Request{Source: 0, Destinations: []noc.NodeID{1}}); err != nil { // the grid may not suit the scheme
		return nil, err
	}
	return p, nil
}

// newWormhole builds a network of virtual-channel routers.
func newWormhole(o Options) (noc.Network, error) {
	c := o.Wormhole
	c.Classes, c.EveryCycle = o.Classes, o.EveryCycle
	scheme := o.scheme()
	if c.Routing == ByScheme {
		c.Routing = virtualchannel.DimensionOrder
		if labelOrdered(scheme) {
			c.Routing = virtualchannel.Labels
		}
	}
	p, err := planner(o.Grid, scheme)
	if err != nil {
		return nil, err
	}
	if p != nil {
		c.EjectionPerInput = true
	}
	n, err := virtualchannel.New(o.Grid, c, p)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// newWormholeIdeal builds a wormhole network without router pipelines.
func newWormholeIdeal(o Options) (noc.Network, error) {
	c := o.WormholeIdeal
	c.Classes, c.EveryCycle = o.Classes, o.EveryCycle
	scheme := o.scheme()
	if c.Routing == ByScheme {
		c.Routing = wormhole.Labels
		if !labelOrdered(scheme) && !o.Grid.Wrap {
			c.Routing = wormhole.DimensionOrder
		}
	}
	p, err := planner(o.Grid, scheme)
	if err != nil {
		return nil, err
	}
	n, err := wormhole.NewGrid(o.Grid, c, p)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// scheme is the scheme of the models that let it be chosen.
func (o Options) scheme() string {
	if o.Scheme == "" {
		return "unicast"
	}
	return o.Scheme
}

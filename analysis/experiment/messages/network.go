package messages

import (
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// build makes the network of a point.
func build(c Config) (*wormholeideal.Network, error) {
	l, err := topology.Open(c.Topology)
	if err != nil {
		return nil, err
	}
	v, err := variant(c.Scheme, c.More...)
	if err != nil {
		return nil, err
	}
	if v.Name == "software" && l.Multistage != nil && !l.Multistage.Bidirectional {
		v.Scheme = "cmin"
	}
	scheme, err := multicast.LookupScheme(v.Scheme, c.More...)
	if err != nil {
		return nil, err
	}
	options := multicast.DefaultOptions()
	options.Ports, options.Groups = v.Ports, v.Groups
	options.Groups.Threshold = c.Threshold
	p, err := multicast.NewPlanner(scheme, l, options)
	if err != nil {
		return nil, err
	}
	w := wormholeideal.Default()
	w.Classes, w.MaxPhits, w.BufferPhits, w.Startup, w.CutThrough, w.RouteCycles = 1, c.Flits, c.BufferFlits, c.Startup, v.CutThrough, c.Route
	if w.Preparation, err = preparation(c.Preparation, v.Scheme); err != nil {
		return nil, err
	}
	w.HeaderPhits = c.Header
	var r routing.Function
	switch {
	case l.Multistage != nil && scheme.Way != multicast.ByLabels:
		return buildStages(c, w, p)
	case l.Grid == nil:
		if r, err = routing.OfScheme(p, c.Routing == FixedRouting); err != nil {
			return nil, err
		}
		if p.OneStop() { // a node has one channel into its switch and one out of it
			w.InjectionChannels, w.InjectionPorts, w.EjectionChannels = true, 1, 1
		}
	case c.Routing != ByScheme:
		w.Routing = wormholeideal.Routing(c.Routing)
	case scheme.Way != multicast.ByLabels:
		w.Routing = wormholeideal.DimensionOrder
	}
	return wormholeideal.New(l, w, r, p)
}

// buildStages makes a multistage network, whose switches replicate the worms of atbm. Unicasts and
// software multicasts use the same network, so that nothing but the scheme differs. w has what it
// shares with others.
func buildStages(c Config, w wormholeideal.Config, p multicast.Planner) (*wormholeideal.Network, error) {
	w.BufferPhits, w.EjectionChannels, w.PhitBits = c.BufferFlits, c.Consumption, wormholeideal.DefaultTree().PhitBits
	w.Tree = &wormholeideal.Tree{Tokens: c.Tokens, TokenHop: c.TokenHop,
		TokenTime: wormholeideal.TokenTime(c.TokenTime), Release: wormholeideal.Release(c.Release),
		Arbitration: wormholeideal.Arbitration(c.Arbitration), Adaptive: c.Routing != FixedRouting}
	var planner dispatch.Planner = p
	if p.Scheme.Name == "atbm" {
		planner = wormholeideal.TreePlanner{}
	}
	return wormholeideal.New(p.Network.Layout, w, nil, planner)
}

package messages

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// planner is a variant as the interfaces of the network use it.
type planner struct {
	scheme  multicast.Scheme
	network *multicast.Network
	options multicast.Options
}

func (p planner) Plan(r multicast.Request) (multicast.Plan, error) {
	return p.scheme.Plan(p.network, r, p.options)
}

// network is what messages travel over; Deadlock finds worms that wait in a circle.
type network interface {
	noc.Network
	Deadlock() []noc.Stuck
}

// build makes the network of a point.
func build(c Config) (network, error) {
	l, err := topology.Open(c.Topology)
	if err != nil {
		return nil, err
	}
	v, err := variant(c.Scheme)
	if err != nil {
		return nil, err
	}
	if v.Name == "software" && l.Multistage != nil && !l.Multistage.Bidirectional {
		v.Scheme = "cmin"
	}
	scheme, err := multicast.LookupScheme(v.Scheme)
	if err != nil {
		return nil, err
	}
	p := planner{scheme, multicast.NewNetwork(l), multicast.DefaultOptions()}
	p.options.Ports, p.options.Groups = v.Ports, v.Groups
	p.options.Groups.Threshold = c.Threshold
	if _, err := p.Plan(multicast.Request{Source: 0, Destinations: []noc.NodeID{1}}); err != nil { // the network may not suit the scheme
		return nil, err
	}
	w := wormhole.Default()
	w.Classes, w.MaxPhits, w.BufferPhits, w.Startup, w.CutThrough, w.RouteCycles = 1, c.Flits, c.BufferFlits, c.Startup, v.CutThrough, c.Route
	if w.Preparation, err = preparation(c.Preparation, v.Scheme); err != nil {
		return nil, err
	}
	w.HeaderPhits = c.Header
	switch {
	case l.Multistage != nil && scheme.Way != multicast.ByLabels:
		return buildStages(c, w, p)
	case l.Grid == nil:
		return buildSwitches(c, w, p)
	case c.Routing != ByScheme:
		w.Routing = wormhole.Routing(c.Routing)
	case scheme.Way != multicast.ByLabels:
		w.Routing = wormhole.DimensionOrder
	}
	return wormhole.NewGrid(*l.Grid, w, p)
}

// buildSwitches makes a network of switches, whose nodes have one channel into their switch and one out of it. Worms
// go as the network routes them, not as their plan does: that has the ways of an idle network. Label-ordered worms,
// which need a direct network, are as on grids.
func buildSwitches(c Config, w wormhole.Config, p planner) (network, error) {
	if p.scheme.Way == multicast.ByLabels {
		labelled, err := p.network.Labelled()
		if err != nil {
			return nil, err
		}
		return wormhole.New(p.network.Wiring, w, routing.Labels(labelled), p)
	}
	w.InjectionChannels, w.InjectionPorts, w.EjectionChannels = true, 1, 1
	r, err := routing.Native(p.network.Layout)
	if err != nil {
		return nil, err
	}
	if c.Routing == FixedRouting {
		r = routing.Fixed(r)
	}
	return wormhole.New(p.network.Wiring, w, r, routed{p})
}

// routed is a planner whose unicasts the network routes.
type routed struct{ planner }

func (r routed) Plan(request multicast.Request) (multicast.Plan, error) {
	plan, err := r.planner.Plan(request)
	for i := range plan {
		plan[i].Path = nil
	}
	return plan, err
}

// OneStop says that one ejection channel is enough.
func (routed) OneStop() bool { return true }

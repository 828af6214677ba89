package messages

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
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

// build makes the network of a point.
func build(c Config) (*wormhole.Network, error) {
	g, err := topology.Parse(c.Topology)
	if err != nil {
		return nil, err
	}
	v, err := variant(c.Scheme)
	if err != nil {
		return nil, err
	}
	scheme, err := multicast.LookupScheme(v.Scheme)
	if err != nil {
		return nil, err
	}
	p := planner{scheme, multicast.NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g}), multicast.DefaultOptions()}
	p.options.Ports, p.options.Groups = v.Ports, v.Groups
	p.options.Groups.Threshold = c.Threshold
	if _, err := p.Plan(multicast.Request{Source: 0, Destinations: []noc.NodeID{1}}); err != nil { // the mesh may not suit the scheme
		return nil, err
	}
	w := wormhole.Default()
	w.Classes, w.MaxPhits, w.BufferPhits, w.Startup, w.CutThrough = 1, c.Flits, c.BufferFlits, c.Startup, v.CutThrough
	if w.Preparation, err = preparation(c.Preparation, v.Scheme); err != nil {
		return nil, err
	}
	switch {
	case c.Routing != ByScheme:
		w.Routing = wormhole.Routing(c.Routing)
	case v.Scheme == "column-path" || v.Scheme == "unicast":
		w.Routing = wormhole.DimensionOrder
	}
	return wormhole.NewGrid(g, w, p)
}

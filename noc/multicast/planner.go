package multicast

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Planner is a scheme on a network, as the interfaces of an engine use it. Unicasts of its plans
// leave their route to the routing of the engine, which may have choices that a plan for an idle
// network knows nothing of.
type Planner struct {
	Scheme  Scheme
	Network *Network
	Options Options
}

// NewPlanner prepares a scheme, or tells why the network does not suit it.
func NewPlanner(s Scheme, l topology.Layout, o Options) (Planner, error) {
	p := Planner{s, NewNetwork(l), o}
	_, err := p.Plan(Request{Source: 0, Destinations: []noc.NodeID{noc.NodeID(l.Nodes() - 1)}})
	return p, err
}

// Plan plans one multicast.
func (p Planner) Plan(r Request) (Plan, error) {
	plan, err := p.Scheme.Plan(p.Network, r, p.Options)
	if p.OneStop() {
		for i := range plan {
			plan[i].Path = nil
		}
	}
	return plan, err
}

// OneStop tells that all worms are unicasts, for which one ejection channel per node is enough.
func (p Planner) OneStop() bool { return p.Scheme.Way == ByNetwork }

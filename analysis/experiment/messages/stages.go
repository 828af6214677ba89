package messages

import (
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

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
	return wormholeideal.NewStages(*p.Network.Multistage, w, planner)
}

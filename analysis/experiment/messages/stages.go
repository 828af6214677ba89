package messages

import (
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/treeworm"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// buildStages makes a multistage network, whose switches replicate the worms of atbm. Unicasts and software
// multicasts use the same network, so that nothing but the scheme differs. w has what it shares with others.
func buildStages(c Config, w wormholeideal.Config, p multicast.Planner) (network, error) {
	s := treeworm.Default()
	s.Classes, s.MaxPhits, s.BufferPhits, s.RouteCycles, s.HeaderPhits = 1, w.MaxPhits, c.BufferFlits, w.RouteCycles, w.HeaderPhits
	s.Consumption, s.Tokens, s.TokenHop = c.Consumption, c.Tokens, c.TokenHop
	s.Release, s.Arbitration = treeworm.Release(c.Release), treeworm.Arbitration(c.Arbitration)
	s.Adaptive, s.Startup, s.Preparation = c.Routing != FixedRouting, w.Startup, w.Preparation
	var planner dispatch.Planner = p
	if p.Scheme.Name == "atbm" {
		planner = treeworm.Tree{}
	}
	n, err := treeworm.New(*p.Network.Multistage, s, planner)
	if err != nil {
		return nil, err
	}
	return n, nil
}

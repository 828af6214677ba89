package compare

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// startupNotes warns of schemes of several message passing steps that pay for none of them: the
// papers that describe them are about that cost.
func startupNotes(c *config.Effective) (notes []string) {
	for _, one := range []struct {
		router, key string
		startup     int
	}{{"wormhole", "network.wormhole.startup", c.Network.Wormhole.Startup}, {"wormhole-ideal", "network.wormhole_ideal.startup", c.Network.WormholeIdeal.Startup}} {
		for _, router := range c.Routers {
			m, err := c.Models().Lookup(router)
			if scheme := m.SchemeOf(c.Network); err == nil && c.Base(router) == one.router && one.startup == 0 && multicast.Forwards(scheme) {
				notes = append(notes, fmt.Sprintf("%s: nodes forward messages of %s at no cost, because %s is 0; the papers on such schemes assume 33 cycles to 10 us for each step",
					router, scheme, one.key))
			}
		}
	}
	return notes
}

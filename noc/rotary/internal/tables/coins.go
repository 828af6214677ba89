package tables

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Coins returns 64 random bits for a seed, a router and a cycle, so that nothing depends on the
// order in which routers are visited.
func Coins(seed, router uint64, cycle noc.Cycle) uint64 {
	return random.Mix(seed*random.Gamma + router*0xd1b54a32d192ed03 + uint64(cycle)*0x8cb92ba72f3d8dd7)
}

package power_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
)

// The energy of a packet that crosses two links of BASE routers, without clock and leakage.
func Example() {
	network, err := buffered.New(topology.Torus(4, 4), buffered.DefaultBase())
	if err != nil {
		fmt.Println(err)
		return
	}
	network.Offer(noc.Packet{Src: 0, Dst: noc.One(2), Phits: 5})
	for network.InFlight() > 0 {
		network.Deliveries()
		network.Step(network.Now() + 100)
	}
	for _, profile := range []power.Profile{power.ProfileO, power.ProfileS} {
		c := power.Default()
		c.Profile, c.TechNM = profile, 45
		c = c.Effective()
		router, err := power.NewRouter(network.Hardware(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum := power.Breakdown{}
		for _, counters := range network.Activity(nil) {
			sum = sum.Add(router.Price(counters, network.Now()))
		}
		fmt.Printf("profile %s: %.0f pJ in routers\n", profile, 1e12*sum.Dynamic())
	}
	// Output:
	// profile O: 460 pJ in routers
	// profile S: 143 pJ in routers
}

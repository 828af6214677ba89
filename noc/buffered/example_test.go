package buffered_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BASE sends a multicast as separate copies, BASE-MC replicates it in its routers.
func Example() {
	for _, scheme := range []buffered.Multicast{buffered.Replicate, buffered.Tree} {
		c := buffered.DefaultBase()
		c.Multicast = scheme
		network, err := buffered.New(topology.Torus(8, 8), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		network.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(64, 2, 3, 10), Phits: 5})
		last := noc.Cycle(0)
		for network.InFlight() > 0 {
			for _, d := range network.Deliveries() {
				last = d.Arrived
			}
			network.Step(network.Now() + 100)
		}
		fmt.Printf("%s: the last copy arrives in cycle %d, after %d phits on links\n", c.Multicast, last, network.Totals().PhitHops)
	}
	// Output:
	// replicate: the last copy arrives in cycle 39, after 40 phits on links
	// tree: the last copy arrives in cycle 35, after 20 phits on links
}

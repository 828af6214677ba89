package rotary_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A multicast from one corner of a 4x4 torus: the routers copy it on its way.
func ExampleNew() {
	c := rotary.DefaultRR()
	c.Multicast = rotary.Adaptive // what makes it an MRR
	net, err := rotary.New(topology.Torus(4, 4), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(net.Nodes(), 1, 5, 10), Phits: 5})
	for net.InFlight() > 0 {
		net.Step(net.Now() + 1000) // to the next arrival
		for _, d := range net.Deliveries() {
			fmt.Printf("cycle %d: node %d, after %d links\n", d.Arrived, d.At, d.Hops)
		}
	}
	copies := uint64(0)
	for _, a := range net.Activity(nil) {
		copies += a.Replications
	}
	fmt.Println("copies made by routers:", copies)
	// Output:
	// cycle 19: node 5, after 2 links
	// cycle 21: node 1, after 1 links
	// cycle 27: node 10, after 4 links
	// copies made by routers: 2
}

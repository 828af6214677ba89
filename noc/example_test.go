package noc_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A client takes the deliveries of the current cycle, offers packets, and steps, as long as
// anything is in flight.
func Example() {
	options := models.DefaultOptions()
	options.Grid = topology.Torus(4, 4)
	model, err := models.Lookup("base-mc")
	if err != nil {
		fmt.Println(err)
		return
	}
	network, err := model.Build(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	network.Offer(noc.Packet{Src: 0, Dst: noc.One(2), Tag: 1, Phits: 5})
	network.Offer(noc.Packet{Src: 5, Dst: noc.SetOf(16, 4, 6, 9), Tag: 2, Phits: 1})
	for network.InFlight() > 0 {
		for _, d := range network.Deliveries() {
			fmt.Printf("packet %d of node %d reaches node %d in cycle %d over %d links\n", d.Tag, d.Src, d.At, d.Arrived, d.Hops)
		}
		network.Step(network.Now() + 100)
	}
	fmt.Println(network.Totals().PhitHops, "phits crossed links")
	// Output:
	// packet 2 of node 5 reaches node 6 in cycle 11 over 1 links
	// packet 2 of node 5 reaches node 9 in cycle 12 over 1 links
	// packet 2 of node 5 reaches node 4 in cycle 13 over 1 links
	// packet 1 of node 0 reaches node 2 in cycle 20 over 2 links
	// 13 phits crossed links
}

package multicast_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A plan: who sends the message to whom, on which way, and when everybody has it in an idle
// network.
func ExampleDescribe() {
	layout, err := topology.Open("mesh:4x4")
	if err != nil {
		fmt.Println(err)
		return
	}
	network := multicast.NewNetwork(layout)
	scheme, err := multicast.LookupScheme("dual-path")
	if err != nil {
		fmt.Println(err)
		return
	}
	request := multicast.Request{Source: 5, Destinations: []noc.NodeID{0, 3, 14}}
	plan, err := scheme.Plan(network, request, multicast.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	timing, unit := network.DefaultTiming()
	d, err := multicast.Describe(scheme.Name, layout.Wiring, request, plan, timing, unit)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Title())
	for _, w := range d.Worms {
		fmt.Println("to", w.Stops, "over", w.Path)
	}
	fmt.Println(d.Traffic, "channels,", d.Latency, d.TimeUnit)
	// Output:
	// dual-path on mesh:4x4: source 5, 3 destinations
	// to [14] over [9 10 14]
	// to [3 0] over [6 7 3 2 1 0]
	// 9 channels, 71 cycles
}

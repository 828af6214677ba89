package traffic_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// The load that BASE routers deliver below saturation, measured after a warm-up.
func Example() {
	grid, config := topology.Torus(4, 4), buffered.DefaultBase()
	network, err := buffered.New(grid, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	load := traffic.Default()
	load.Load = 0.2
	driver, err := traffic.New(network, grid, load, traffic.Interface{QueuePackets: config.SourceQueue, SeparateCopies: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	driver.Run(1000)
	driver.Clear()
	driver.Run(6000)
	window := driver.Window()
	fmt.Printf("delivered %.1f phits per node and cycle, saturated: %v\n", window.Delivered, window.Saturated())
	// Output:
	// delivered 0.2 phits per node and cycle, saturated: false
}

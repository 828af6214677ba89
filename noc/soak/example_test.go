package soak_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
)

// An audit of a network: whatever a router of another module does wrong, such a run is likely to
// see.
func ExampleSubject_Audit() {
	model, err := models.Lookup("mrr")
	if err != nil {
		fmt.Println(err)
		return
	}
	options := models.DefaultOptions()
	options.Grid = topology.Torus(4, 4)
	result := soak.Subject{Model: model, Options: options}.Audit(context.Background(), soak.Default())
	fmt.Println(result.Router, result.Topology, result.Packets > 1000, result.Violation == "")
	// Output: mrr torus:4x4 true true
}

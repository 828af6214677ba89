package checks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/carousel-sim/carousel/analysis/checks"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/models"
)

// One network under random traffic, as carousel verify network checks all. A model or a protocol of
// another module is checked once it is in the list.
func Example() {
	ideal, err := models.Table().Lookup("ideal")
	if err != nil {
		log.Fatal(err)
	}
	report, err := checks.Run(context.Background(), checks.Network, verify.Protocols, models.List{ideal}, verify.Options{Jobs: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Networks[0].Router, "on", report.Networks[0].Topology, "and more, passed:", report.Passed)
	// Output:
	// ideal on torus:8x8 and more, passed: true
}

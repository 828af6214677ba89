package sheet_test

import (
	"os"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

// A list of structures as a table: the tag title names the columns.
func ExampleOf() {
	ratio := 0.7458
	s := sheet.Of([]struct {
		Router string   `json:"router" title:"router"`
		Cycles uint64   `json:"cycles" title:"cycles"`
		Time   *float64 `json:"time" title:"time"`
		Seed   uint64   `json:"seed"` // not for people
	}{{"base", 550875, nil, 1}, {"mrr", 410872, &ratio, 1}})
	s.Before = []string{"two routers"}
	s.Note("time is relative to base")
	s.Write(os.Stdout, 0)
	// Output:
	// two routers
	// router  cycles    time
	// base    550875       -
	// mrr     410872  0.7458
	// time is relative to base
}

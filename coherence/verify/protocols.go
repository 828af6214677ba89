package verify

import (
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
)

// Protocol is what is checked of one protocol beside random programs and litmus tests on whole
// chips, which need no more than its name. In the table every field is set. One of another module
// may leave functions nil, and is checked for less then.
type Protocol struct {
	Name string
	// Defects lists the mistakes that can be seeded.
	Defects func() []coherence.Defect
	// Explorations lists the exhaustive checks, small ones first, with a defect seeded unless its
	// name is "".
	Explorations func(defect string) []Exploration
	// Stress is the k-th of an endless row of different random tests, with a defect seeded unless
	// its name is "".
	Stress func(k int, defect string) Stress
}

// Protocols lists the protocols of the chip (coherence/cmp has a row with the same name for each).
var Protocols = []Protocol{
	{"token", token.Defects, tokenExplorations, tokenStress},
	{"directory", directory.Defects, directoryExplorations, directoryStress},
	{"msi", msi.Defects, msiExplorations, msiStress},
}

// With returns the table and a row for each protocol of other modules, taken from checks where
// these have one of its name.
func With(more []cmp.ProtocolEntry, checks []Protocol) []Protocol {
	all := slices.Clone(Protocols)
	for i := range more {
		row := Protocol{Name: more[i].Name}
		for _, p := range checks {
			if p.Name == row.Name {
				row = p
			}
		}
		all = append(all, row)
	}
	return all
}

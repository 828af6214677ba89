package paper

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/workloads"
)

// entries are those of all papers, in their order. Their files are part of the program, so that a
// mistake in one is a mistake of the program.
var entries = sync.OnceValue(func() (all []claim.Entry) {
	for _, name := range []string{"mrr", "atbm", "ocms", "qg", "now", "exact"} {
		file := name + ".claims.yaml"
		content, err := plans.Files.ReadFile(file)
		if err != nil {
			panic(err)
		}
		of, err := claim.Read(file, content)
		if err != nil {
			panic(err)
		}
		all = append(all, of...)
	}
	for i := range all {
		switch all[i].ID {
		case "mrr.fig11":
			addKinds(&all[i])
		case "qg.table4":
			addPrinted(&all[i])
		case "now.fig3":
			addBounds(&all[i].Charts[0])
		}
	}
	return all
})

// Entries returns the entries of all papers, in their order.
func Entries() []claim.Entry { return slices.Clone(entries()) }

// Lookup finds an entry by its identifier.
func Lookup(id string) (claim.Entry, error) {
	var ids []string
	for _, e := range entries() {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return claim.Entry{}, fmt.Errorf("unknown figure or table %q; choose from %s", id, strings.Join(ids, ", "))
}

// addKinds groups the workloads of figure 11 by what they are.
func addKinds(e *claim.Entry) {
	for i := range e.Charts {
		names := map[chart.Value]string{}
		for _, w := range workloads.Table {
			names[chart.Value{Column: tables.Col.Workload, Value: w.Name}] = string(w.Kind) + "s"
		}
		e.Charts[i].Group.Names = names
	}
}

// variant is the axis of variants.
var variant = tables.AxisName(plan.VariantAxis)

// addPrinted puts the printed values of tables 4 and 5, which a claim judges, beside the measured ones
// of the first picture, and restricts that to their variants.
func addPrinted(e *claim.Entry) {
	c := &e.Charts[0]
	for _, of := range e.Claims {
		for _, part := range of.Parts {
			if part.Printed == nil {
				continue
			}
			panel := part.Where.Panel[0]
			c.Only[variant] = append(c.Only[variant], panel)
			for _, scheme := range c.Only[tables.Col.Scheme] {
				for i, v := range part.Printed[scheme] {
					c.References = append(c.References, chart.Reference{Place: chart.Place{Panel: panel, X: part.At[i]}, Series: scheme + ", printed", Like: scheme, Value: v, Low: v, High: v})
				}
			}
		}
	}
}

// addBounds draws the time that startups take at least.
func addBounds(c *chart.Chart) {
	for _, panel := range []string{"Random points of a lattice", "All points of a lattice"} {
		for d := 1; d < 256; d++ {
			us := 10 * float64(bits.Len(uint(d))) // ceil(log2(d+1)) is the length of d in bits
			c.References = append(c.References, chart.Reference{Place: chart.Place{Panel: panel, X: float64(d)}, Series: "bound: ceil(log2(d+1)) x 10 us", Value: us, Low: us, High: us})
		}
	}
}

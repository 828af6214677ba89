// Package now holds the figures, tables and claims of the paper about unicast-based multicasting
// in networks of workstations: Libeskind-Hadas, Mazzoni and Rajagopalan, Optimal Contention-Free
// Unicast-Based Multicasting in Switch-Based Networks of Workstations.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write
// such a function, as in fig3.go, and add it to [Entries].
package now

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// NOW is the paper as the tables name it.
const NOW = "Libeskind-Hadas, Mazzoni, Rajagopalan: Optimal Contention-Free Unicast-Based Multicasting in Switch-Based Networks of Workstations"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Fig3, Multiple}

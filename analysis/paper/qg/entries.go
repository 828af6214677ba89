// Package qg holds the figures, tables and claims of the paper about Qualified Groups: Al-Dubai,
// Ould-Khaoua and Mackenzie, Trade-Offs between Latency, Complexity, and Load Balancing with
// Multicast Algorithms.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write
// such a function, as in table3.go, and add it to [Entries].
package qg

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// QG is the paper as the tables name it.
const QG = "Al-Dubai, Ould-Khaoua, Mackenzie: Trade-Offs between Latency, Complexity, and Load Balancing with Multicast Algorithms"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Rules, Printed, Section42, Table3, Fig10, Fig12, Fig14, Table4, Fig15, Fig17, Fig19}

// Package qg holds the figures, tables and claims of the paper about Qualified Groups: Al-Dubai,
// Ould-Khaoua and Mackenzie, Trade-Offs between Latency, Complexity, and Load Balancing with
// Multicast Algorithms.
//
// # Readings
//
// The paper leaves open what its tables measure. One reading is taken for all of tables 3 to 5, and
// others stand beside it:
//
//   - A destination has a message when its header comes, and representatives start then (the
//     variants -cut). Table 3 prints a latency below twice the startup and the flits, so that the
//     flits count once.
//   - Multicasts arise at exponential intervals, as section 4.2 says of all simulations. The 250
//     cycles "between two messages generated at a source node" of tables 4 and 5 are the mean for
//     the whole network, which could not carry one of every node. At equal intervals the variations
//     are those of one multicast at a time, and that of Qualified Groups falls with the number of
//     destinations on the smaller mesh, which table 4 does not show.
//   - The variation is the standard deviation over the mean of one multicast's arrivals, "node
//     level" as in the title of section 4.2.2, averaged over multicasts.
//   - Planning takes no time: with the 16 cycles of section 4.2 Qualified Groups leave the interval
//     of table 3.
//
// What remains apart; the reasons of S4-22 and S4-24 name the cells:
//
//   - Column-path: its variation hardly changes with the number of destinations, while the printed
//     one rises. Its worms share row links here and wait for each other, which equation 13 ignores;
//     with messages of one flit, which hardly wait, the variation rises, too, and stays below the
//     printed one.
//   - Dual-path to 80 nodes, on both meshes: below the printed value; on the smaller one with
//     messages of one flit, too.
//   - Qualified Groups to 20 nodes of the smaller mesh: above the printed value however multicasts
//     arise, and by more than a tenth only at exponential intervals.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write
// such a function, as in table3.go, and add it to [Entries].
package qg

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// QG is the paper as the tables name it.
const QG = "Al-Dubai, Ould-Khaoua, Mackenzie: Trade-Offs between Latency, Complexity, and Load Balancing with Multicast Algorithms"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Section42, Table3, Fig10, Fig12, Fig14, Table4, Fig15, Fig17, Fig19}

// Package paper lists the figures, tables and claims of the papers behind Carousel.
//
// An entry is a figure or table of a paper: a plan of carousel sweep, and charts and claims in the
// file of the paper beside the plans. Package claim reads them and decides claims.
//
// # Readings of the paper about Qualified Groups
//
// The paper leaves open what its tables measure. One reading is taken for all of tables 3 to 5:
//
//   - A destination has a message when its header comes, and representatives start then (the
//     variants -cut). Table 3 prints a latency below twice the startup and the flits, so that the
//     flits count once.
//   - Multicasts arise at exponential intervals, as section 4.2 says of all simulations. The 250
//     cycles "between two messages generated at a source node" of tables 4 and 5 are the mean for
//     the whole network, which could not carry one of every node.
//   - The variation is the standard deviation over the mean of one multicast's arrivals, "node
//     level" as in the title of section 4.2.2, averaged over multicasts.
//   - Planning takes no time: with the 16 cycles of section 4.2 Qualified Groups leave the interval
//     of table 3.
//
// The reasons of S4-22 and S4-24 name the remaining differences: worms of column-path share row
// links here and wait for each other, which equation 13 of the paper ignores.
//
// # Readings of the paper about tree worms
//
// Its ratio of multicasts is of copies in its formulas and of messages in its text. Every figure
// with traffic is drawn, and every claim about one judged, under both.
package paper

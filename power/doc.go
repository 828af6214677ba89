// Package power prices what routers and links did: energy is a pure function of counters and time.
//
// There are only a few types: a [Config] says how the network is built; [NewRouter] and [NewLink] turn it
// into the price lists [Router] and [Link]; their Price turns counters (noc.Activity) and cycles into a
// [Breakdown] in joules; [Check] compares the price lists with what public tools print, [Chips] with
// what was measured on silicon; a [Hop] sums a price list up.
//
// Two profiles estimate the same events. Profile O repeats the circuit templates of Orion 2.0, the
// successor of the model that the MRR paper used: SRAM or register FIFOs, a crossbar matrix of tri-state
// drivers. Profile S is a closed form fitted to DSENT, a standard-cell router: flip-flop RAMs,
// multiplexers, gated clocks. In O a crossbar costs as much as two FIFO accesses, in S next to nothing, so
// the ratio of a rotary router to BASE differs by more than two between them. A conclusion holds only if
// both profiles, both FIFO organisations of S, and leakage scaled by 0.1 and 1 agree on its sign.
//
// Laws:
//
//   - Only noc and the standard library are imported. Nothing is simulated here, and no reference value
//     is looked up: a price follows from the equations, for every router that noc.Hardware can describe.
//   - Energy is linear in every counter and in the number of cycles. A router without activity spends
//     clock and leakage only; the price of a network is the sum over its routers and links.
//   - The same counters give the same result, so a finished study can be priced again at another
//     technology. Floating-point numbers appear only after the run, on integer counts.
//
// What is not charged: routing tables and the destination-set memory of BASE-MC (as in the paper),
// the header logic of other routers with crossbars, network interfaces, and events that a router has no
// hardware for. A copy that BASE-MC makes is read and crosses the crossbar anew. Where several virtual
// channels are open to a header, its choice is charged once for each router, the last included; the matrices
// that choose are clocked then only, and leak always.
//
// Switching activity is the parameter Alpha or, with ActivityHamming, counted: a flipped bit is the difference
// between two words that follow each other on the same wires (noc.Toggles). Networks count them where packets have
// a content: what a recording with data says that accesses read and wrote (traces.Values), or the random words of
// synthetic traffic. Alpha is exact for those; 0.1 to 0.3 are often measured, so that one half errs to the high
// side. All terms that follow the data are linear in Alpha, which does two things: the sensitivity is a matter of
// pricing twice (carousel report --set power.alpha), and the price of a flipped bit follows from any two prices,
// by the equations of the profile and with no further ones (counted.go). Counted bits scale what Alpha does: the
// data share of each circuit, not clocks, control and the differential reads of an SRAM. Where one term of an
// equation stands for several wires, it takes these: a FIFO's write its input, its read its output; a crossbar
// input and output each its own; the multiplexer before a ring segment the segment's input, the wire before it the
// branch from the input stage and the wire from the segment before; the cells of a FIFO flip as often as the lines
// that write them, and those of a shifting one as often as its output. The header's test and rewriting keep Alpha.
//
// The reference rows hold no values for routers between and beyond their sizes, so tests also leave rows
// out and predict them, and walk over sizes, clocks and voltages in small steps. One step down remains: at
// 90 nm profile O folds drains of 10 um, and a price may fall by some per cent as a driver gets that wide.
//
// The loop is [Router.Price]. Equations stand one circuit per file: orion_*.go for profile O, cells*.go
// for profile S; router_orion.go and router_cells.go put circuits together to a router.
//
// To add a technology: add its table to orion_technology.go and cells_technology.go and its number to
// the list in config.go; if nothing public covers it, say so in [Config.Extrapolated].
package power

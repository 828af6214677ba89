// Package power prices what routers and links did: energy is a pure function of counters and time.
//
// There are only a few types: a [Config] says how the network is built; [NewRouter] and [NewLink] turn it
// into the price lists [Router] and [Link]; their Price turns counters (noc.Activity) and cycles into a
// [Breakdown] in joules; [Check] compares the price lists with what public tools print.
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
// network interfaces, and events that a router has no hardware for. The counters hold no data, so the
// switching activity of wires is the parameter Alpha.
//
// The loop is [Router.Price]. Equations stand one circuit per file: orion_*.go for profile O, cells*.go
// for profile S; router_orion.go and router_cells.go put circuits together to a router.
//
// To add a technology: add its table to orion_technology.go and cells_technology.go and its number to
// the list in config.go; if nothing public covers it, say so in [Config.Extrapolated].
package power

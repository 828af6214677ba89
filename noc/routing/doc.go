// Package routing holds deterministic routing functions over a wiring, as wormhole networks use
// them for worms without a path of their own.
//
// There are three types: a [Function] knows the channel by which a header in a router goes on
// towards a node; one that is [Adaptive] knows all channels that are permitted, and an engine
// takes one that is free; one that is [Datelined] says on which side of its ring's dateline a
// worm travels. [Labels] follows a Hamiltonian path and is free of deadlock with one channel per
// link, together with label-ordered multicast worms; [DimensionOrder] corrects one dimension of a
// mesh after the other, and is free of deadlock with column-path worms but not with label-ordered
// ones.
//
// [Stages] routes multistage networks by destination tag or turnaround, [UpDown] irregular ones
// along relaxed up*/down* paths; both are free of deadlock for unicasts, and adaptive: the way up
// of a turnaround may take any port, a relaxed path any permitted link.
//
// [Rings] routes unidirectional tori; it is [Datelined]: free of deadlock when the channels of a
// link are in two halves.
//
// [Native] is the one that belongs to a network which is not a grid; [Fixed] takes the choice
// from one.
//
// [By] returns a [Named] routing, which may also look at the channel by which a header came and at
// what its worm drew at the source, and [ReadTable] one from a file. [Check] searches the channel
// dependency graph of any of them for a cycle.
//
// To add one: implement Function, or add a name to Names and its candidates to By. It must depend on
// its arguments alone and not allocate.
package routing

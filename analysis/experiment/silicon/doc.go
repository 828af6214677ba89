// Package silicon compares simulated kernels with cycles measured on a real chip: Tenstorrent's
// Wormhole, whose 10x12 nodes are joined by two unidirectional tori.
//
// [Parameters] are unpublished properties of the chip, [Options] say how to replay, a [Kernel] is
// one recorded kernel beside its simulation, and [Run] makes a [Report] of several.
//
// # The model
//
// The networks are wormhole routers with virtual channels (noc/wormhole) on utorus:10x12 and
// utorus:10x12:-y-x. Published are the shape, the routes, a flit of 32 bytes per cycle and link, 9
// cycles from router to router and 10 from node to node without a link, packets of a header and at
// most 8192 bytes, and classes of virtual channels: requests and answers have two on either side of
// a ring's dateline. A request and its answer cross whole rings together, so a read alone takes one
// of four times, whatever the distance.
//
// Processors, barriers and servers are those of package closedloop. A processor takes 80 cycles at
// a barrier after the last answer; this was measured at barriers where no answer was missing. A
// node sends one packet of a class at a time over each network, and has one more ready. A worker
// answers at a flit per cycle and a few cycles per packet. Its memory serves outgoing and incoming
// packets of both networks in turn, so congestion of one network delays the other, as on the chip.
// Requests that a node has no place for wait in the network, where the inputs of the last router
// take turns: a node's own requests are therefore answered sooner than others', as on the chip.
//
// Arbitration can depend on a single cycle, which changes the time of a kernel by up to 3 %. Each
// kernel is therefore replayed in several replicas, whose processors start up to 16 cycles later,
// and the prediction is their mean.
//
// # The parameters
//
// Six are free; the rate of DRAM is the vendor's. TestSearch repeats the search for the six: it knows their
// bounds, starts in the middle between them, and goes along one parameter after the other on four grids from
// coarse to fine. The manual (carousel help silicon) has what it minimizes, the recordings, the errors, and how
// well the parameters are known.
//
// To add a parameter: a field of Parameters, a row of knobs in the search, and its use in server or
// options.
package silicon

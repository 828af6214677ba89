// Package engine is the fast form of virtual-channel routers: package wormhole states the rules,
// numbered, and is their plain form.
//
// There is one main type, the [Network] that [New] makes of a configuration on a grid, or
// [NewWiring] elsewhere. Its parts are the schedule of what takes effect in cycles to come
// (schedule.go), the way of headers to their request for a virtual channel (headers.go, routes.go),
// the allocator of virtual channels (channels.go), that of switches (switch.go) and of speculation
// (speculation.go), the transfer of what has been granted (transfer.go), and accounting.
//
// A port is an input and the output of the same number, a channel is one virtual channel of an
// input, and a flight is what the network knows of a worm (channel.go). Flits are counted, not
// stored: a channel knows its front packet, how many flits are there, and how many of the packet
// are still to go.
//
// The representation is made for flits, of which there are many, all alike. What the allocator of
// switches asks of a router's channels is a bit each in words of the router: whether the front
// packet has a channel to go to, whether there is a flit, and whether there is a free place ahead.
// Inputs of a router are one word and outputs another, so that routers have at most 64 virtual
// channels and eight ports; [ErrTooLarge] tells that one has more, and the plain form takes it.
//
// Headers are dealt with one by one: their routes are looked up when they come to the front of
// their channels, and one that finds no virtual channel, or no room in the sink, sleeps in a list
// of the port until it finds one there.
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes
// effect elsewhere at least one cycle later, so the order in which routers are visited changes
// nothing. A cycle after one in which nothing was granted, and in which nothing arrives, is left
// out and would change nothing.
//
// A cycle is cycle in network.go: the switches come first, then virtual channels, and what has been
// granted moves last.
package engine

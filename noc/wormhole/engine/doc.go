// Package engine is the fast form of virtual-channel routers: package wormhole states the rules,
// numbered, and is their plain form. [New] builds a [Network] on a grid, [Build] elsewhere.
//
// Where each rule is implemented, and the state that it lives in:
//
//	 1  leave, use, front.via, front
//	 2  headers.launch, transfer.release, slot.ports, Network.entry
//	 3  headers.begin, headers.beginSimple, headers.follow, slot.routed, channel.stage
//	 4  headers.route, headers.choose, routes.next, routes.outputs, known
//	 5  headers.routeStops, routes.halves, flight.allowed, flight.halves, channel.allowed
//	 6  channelAllocator.assign, channelAllocator.contest, channelAllocator.enterSinks
//	 6  port.free, port.sleeper, channel.last, channelAllocator.turns
//	 7  switchAllocator.allocateSet, fields.first, word.active, word.occupied, word.credited
//	 7  turns.inputs, turns.outputs, turns.shared
//	 8  speculation.accept, speculation.allocate, speculation.arbitrate, speculative, taken
//	 9  transfer.send, Network.takeEffect, land, giveBack, transfer.traversal, transfer.credit
//	 9  upstream.credits
//	10  transfer.release, port.free, upstream.owner
//	11  headers.routeStops, channelAllocator.enterSinks, transfer.deliver, channel.flags
//	12  Network.makeChannels, transfer.deliver, Network.nowhere
//
// A port is an input and the output of the same number, a channel is one virtual channel of an
// input, and a flight is what the network knows of a worm (channel.go). Flits are counted, not
// stored: a channel knows its front packet, how many flits are there, and how many of the packet
// are still to go.
//
// The representation favours flits, of which there are many, all alike. The switch allocator needs
// three bits of each channel, which are in words of the router: whether the front packet has a
// channel to go to, whether there is a flit, and whether there is a free place ahead. The inputs of
// a router are one word and the outputs another, so that routers have at most 64 virtual channels
// and eight ports; [ErrTooLarge] means that one has more; the plain form supports it.
//
// Headers are handled one by one: their routes are looked up when they come to the front of their
// channels, and one that finds no virtual channel, or no room in the sink, sleeps in a list of the
// port until there is one.
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes
// effect elsewhere at least one cycle later, so the order in which routers are visited changes
// nothing. A cycle after one in which nothing was granted, and in which nothing arrives, is skipped
// and would change nothing.
//
// A cycle is cycle in network.go: the switches come first, then virtual channels, and what has been
// granted moves last.
package engine

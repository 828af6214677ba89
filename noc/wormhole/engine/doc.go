// Package engine is the fast form of virtual-channel routers. It gives the same results in every
// cycle. Package wormhole states the rules and names the function that each rule is; here the
// function has the same name, in a file of the same name. [New] builds a [Network].
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
// and eight ports; [ErrTooLarge] means that one has more, or that a link takes more cycles than a wheel
// has; the plain form supports both.
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

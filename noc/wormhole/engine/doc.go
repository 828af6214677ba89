// Package engine is the fast form of virtual-channel routers: package wormhole states the rules,
// numbered, and is their plain form.
//
// There is one main type, the [Network] that [New] makes of a configuration on a grid, or
// [NewWiring] elsewhere. Inside, a port is an input and the output of the same number, a channel
// is one virtual channel of an input, and a flight is what the network knows of a worm. Flits are
// counted, not stored: a channel knows its front packet, how many flits are there, and how many
// of the packet are still to go.
//
// The representation is made for flits, of which there are many, all alike. What the switch's
// allocators ask of a router's channels is a bit each in words of the router (words.go): whether
// the front packet has a channel to go to, whether there is a flit, and whether there is a free
// place ahead. Rule 7 has three forms, two of them for few flits:
//
//   - one router at a time, when few flits move: few.go for routers of one word, wide.go for all others;
//   - 64 routers together, a bank, when many do: their words become one set of routers for each virtual channel
//     (transpose.go), and both stages of the allocation are a few operations on sets without branches that depend on a router
//     (switch.go). A bank decides by the flits that moved in the cycle before (bank.go).
//
// Headers are dealt with one by one: their routes are looked up when they come to the front of
// their channels (route.go), and one that finds no virtual channel, or no room in the sink,
// sleeps in a list of the port until something is given back there (allocate.go). Speculation is
// one more allocation, on the headers that wait (guess.go).
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes
// effect elsewhere at least one cycle later, so the order in which routers are visited changes
// nothing. A cycle after one in which nothing was granted, and in which nothing arrives, is left
// out and would change nothing.
//
// A cycle is cycle in step.go: the switches come first, then virtual channels, and what has been
// granted moves last. Reports count a packet's flits when its header gets a virtual channel and
// take off what has not passed yet (report.go).
package engine

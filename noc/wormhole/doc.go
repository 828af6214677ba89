// Package wormhole models the canonical input-queued wormhole router: virtual channels with credits,
// a pipeline of route computation, virtual-channel allocation, switch allocation and switch traversal,
// and separable round-robin allocators, on meshes and tori of any dimension, and on any wiring with a routing function.
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it on a grid, [NewWiring] elsewhere. Inside, a port is an
// input and the output of the same number, a channel is one virtual channel of an input, and a flight is
// what the network knows of a worm. What a node does before a worm sets out and when it has come is in package dispatch,
// whose Interfaces are a part of the Network.
//
// A header that is written into its channel in cycle a, behind nobody, goes through (defaults in brackets)
//
//	a+R        virtual-channel allocation, R = RouteCycles [1] after its arrival
//	s = a+R+1  switch allocation; with Speculative in the cycle before, if it gets both
//	s+1 ...    crossbar, SwitchCycles [1], and link, LinkCycles [1]
//	s+1+S+L    written into the next channel
//
// and its body follows with a switch allocation for each flit. The place of a flit granted in cycle s can be
// used upstream by a grant in cycle s+1+CreditCycles. An output's virtual channel belongs to a packet until
// its tail is granted; the next packet may then follow into the same buffer. A packet waits in the memory
// of its node and enters over a link of its own, one flit per cycle and node. In an idle network a packet
// of P flits over H links arrives (H+1)(pipeline+L) + L + P-1 cycles after it was offered.
//
// Flits are counted, not stored: a channel knows its front packet, how many flits are there, and how many
// of the packet are still to go.
//
// The representation is made for flits, of which there are many, all alike. What the switch's allocators ask of a router's
// channels, if the front packet has a channel to go to, if there is a flit and a free place ahead, is a bit each in words of
// the router (words.go). While few flits move, routers are allocated one by one: one word says which channels ask, a few
// operations on it choose one for each input, and a few on another one for each output (few.go; wide.go for routers that need more than a word).
// When there are many, most of that would be waiting for one decision after the other, so 64 routers, a bank, are decided
// together: their words become one set of routers for each virtual channel, by turning them as a matrix of bits
// (transpose.go), and both stages of the separable round-robin allocation are a few operations on sets for each virtual channel,
// without branches that depend on a router (switch.go). Which way is taken a bank decides by the flits that moved in
// the cycle before; whose turn it is moves with it (bank.go). What is granted is a list of channels either way; a flit of it costs a few short
// loops that treat headers, bodies and tails alike (move.go, land and giveBack in step.go). Headers are dealt with one by one: their
// routes are looked up when they come to the front of their channels (route.go), and one that finds no virtual channel, or no
// room in the sink, sleeps in a list of the port until something is given back there (allocate.go). Speculation is one more allocation, on the headers that wait (guess.go).
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes effect
// elsewhere at least one cycle later, so the order in which routers are visited changes nothing; a cycle
// after one in which nothing was granted, and in which nothing arrives, is left out, and would change nothing, nor would it to wake a header that sleeps. Message
// classes share no virtual channel when there are enough of them (Config.VirtualChannels). Rings of a torus split a class's channels
// at a dateline, or follow the labels of package routing. Worms with several stops leave copies while they
// pass, which needs a way out of every input (Config.EjectionPerInput) and a node at every router, and hold places of bounded sinks at
// their first stops while they wait for one at a later: bound sinks for unicasts only.
//
// The loop is [Network.Step]; a cycle is cycle in step.go: the switches come first, then virtual channels, so that a header that
// gets one asks for the switch in the next cycle, and what has been granted moves last. Reports count a packet's flits when its header
// gets a virtual channel, and take off what has not passed yet (report.go).
//
// To add an allocator or a stage, put it into Config and mirror it in the flit-by-flit model of the tests.
package wormhole

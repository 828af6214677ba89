// Package virtualchannel models the canonical input-queued wormhole router: virtual channels with credits,
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
// The representation is made for flits, of which there are many, all alike. A [bank] is 64 routers, and what the switch's
// allocators read is kept as sets of routers, one word each: those in which a virtual channel's packet has a channel to go
// to, a flit there, a free place ahead, and each bit of the number of its output. So both stages of the separable
// round-robin allocation are done for 64 routers at once, in a few operations per virtual channel and without branches
// that depend on a router (bank.go, switch.go). What is granted is a list of channels; a flit of it costs a few short
// loops that treat headers, bodies and tails alike (move.go, land and giveBack in step.go). Headers are dealt with one by one:
// one that finds no virtual channel, or no room in the sink, sleeps in a list of the port until something is given back
// there (allocate.go). Speculation is the same allocation on the headers that wait (guess.go). While next to nothing moves
// in a bank, its flits are dealt with one by one as well, with the same result (few.go).
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes effect
// elsewhere at least one cycle later, so the order in which routers are visited changes nothing; a bank
// without requests is not visited, and visiting it would change nothing, nor would it to wake a header that sleeps. Message
// classes share no virtual channel when there are enough of them (Config.VirtualChannels). Rings of a torus split a class's channels
// at a dateline, or follow the labels of package routing. Worms with several stops leave copies while they
// pass, which needs a way out of every input (Config.EjectionPerInput) and a node at every router, and hold places of bounded sinks at
// their first stops while they wait for one at a later: bound sinks for unicasts only.
//
// The loop is [Network.Step]; a cycle is the function below it. Reports count a packet's flits when its header goes, and
// take off what has not followed yet (report.go).
//
// To add an allocator or a stage, put it into Config and mirror it in the flit-by-flit model of the tests.
package virtualchannel

// Package virtualchannel models the canonical input-queued wormhole router: virtual channels with credits,
// a pipeline of route computation, virtual-channel allocation, switch allocation and switch traversal,
// and separable round-robin allocators, on meshes and tori of any dimension, and on any wiring with a routing function.
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it on a grid, [NewWiring] elsewhere. Inside, a port is an
// input and the output of the same number, a channel is one virtual channel of an input, and a flight is
// what the network knows of a worm. What a node does before a worm sets out is in package dispatch.
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
// of the packet are still to go. Each router keeps its requests as bits, set and cleared by arrivals,
// credits and grants, and is visited only while it has any.
//
// Laws: all allocators see the state at the start of a cycle, and what a router sends takes effect
// elsewhere at least one cycle later, so the order in which routers are visited changes nothing; a router
// without requests is not visited, and visiting it would change nothing. Message classes share no virtual
// channel when there are enough of them (Config.VirtualChannels). Rings of a torus split a class's channels
// at a dateline, or follow the labels of package routing. Worms with several stops leave copies while they
// pass, which needs a way out of every input (Config.EjectionPerInput) and a node at every router, and hold places of bounded sinks at
// their first stops while they wait for one at a later: bound sinks for unicasts only.
//
// The loop is [Network.Step]; a cycle is the function below it, one router's part is visit in allocate.go.
// To add an allocator or a stage, put it into Config and mirror it in the flit-by-flit model of the tests.
package virtualchannel

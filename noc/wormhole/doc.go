// Package wormhole models the canonical input-queued wormhole router: virtual channels with
// credits, a pipeline of route computation, virtual-channel allocation, switch allocation and
// switch traversal, and separable round-robin allocators, on meshes and tori of any dimension and
// on any wiring with a routing function.
//
// [Config.OnLayout] and [Config.OnWiring] make a [Setup], and [New] a [Network]. This is the plain form
// of the router: flits are values in queues, and every router examines every channel in every
// cycle. Package wormhole/engine is the fast form of the same router and gives the same results,
// which tests compare on random networks. Each rule is one function of each form; its name stands
// behind the rule, and the two are in files of one name. Package dispatch holds what a node does
// before a worm starts and after it has arrived; its Interfaces are part of the Network. A phit of
// package noc is a flit here.
//
// # Rules
//
// Rule 1, worms (launch). A packet travels as a worm: a header, which carries the route, and body
// flits, which follow it through the same virtual channels. The last flit is the tail. Flits of
// different worms do not mix within a virtual channel.
//
// Rule 2, injection (Interfaces). A packet waits in the memory of its node. The virtual channels of
// the node's input are its injection ports: each takes one packet at a time, and the input link
// passes a flit per cycle. If classes share ports (rule 5), the class that got a port least
// recently goes first, and of equal ones the higher class.
//
// Rule 3, timing of routes (computeRoutes). A header written into an empty channel in cycle a knows
// its route in cycle a+RouteCycles. A header behind another packet counts as written in the cycle
// after that packet's tail was granted.
//
// Rule 4, routing (route). On a grid a header goes along x, then y, and so on, or follows the
// labels of a Hamiltonian path. Where a routing function leaves a choice, a header takes, when its
// route is computed, the first permitted output with a virtual channel free for its class, or else
// the first.
//
// Rule 5, classes and datelines (Half). A class has virtual channels of its own where there are
// enough; with ShareChannels all classes use all channels (Config.ClassChannels). In a ring they are
// divided in two halves: a packet that crosses the dateline of the ring takes the lower half there,
// another one the upper. A worm with several stops changes from the lower to the upper half with the
// crossing.
//
// Rule 6, virtual channels (allocateChannels). From the cycle on in which the route is known, each
// header proposes the first free channel of its class after the one that its own channel was given
// last, and each output channel takes the first proposal after the one it took last. A header that
// leaves the network needs a place in the sink instead. The winners ask for the switch from the
// next cycle on.
//
// Rule 7, switch (allocateSwitch). Among the channels with a flit, and a credit where it goes, each
// input nominates the first after the one that it sent from last, and each output takes the first
// nominee after the input that it took last. With EjectionPerInput the port to the node takes all
// nominees.
//
// Rule 8, speculation (speculate). With Speculative a header also asks for the switch while it asks
// for a virtual channel. A second allocator of the same kind serves such headers. One that it
// chooses goes if it has got a virtual channel with a credit in this cycle, and if the first
// allocator has given away neither its input nor its output.
//
// Rule 9, flits and credits (send). A flit granted in cycle s is written into the next channel in
// cycle s+1+SwitchCycles+LinkCycles, and its place can be used by a grant upstream in cycle
// s+1+CreditCycles.
//
// Rule 10, tails (release). An output's virtual channel belongs to a worm until its tail is
// granted. The next worm may follow into the same buffer. A channel of the upper half under a routing with an escape
// is free only when all of its credits are back (Lonely): its buffer never has flits of two worms.
//
// Rule 11, copies (enterSink). At a stop that is not the last, each flit goes to the node and
// onwards at the same time; the header needs a place in the sink for the copy, which it takes with
// the virtual channel.
//
// Rule 12, delivery (deliver). A flit that leaves needs no credit. The node has the packet when its
// tail has crossed switch and link.
//
// Rule 13, links (DelaysOf). A link may have a latency of its own instead of LinkCycles; its credits take as
// many cycles more or less. On a link that is narrower than a phit a flit takes a cycle for each part. It
// arrives with its last part, and the output can be granted again when that has left.
//
// Rule 14, routing by name (Steer). A worm draws at its source what its routing asks for, such as a router on the
// way. A header takes the first candidate of its routing with a channel free in its part of the class's channels, or
// else waits for the first. With an escape a candidate needs a channel free in the upper half, and the header chooses
// again in the next cycle if it does not get it. If no candidate has one, the header waits for the output of the
// escape, in both halves.
//
// # Laws
//
// In an idle network a packet of P flits over H links arrives (H+1)(pipeline+L)+L+P-1 cycles
// after it was offered, where L is LinkCycles and the pipeline has [Config.Pipeline] stages. A link of
// latency K on which a flit takes N cycles adds K-L+N-1. Its tail follows its header (P-1)N cycles later; in each
// router behind, the header loses RouteCycles+1 cycles of this lead, down to P-1.
//
// All allocators see the state at the start of a cycle, and what a router sends takes
// effect elsewhere at least one cycle later, so the order in which routers are visited changes
// nothing. Worms with several stops need EjectionPerInput and a node at every router. They keep
// places of bounded sinks while they wait for others, so multicasts may deadlock on bounded sinks.
//
// The loop is [Network.Step], and one router's cycle is allocate. To change or add a rule, add a
// field to Config, write the rule down here, change its function here, run experiments with the
// plain router (carousel run --plain), and then change its function in the engine until its test of
// equality passes.
package wormhole

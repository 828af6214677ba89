// Package dispatch holds the network interfaces of networks that carry worms: what each node does
// with a packet before it enters the network and after it has arrived.
//
// [Interfaces] are both sides of all nodes, which an engine embeds; the
// [Dispatcher] among them is the sending side. It takes packets from the source queues, turns each
// into worms, pays startup and preparation, gives the worms to injection ports, and lets nodes that
// have received a message forward it when the plan says so. A [Worm] is what it hands to the
// engine; a [Planner] says by which worms a packet with several destinations travels. Without one
// each destination has its own worm.
//
// The engine calls Serve in every cycle for the worms to be launched, tells of heads and tails that
// nodes have received, and of ports that have fallen free. What it does with a worm meanwhile is
// its own affair; Dispatcher only keeps the worm's place in plan and message.
//
// Laws: what a node sends depends on what it was offered and received and when, not on the order of
// calls within a cycle. Every destination that is owed stands in a source queue or is a stop of a
// worm, until it is on its way to the client ([Interfaces.CheckDestinations]). A message's worms
// stay in the arena until all have ended. Nothing is allocated but by the planner once the arenas
// have grown to the load.
//
// The loop is [Dispatcher.Serve]; one node's steps are in serveStation, and what they come to for
// packets to one node, which are most, in sendSingles.
package dispatch

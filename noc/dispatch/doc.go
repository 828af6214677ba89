// Package dispatch holds the network interfaces of networks that carry worms: what each node does
// with a packet before it enters the network and after it has arrived.
//
// An engine embeds [Interfaces], which are the sending and receiving sides of all nodes. The
// sending side is a [Dispatcher]. It takes packets from the source queues, turns each into [Worm]s,
// waits for startup and preparation, and assigns the worms to injection ports. If the plan of a
// multicast says so, a node forwards a message that it has received. A [Planner] chooses the worms
// of a packet with several destinations. Without a planner each destination gets a worm of its own.
//
// In every cycle the engine calls Serve, which returns the worms to launch. The engine reports the
// headers and tails that nodes receive, and the ports that become free. How a worm moves is up to
// the engine; Dispatcher only knows the worm's place in plan and message.
//
// Laws: the sends of a node depend on what it was offered and received, and when, but not on the
// order of calls within a cycle. Until it is delivered, every destination is in a source queue or
// is a stop of a worm ([Interfaces.CheckDestinations]). The worms of a message stay in the arena
// until all have ended. Once the arenas have grown to the load, only the planner allocates memory.
//
// The loop is [Dispatcher.Serve]. The steps of one node are in serveStation.
package dispatch

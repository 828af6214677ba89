// Package wormholeideal models wormhole networks as the papers on multicasting do: a message is a worm of flits
// that stretches over the channels from its tail to its head, one flit per channel and cycle, and hands
// copies to the nodes it passes.
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it on any wiring, or
// [NewGrid] on a mesh or torus. Where a worm goes next is in package routing. Inside, a channel is a link with
// the buffer behind it, and a receiver is where a node takes copies. What a node does before a worm sets
// out and when it has come is in package dispatch, whose Interfaces are a part of the Network, with the Planner that
// says by which worms a packet with several destinations travels.
//
// The rules, for a header that is ready in a router in cycle t:
//
//	t        it asks for the next place: an ejection channel at a stop, else the channel onwards;
//	         among those who ask for one place, the oldest goes first, then the lowest input port
//	g >= t   the place is free: the header crosses, and all flits behind move up as far as there is room
//	g+1+R    the header is ready in the next router, R being its decision there
//
// Where the routing function leaves a choice (routing.Adaptive), the header asks for all channels that are permitted
// and takes the first that is free (adapt.go).
//
// A channel belongs to one worm until its tail has left the buffer; in that very cycle, or CreditCycles
// later, the next header may cross. At a stop that is not the last, each flit goes to the node and onwards
// in the same cycle. A node begins a message when an injection port is free, spends the startup, and
// sends the worms of a round as ports fall free.
//
// Why worms instead of flits: a channel carries one worm at a time, so nothing but the header's way
// decides when each flit moves. tail.go gives the closed form, and the cost of a run follows the channels
// that headers cross, whatever the length of messages. Virtual channels share a link flit by flit, which
// no closed form covers: they are the subject of package wormhole, with its pipelined routers. The
// two are separate engines because they have no mechanism in common.
//
// Laws: a header's place depends on requests of earlier cycles and of this one, never on the order in
// which the engine looks at worms; a cycle without an event changes nothing and is skipped. Copies that a
// node sends to itself use a way of their own, one at a time. With label routing ([Labels]) no worms wait
// in a circle, neither unicasts nor label-ordered worms of any planner; [Network.Deadlock] finds the circle
// where the rule is broken. A bounded sink with few places adds a resource that a worm with several stops
// holds while it waits, and all message classes share the channels, so a full sink of one holds up the
// others: this engine is for clients that always take what comes.
//
// The loop is [Network.Step]; the phases of a cycle are in cycle, below it. To add a routing, implement
// routing.Function. To add a scheme, implement dispatch.Planner: the engine knows worms, not schemes. To add a rule,
// put it into Config and mirror it in the flit-by-flit model of the tests.
package wormholeideal

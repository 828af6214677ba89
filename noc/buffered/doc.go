// Package buffered models the input-buffered virtual cut-through routers BASE and BASE-MC: dimension-order
// routing, one virtual channel per message class at each input port, bubble flow control on the rings of a
// torus, and a crossbar with one line per input port. BASE sends a multicast as separate copies; BASE-MC
// replicates it inside the routers along the tree of dimension-order paths.
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it. Inside, a channel is the
// FIFO of one virtual channel, a link is an output port of a router (or, at the local port, the network
// interface that feeds the router), and a slot is the place of one packet in a channel. A packet is one word
// (packet.go), with all that routers need of it; the rest stays in the arena of worms.
//
// A header takes five cycles per hop: link (LT), buffer write (BW), route (RC), switch allocation (SA),
// crossbar (ST). Under virtual cut-through a granted packet streams without a stall, so the engine moves
// packets at their SA grants and is still exact to the phit. With a grant in cycle s of a packet of L phits:
//
//	s+1 .. s+L  crossbar; the input line and the output port take the next grant in cycle s+L
//	s+1         the header has left: its slot's credit is usable upstream from s+2 on
//	s+2 .. s+L+1  link, or consumption by the node
//	s+5         first SA of the header in the next router
//	s+L+2       first SA of the next packet of the same channel (RC follows the tail)
//
// Laws: a router's decisions in a cycle read its own state and what its neighbours did in earlier cycles,
// so the order in which routers are visited changes nothing; a router in which nothing can be granted is
// not visited, and visiting it would change nothing. Whether something can be granted is known at any time:
// each event that may change it (a header's route is known, a credit arrives, a port falls idle) keeps the
// set of ready heads, and makes the router due if one of them can be granted something. Counters of a granted packet are raised for all its
// phits in the cycle of the grant. On a torus every ring (dimension, direction, class) keeps a free slot.
//
// All routers decide before any packet comes to another one. A packet comes into a buffer in push, leaves it and
// passes the crossbar in grant, or as a copy in branch, and crosses a link in receive; all in grant.go.
//
// The loop is [Network.Step]; a cycle is takeEvents in step.go, inject and allocate for the routers that
// are due, and receive. Allocate, in router.go, is to be read from top to bottom.
//
// The rings always move, but no packet's wait is bounded, and it cannot be without another rule: a packet
// that enters a ring needs two free slots in a channel of two, one that goes straight on needs one, and the
// bubble gives nobody a turn. While a stream of packets keeps coming round, each slot it frees is taken by the
// next of the stream, one at a time, and the two are never free together; the stream lasts as long as its
// source offers packets. At offered load 1.0 on the 8x8 torus, BASE injects nothing in cycles 20,000 to
// 140,000 at 26 of the 56 nodes that send under bit-reversal, and at 33 of 56 under transpose; the oldest
// packet on the way to its turn has waited since the rings filled up. Under uniform traffic every node sends
// within 2 % of the mean (BASE-MC with 10 % of broadcasts: 20 %). The wait ends with the overload.
//
// To add a variant, add a field to Config with its allowed values in Validate, fold it into the tables that
// New builds if possible, and mirror it in the phit-by-phit reference model of the tests.
package buffered

// Package engine is the fast form of the routers of package buffered. It gives the same results in
// every cycle. Package buffered states the rules and names the function that each rule is; here
// the function has the same name, in a file of the same name. It builds routers of at most
// [MaxPorts] ports.
//
// [New] makes a [Network]. Inside, a channel is the FIFO of one virtual channel, and a slot is the
// place of one packet in a channel. A packet is one word (packet.go) with all that routers need of
// it; the rest stays in the arena of packets. Sets of channels, ports and routers are bits
// (router.go).
//
// A granted packet streams without a stall, so the engine moves packets whole, at their grants
// (rule 9), and is still exact to the phit. What takes effect later waits on a wheel (events.go):
// ports that fall idle, credits, heads whose route is known.
//
// Laws: a router's decisions read its own state and what its neighbours did in earlier cycles, so
// the order in which routers are visited changes nothing. A router in which nothing can be
// granted is not visited, and visiting it would change nothing. Each event that may change that
// (a route is known, a credit arrives, a port falls idle) keeps the set of ready heads and makes
// the router due if one of them can be granted something.
//
// The loop is Step of package fabric; a cycle is takeEvents, then allocate for the routers that are
// due, and receive (region.go), then inject for the interfaces that are due, and enter. A packet
// comes into a buffer in push, leaves it and crosses the switch in grant, or as a copy in branch, and
// crosses a link in receive.
//
// A network of several threads has a region of routers for each (region.go). The order of routers
// changes nothing, so regions need not wait for each other within one half of a cycle.
//
// To teach the engine a new rule, fold it into the tables that New builds if possible, and make
// every event that may change its answer keep the set of ready heads.
package engine

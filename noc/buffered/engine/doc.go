// Package engine is the fast form of the routers of package buffered. It gives the same results
// in every cycle; the rules that its comments cite are stated there. It builds routers of at most
// [MaxPorts] ports.
//
// [New] makes a [Network]. Inside, a channel is the FIFO of one virtual
// channel, a link is an output port of a router (or, at the local port, the interface that feeds
// the router), and a slot is the place of one packet in a channel. A packet is one word
// (packet.go) with all that routers need of it; the rest stays in the arena of packets.
//
// A granted packet streams without a stall, so the engine moves packets whole, at their grants
// (rule 9), and is still exact to the phit. What takes effect later waits on a wheel: ports that
// fall idle, credits, heads whose route is known.
//
// Laws: a router's decisions read its own state and what its neighbours did in earlier cycles, so
// the order in which routers are visited changes nothing. A router in which nothing can be
// granted is not visited, and visiting it would change nothing. Each event that may change that
// (a route is known, a credit arrives, a port falls idle) keeps the set of ready heads and makes
// the router due if one of them can be granted something.
//
// The loop is Step of package fabric; a cycle is takeEvents, then inject and allocate for the
// routers that are due, and receive (network.go). A packet comes into a buffer in push, leaves it
// and crosses the switch in grant, or as a copy in branch, and crosses a link in receive; all in
// grant.go.
//
// Where each rule is implemented, and the state that it lives in:
//
//	 1  Network.push, Network.advance
//	 1  channel.front, Network.waiting
//	 2  Network.grant, Network.takeCredits, Network.takeEvents
//	 2  port.credits, events.freed
//	 3  delaysOf, Network.push, Network.receive, Network.eject
//	 3  Network.delays
//	 4  newRoutes, routes.look, routes.step
//	 4  Network.routes
//	 5  Network.push, Network.advance, Network.takeHeads
//	 5  events.heads, channel.written
//	 6  Network.level, patterns, Network.takeCredits, Network.testSink
//	 6  port.open, Network.admits
//	 7  Network.nominate
//	 7  router.ready, router.turn
//	 8  Network.allocate
//	 8  Network.nominees, router.lastInput
//	 9  Network.grant, Network.takeReleases
//	 9  port.idle, router.idleLines
//	10  Network.inject, Network.wakeInterface
//	10  sender.free, sender.lastClass
//	11  Network.inject
//	12  Network.routeSeveral, Network.ask, Network.choose, Network.branch, channel.visit
//	12  channel.branches, channel.stage, router.several
//	13  Network.Activity, Network.takeHeads, Network.grant
//	13  counters.asked
//	14  Network.CheckInvariants, Network.mirrored
//
// To teach the engine a new rule, fold it into the tables that New builds if possible, and make
// every event that may change its answer keep the set of ready heads.
package engine

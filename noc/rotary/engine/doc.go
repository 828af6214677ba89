// Package engine is the fast form of the router of package rotary. It gives the same results for
// every packet. Package rotary states the rules, and comments here cite their numbers. Only package
// models and tests import this package. It builds routers of at most [MaxPorts] ports.
//
// A [Network] is made of routers (router.go), which are woken and stepped in groups of 64 (step.go).
// Packets are in one pool (packet.go); what moves from queue to queue is an index.
//
// Three things make it fast. First, routers without pending decisions are skipped: an event marks
// the cycle in which its router must run, in one of two slots, because no event is more than two
// cycles ahead. Second, the data that decide a cycle fit in few cache lines: sets of lanes,
// segments and ports are bit masks, and the slot counts and stream ends of all ports are bytes of
// one word. Third, the outputs that a header may take are computed once, when it arrives
// (packet.outputs), so a decision tests a few bits (segment.go).
//
// Data that few routers use is kept apart (special.go): aged packets and holds. The quotas of rule
// 18 are four to a word (quota.go), sets of destinations are words where they fit
// (routes.go). Only two kinds of packets must request their output (segment.go): those with several
// destinations, and those for outputs with little free space behind them.
//
// The loop is Step of package fabric and cycle in step.go. TestEqualsPlain compares the engine with
// the plain router. The plain router also explains what packets wait for and checks the laws, on a
// copy of the engine's state (check.go). Build with -tags invariants to verify the laws while it
// runs.
//
// Where each rule is implemented, and the state that it lives in:
//
//	 1  router.enterAll, router.enter
//	 1  rules.enterMost
//	 2  router.inject
//	 2  rules.injectMost
//	 3  router.turnedOften, Network.isAged, Network.mayMisroute, router.leaveLate
//	 3  rules.missLimit, special.aged
//	 4  Network.mayReplicate, router.space
//	 4  port.staged
//	 5  Network.push, Network.pop, router.leaveLane
//	 5  router.turned, router.ejected, router.sent, router.entered
//	 6  newRules, Network.wire
//	 6  rules.ahead, rules.behind
//	 7  group.step, router.expect
//	 7  router.now, router.soon
//	 8  Network.route, routes.profitable, Network.compare
//	 8  packet.outputs, routes.toward, routes.near
//	 9  router.mayTurn
//	 9  rules.turnMost, rules.balance, router.held
//	10  router.arbitrate, router.decide, router.lookAtOther, router.leaveTurning
//	10  router.turn, router.blocked
//	10  router.second
//	11  router.put
//	11  router.into, router.fromLane
//	12  router.decide, router.request, router.refuses, Network.mayMisroute, Network.route
//	12  router.copyHead, router.eject, router.stage
//	12  packet.outputs, router.full, router.asked
//	13  router.sendToNode, router.sendToNeighbours, router.sendFrom
//	13  present.ports, port.last
//	14  router.enterAll, router.inject, routes.chooseRing
//	14  routes.nearer
//	15  router.starve, router.requestHold, group.holdAll, router.hold, router.release
//	15  router.held, router.refused, special.expired, special.holder
//	16  Network.choose
//	16  special.lastClass
//	17  router.permitted
//	18  router.withQuota, router.refuses, Network.refusedBy, Network.publish
//	18  quotas.seen, router.asked, group.tight
//	19  router.permitted, router.networkBlocked, Network.starved
//	19  special.aged, special.served
//	22  router.takePacket
//	22  rules.whole
//	23  router.request
//	24  Network.aim, Network.compare
//	24  routes.tour
//	25  router.consumable, router.refuses, Network.mayReplicate
//	25  rules.unlimited
package engine

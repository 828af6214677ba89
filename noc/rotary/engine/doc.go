// Package engine is the router of package rotary made fast. Results are the same packet by packet:
// the rules are printed there, and comments here cite their numbers. Only package models and tests
// import it. It builds routers of at most [MaxPorts] ports.
//
// A [Network] is made of routers (router.go), which are woken and stepped in groups of 64 (step.go).
// Packets are in one pool (packet.go); what moves from queue to queue is an index.
//
// Three things make it fast. A router that has nothing to decide is not looked at: what comes notes
// when it comes, in one of two slots, as nothing takes longer than two cycles. What decides is in
// few cache lines: sets of lanes, segments and ports as words of bits, and numbers of slots and
// ends of streams as bytes, of which those of all ports are a word. And what a head may do in its
// router is a mask of outputs, made when it comes (packet.outputs), so that a decision is a test of
// a few bits (segment.go).
//
// What few routers use stands apart (special.go): aged packets and holds. The quotas
// of rule 18 are four to a word (quota.go), sets of destinations are words where they fit
// (multicast.go, routes.go). Only packets with several destinations, and those for outputs behind
// which room is scarce, have to ask for their output (request.go).
//
// The loop is Step of package fabric and cycle in step.go. TestEqualsPlain holds it to the plain
// router, which also says what packets wait for and whether the laws hold: the engine shows it its
// state (mirror.go). Build with -tags invariants to verify the laws while it runs.
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

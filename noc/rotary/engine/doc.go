// Package engine is the router of package rotary made fast. Results are the same packet by packet:
// the rules are printed there, and comments here cite their numbers. Only package models and tests
// import it. It builds routers of at most [MaxPorts] ports.
//
// There are only a few types: a [Network] is made of routers (router.go), which are woken and
// stepped in groups of 64 (step.go); packets stand in one pool (packet.go), and what moves from
// queue to queue is an index.
//
// Three things make it fast. A router that has nothing to decide is not looked at: what comes notes
// when it comes, in one of two slots, as nothing takes longer than two cycles. What decides is in
// few cache lines: sets of lanes, segments and ports as words of bits, and numbers of slots and
// ends of streams as bytes, of which those of all ports are a word. And decisions are made for all
// segments of a router at once, from those words, so that what is left are loops over the packets
// that move, without branches that depend on chance (segment.go).
//
// What few routers use stands apart (special.go): aged packets, holds, ordered packets. The quotas
// of rule 18 are four to a word (quota.go), sets of destinations are words where they fit
// (multicast.go, routes.go). Only packets with several destinations, and those for outputs behind
// which room is scarce, have to ask for their output (request.go).
//
// The loop is Step of package fabric and cycle in step.go. TestEqualsPlain holds it to the plain
// router, which also says what packets wait for and whether the laws hold: the engine shows it its
// state (mirror.go). Build with -tags invariants to verify the laws while it runs.
package engine

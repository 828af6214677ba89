// Package engine is the fast form of the router of package rotary. It gives the same results for
// every packet. Package rotary states the rules and names the function that each rule is; here the
// function has the same name, in a file of the same name. Only package models and tests import this
// package. It builds routers of at most [MaxPorts] ports.
//
// A [Network] is made of regions (region.go), one for each thread that may simulate it, and a region of routers
// (router.go), which are woken and stepped in groups of 64 (step.go). The packets of a region are in one pool
// (packet.go); what moves from queue to queue is an index. In functions of routers, n is their region.
//
// Three things make it fast. First, routers without pending decisions are skipped: an event marks
// the cycle in which its router must run, in one of two slots, because no event is more than two
// cycles ahead (router.due). Second, the data that decide a cycle fit in few cache lines: sets of
// lanes, segments, ports and routers are bits, and of the cycles until which ports stream the low
// bits are kept (stream.go). Third, what a decision would compute again and again is noted when
// it changes: the outputs by which a packet may leave (packet.outputs, made by route), the lanes of
// output stages that are full (router.full), and the segments whose output may have no room behind
// it (router.tight). Only there, and for packets with several destinations, does request look
// further.
//
// Data that few decisions need are kept apart (rare, in router.go). Quotas of rule 18 are added up
// only when they may be short (quota.go), and sets of destinations are words where they fit
// (routes.go).
//
// The loop is Step of package fabric, and cycle in network.go. TestEqualsPlain compares the engine
// with the plain router. The plain router also explains what packets wait for and checks the laws,
// on a copy of the engine's state (check.go). Build with -tags invariants to verify the laws while
// it runs.
package engine

// Package engine is the router of package rotary made fast. Results are the same packet by packet:
// the rules are printed there, and comments here cite their numbers. Only package models and tests
// import it.
//
// The few types: a [Network] is made of banks of 64 routers. What decisions read of a bank is kept
// in one of two forms, whichever suits what is going on.
//
// In sets, bit r of each word is about router r of the bank: the segments of one place whose first
// header is there, whose head wants out, whose output is idle, and so on; numbers of slots are a
// few such words (count.go). A decision is made for 64 routers at once, without branches that
// depend on a router, and the loops that are left are over the packets that move (segment.go,
// output.go, turn.go, entry.go, inject.go). That pays under load.
//
// In words, what is there in one router stands in one place, and routers are stepped one after the
// other (words.go, heads.go, walk.go, pool.go). That pays where few routers have anything to do. A
// bank may change its form before any cycle (convert.go, towords.go), and nothing tells afterwards
// which it was. Checks, counters and explanations look at sets.
//
// A packet is one word (packet.go) with all that turning takes; its destinations are read once per
// hop (owed.go). Copies that routers make of a packet share the worm that left the source. For each
// cycle to come there is an agenda of what time alone will add to the sets (active.go). A bank is
// stepped as long as something waits in it and anything moves, and else when an agenda, a neighbour
// or a client brings something.
//
// The loop is Step and step in step.go. A rule is applied in both forms; TestEqualsPlain holds both
// to the plain router. Build with -tags invariants to verify the laws after every cycle.
package engine

// Package rotary is the Rotary Router (RR) and the Multicast Rotary Router (MRR): adaptive routers
// without a crossbar, in which packets circulate on two rings of buffers until an output takes them.
//
// There are only a few types: a [Config] says how the router is built and which of the optional rules
// are on, [DefaultRR] and [DefaultMRR] are the routers of the paper "MRR: Enabling fully adaptive
// multicast routing for CMP interconnection networks" (HPCA 2009), and [New] makes a [Network] of them
// on any grid. The rules and their provenance are the router reference's sections 1 to 3; comments cite
// them as "ref".
//
// Structure. Port p has an input stage (IS), an output stage (OS) of two lanes, and one buffering
// segment (BS) on each of two rings that turn in opposite directions. The segment of port p drains into
// the output of the next port of its ring, or into that port's segment. All buffers are counted in slots
// of Config.SlotPhits, one per packet whatever its length; a slot is reserved when a header is granted
// into a buffer and released when the header leaves it. A granted packet streams without a stall, so a
// header time and a "busy until" per port describe every phit exactly.
//
// A packet with several destinations is served as [Scheme] says: by copies made at the source (RR), by
// replication as space allows (MRR), or for comparison as the paper's section 3.3 does, by a tree that is
// always replicated or by paths through all destinations, with output stages that grow without limit
// (overflow.go; the order of the path is tour in path.go).
//
// Header timing: interface or link 1 cycle, IS 1 (ring choice), then per segment BSA 1 (arbitration at
// the head of a lane) and BST 1 (traversal); the arbitration of an output stage costs none when it is
// idle. Alone in the network a packet of L phits takes 2d + 2*(segments visited) + L + 2 cycles.
//
// Laws: a decision in cycle t reads its own router as of the start of t plus the decisions already taken
// there in t, and its neighbours as of the start of t. Within a router the order is output stages,
// segments (turns on the counts at the start of the cycle), input stages, interface, holds: downstream
// first, ring traffic before entries. No result depends on the order in which routers are visited, nor
// on whether sleeping routers are visited at all.
//
// The loop is Step and step in step.go; the rules are in output.go, segment.go (with the replication rule of the
// MRR), turn.go, entry.go (ring choice, entry hold) and inject.go; congestion.go says what keeps a saturated
// network fast and fair, with numbers and what was rejected.
//
// The representation is made for networks under load, in which nearly every router does something in every
// cycle. A [bank] is 64 routers, and what their decisions read is kept as sets of routers, one word each: the
// segments of one place whose first header is there, whose head wants out, whose output is idle, and so on;
// numbers of slots are three such words (count.go). So a decision is made for 64 routers at once in some tens
// of operations, without branches that depend on a router, and the loops that are left are over the packets
// that move, all of one segment or port in a row. Where few have anything to do, a bank is in [words] instead: what is
// there and what goes on in one router stands in one place, and routers are stepped one after the other (words.go, heads.go, walk.go;
// the packets of a router stand in one pool, pool.go).
// Both ways obey the same rules, so a bank may change its form before any cycle (convert.go, towords.go), and nothing tells afterwards
// which it was. Who looks at a bank from outside a cycle, such as checks and counters, sees it in sets.
//
// A packet is one word (packet.go) with all that turning takes; the rest of it, its destinations first of all, is read once
// per hop (owed.go). The copies that routers make of a packet differ in their destinations alone: they share the worm that left
// the source, which is free when as many have been delivered as it had destinations.
//
// For each coming cycle there is an agenda, by segment and port, of what time alone will add to the sets. A bank is stepped in every
// cycle in which an agenda, a neighbour or a client brings something, and as long as something waits in it and anything
// moves, and then only what is active in it is looked at (active.go): at low load most segments and ports have nothing.
// Build with -tags invariants to verify the laws of check.go after every cycle.
//
// Beyond the paper's rules 1 to 4 there are: the entry hold and the balance of turns (ref 2.10), class limits
// as places (places.go), calm and pace (congestion.go), and pruning after a turn (ref 3.1). Each is a key of
// Config with which it can be switched off; EntryHold, RingTurnBalance, ClassLimit and CalmInjection false,
// PacePercent 0 and PruneAfter 0 leave the paper's rules alone. With them, the saturated MRR has one state and
// delivers at least what RR does, and both go on with finite sinks that are coupled by a protocol.
//
// To add a rule: add a field to Config with its default and check, teach the reference model of the tests the
// rule, then the decisions of both forms, and make sure that the bank is awake when the rule's answer changes.
package rotary

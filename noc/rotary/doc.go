// Package rotary is the Rotary Router (RR) and the Multicast Rotary Router (MRR): adaptive routers
// without a crossbar, in which packets circulate on two rings of buffers until an output takes
// them.
//
// A [Config] says how the router is built and which of the optional rules are on, a [RuleSet]
// presets the latter, [DefaultRR] is the router of the paper "MRR: Enabling fully adaptive
// multicast routing for CMP interconnection networks" (HPCA 2009), which the scheme [Adaptive] makes
// an MRR, [Limits] are the numbers that follow for one network, [New] makes a [Network] of such
// routers on a grid, and [OnWiring] on any wiring with a node at each router and links that lead both ways: the rules
// count ports, and rule 8 needs distances only. There a link may have a latency of its own. Engines
// show their state in a [Mirror], which explains it and checks the laws.
//
// This package is the specification: the rules below, and a [Network] that moves phit by phit and
// evaluates every rule from scratch in every cycle. Package engine below it is the same router made
// fast, and is held to this one packet by packet. Each rule is one function of each form; its name
// stands behind the rule, and the two are in files of one name. To change or add a rule, add a
// field to Config with its default and check, write the rule down here, change its function here,
// run experiments with the plain router, and then change its function in the engine.
//
// The loop is Step and cycle in network.go. A cycle calls, for each router, send (output.go),
// arbitrate (segment.go), enter (entry.go), inject (inject.go) and hold (hold.go); then all phits
// move (stream.go).
//
// # The four rules of the paper
//
// Rule 1, entry (enterFrom). A header from a neighbour enters a segment that has at least
// EnterSlots free slots after the turns of the same cycle. Entries never block the ring.
//
// Rule 2, injection (injectSlots). A header from the local node needs InjectSlots free slots. So a
// slot is left over that keeps the network moving.
//
// Rule 3, misrouting (mayMisroute). A packet that has entered more than MissLimit segments in one
// router is aged: it may leave by any output to a neighbour, though not to the node. In the next
// router it counts from the start. The limit is stated for five ports and scales with their number;
// from 255 on packets never age.
//
// Rule 4, replication (mayReplicate). A copy of a header may leave to a neighbour only if the
// output stage has at least ReplicateSlots free slots in both lanes together. A copy for the node
// needs no more than the slot it takes. With CalmCopies a router makes none for neighbours while an
// aged packet was on its rings at the start of the cycle: copies pass by the interface, which such a
// packet stops (rule 19). The header then leaves with all destinations.
//
// # Structure and timing
//
// Rule 5, switching (until). Virtual cut-through: buffers are counted in slots of SlotPhits, one
// per packet whatever its length. A slot is reserved when a header is granted the move into a
// buffer and released when it is granted the move out of it. All links, ports and buffers take one
// phit per cycle, so a granted packet streams without a stall, and a slot that is given away early
// never overflows.
//
// Rule 6, structure (build). Port p has an input stage (a FIFO), an output stage (a lane for each
// ring) and one buffering segment on each of two rings. On ring 0 the segment of port p is followed
// by that of port p+1, on ring 1 by that of port p-1, modulo the number of ports. A segment drains
// to the output stage of the port whose segment follows. So a packet is offered its own port last.
// The local port 0 is like the others; its input stage is only a latch.
//
// Rule 7, timing (cycle). Header times: source to local input stage or link 1 cycle; input stage 1
// (choice of the ring); each segment 2 (arbitration and traversal); an idle output stage none.
// Alone in the network a packet of L phits arrives 2d + 2s + L + 2 cycles after its offer, with d
// links and s segments on its route. A decision in cycle t reads its own router as of the start of
// t and the decisions already made there in t, and its neighbours as of the start of t. Within a
// router the order is: output stages, segments, input stages, interface, holds. So no result
// depends on the order in which routers are visited. A slot that is released in t is free for what
// comes later in this order: that of an output stage for the segments, that of a segment for the
// input stages and the interface. Turns alone read the start of the cycle (rule 9).
//
// Rule 8, routing (serves). An output serves a destination if it starts a shortest path to it; at
// exactly half way round a torus both directions do. The local output serves the router's own node.
//
// Rule 9, turns (mayTurn). The head of a lane may turn into the next segment of its ring if the
// ring port of its segment is idle, no hold is on the next segment (rule 15), and the next segment
// has at least TurnSlots free slots and, with RingTurnBalance, at least as many as its own. Free
// slots are those at the start of the cycle.
//
// Rule 10, segments (arbitrate). The heads of both lanes are decided in every cycle, first that of
// the lane that did not send last. A head requests the output first (rule 12), and the turn if not
// all of its destinations leave by the output. Each of the two read ports streams one packet at a
// time. A lane shows its next head when the previous packet has left it completely. Segments of
// ring 0 come before those of ring 1 at an output stage.
//
// Rule 11, lanes (chooseLane). A packet enters the lane that is not being written, if the other one
// is. Otherwise it enters the shorter lane; on a tie, the lane that is looked at first.
//
// Rule 12, outputs (request). The output of a segment is available to a packet if its read port to
// the output is idle, the lane of the output stage has a free slot, and there is room behind the
// output: quota of the neighbour (rule 18), or a place in the node's sink, which is reserved with
// the slot. The first line that applies decides:
//
//	the output is not available                                              nothing
//	it serves none of the destinations and the packet is not aged            nothing
//	it serves all destinations                                               the packet leaves
//	it serves some, with the tree scheme                                     a copy leaves
//	the packet is aged and the output leads to a neighbour                   the packet leaves with all destinations
//	it serves some and leads to the node                                     a copy leaves
//	it serves some, rule 4 holds and there is quota for two packets          a copy leaves
//	otherwise                                                                the packet leaves with all destinations
//
// A copy takes the destinations that the output serves; the original keeps the others, and may turn
// in the same cycle.
//
// Rule 13, output stages (send). An idle output takes the head of one of its lanes, alternately if
// both may go. To a neighbour a packet goes if its input stage had a free slot at the start of the
// cycle. The node takes any packet.
//
// # A reading that the paper leaves open
//
// The paper says how much space a move needs, not from which cycle on a released slot counts as
// space. By rule 7 it counts at once. This keeps the rules of the paper: when the admitted packet
// arrives, the other one has made room (law 5). A router that counts a released slot from the next
// cycle on also keeps all rules. Below saturation both behave alike. At a load of 1, with
// InjectLimit 22 and without quotas and congestion control, RR delivers 3 % less with that reading
// on uniform traffic and shuffle, 10 % less on tornado, 3 % more on transpose, and as much on
// bit-reversal within the noise of its seeds.
//
// # Entry and injection
//
// Rule 14, choice of the ring (chooseRing). A header that both rings admit takes the one whose
// segment has more free slots; otherwise the one on which all of its destinations meet an output
// that serves them after fewer segments; otherwise the one on which the first of them does;
// otherwise a random one.
//
// Rule 15, entry hold (hold). With EntryHold, an input whose head both rings have refused for
// HoldAfter cycles makes its segment refuse turns, if the segment lacks one free slot of
// EnterSlots. Of several inputs the one that has waited longest is served. At most one hold per
// ring. A ring with fewer than EnterSlots free slots in total drops it, or it would deadlock. The
// interface requests a hold likewise when it may inject, has no space, and is starved: it has not
// injected for CalmPatience cycles. It does so only with ClassLimit: without quotas, rule 2 must be
// able to keep it waiting. A hold ends when its input has entered, or the interface has nothing
// that it may inject.
//
// Rule 16, interface (chooseClass). The interface has a queue for each class and starts one packet
// at a time: round robin over the classes with a head that may go.
//
// Rule 17, injection limit (atInjectLimit). Nothing is injected while InjectLimit ring slots of the
// router are in use. The limit is stated for 40 slots, where 40 means no limit, and scales with
// their number.
//
// Rule 18, class quotas (admits). With ClassLimit, a packet counts at a router from its injection
// there, or from being granted an output stage that leads there, until it is granted an output
// stage itself. At most quota(c) packets of classes up to c may count: ring slots - 3 for the
// highest class, and 2 less for each class below, but at least 2. To go to a router a packet needs
// room for one in the quotas of its own class and of all above; injection and replication need room
// for two, so that one is left. While there is room for every possible sender (two rings of each
// neighbour, the interface, and one to be left), all may send; otherwise only the port whose number
// is the cycle modulo the ports, one packet per cycle. With quotas an interface that has not
// injected for CalmPatience cycles needs only EnterSlots for rule 2.
//
// Rule 19, calm (calmClass). With CalmInjection, an interface injects no packet of a class up to
// that of an aged packet on the rings of its router, and none of a higher class until it has
// injected nothing for CalmPatience cycles. The latter does not hold while all aged packets wait
// for the full sink of their class.
//
// # Variants
//
// Rule 22, copies at the source (Take). With the scheme "replicate" (RR) a multicast is sent as one
// copy per destination, in ascending order from the source on. Headers then carry a node number;
// with the other schemes they carry a destination set.
//
// Rule 23, tree (alwaysCopies). With the scheme "tree" every output that serves some destinations
// takes a copy whenever it is available. Without UnlimitedOutput that can deadlock.
//
// Rule 24, path (aim). With the scheme "path" a multicast is divided at the source into two
// packets, for the destinations ahead on a tour of the grid and for those behind. Each visits its
// destinations in the order of the tour: an output that serves the next destination takes the whole
// packet, and the node of the destination takes a copy.
//
// Rule 25, unlimited output (LimitsOf). With UnlimitedOutput lanes of output stages are never full,
// so that rule 4 always holds, and there are no quotas.
//
// # Rule sets
//
// The numbers 20 and 21 belonged to rules that were removed, and are not used again: a new rule is
// number 26.
//
// Rules says which of the rules that can be switched off are on, and with which numbers: a row of
// [RuleSets]. Other settings of a Config override it; [Config.RuleText] names the rule set and all
// that differs from it, and every result holds this text.
//
// "paper" has rules 1 to 4, class limits (rule 18) and the turn balance (rule 9). The rules 1 to 4
// and the class limits are the paper's. It gives no numbers for the limits. For rule 3 it asks only
// for a large enough number of complete turns: here two, as in the simulator that its authors
// published. The turn balance comes from that simulator. All other rules are ours.
//
// The paper's rules keep spare slots, but do not ensure that packets can use them. All segments may
// hold packets that only turn, with free slots in every ring but no two in one segment, so that
// nothing enters. Such a network stops forever, or serves some nodes and starves others. Without
// the turn balance nearly every saturated network stops.
//
// "live" adds the entry holds (rule 15) and calm (rule 19). It is the rest of a larger set, from
// which rules that "paper" does not have were removed as long as every network still delivered.
// Each rule was left out by itself and with others, and RR and MRR ran at a load of 1: unicasts of
// five patterns and a hot spot, broadcasts as 1 % to 100 % of the packets, one and six classes, the
// smallest buffers and those of the paper, tori and meshes, and chains of classes through finite
// sinks. A rule stays if without it some network delivers nothing for 5,000 cycles, or some node
// and class gets nothing into the network for 100,000, or a packet is under way for as long. There
// was no other criterion. Without holds, or without calm, sources or packets of an MRR that sends
// nothing but broadcasts through the smallest buffers starve. A rate limit at the interfaces and
// earlier misrouting were not needed.
//
// "calm" is "live" with CalmCopies. Section 3.3 of the paper sees in rule 4 a congestion control,
// because copies pass by the injection queues. But rule 4 looks at output stages, and they are empty
// where packets wait for the quotas of the next router. So in a region whose routers hold much, MRR
// makes copies while the interfaces of these routers must wait. RR has no copies, and is the same.
//
// Below saturation packets neither wait for holds nor age, so that the rule sets agree.
//
// # Laws
//
// CheckInvariants verifies these on the state between two cycles.
//
// Law 1. No buffer holds more packets than it has slots.
//
// Law 2. Each ring has at least one free slot, so that it always rotates, and no hold with fewer
// than EnterSlots.
//
// Law 3. The network has a spare slot besides those: on a ring, or in a stage on the route to a
// neighbour.
//
// Law 4. No router holds more packets than its quotas allow.
//
// Law 5. The phits in a segment fit its memory.
//
// Law 6. Every destination that was accepted has been delivered, or is owed by exactly one packet.
package rotary

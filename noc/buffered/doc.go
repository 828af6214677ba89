// Package buffered is the input-buffered virtual cut-through routers BASE and BASE-MC:
// dimension-order routing, one virtual channel per message class at each input port, bubble flow
// control on the rings of a torus, and a crossbar with one line per input port.
//
// A [Config] says how the router is built, [DefaultBase] is BASE of the paper "MRR: Enabling fully
// adaptive multicast routing for CMP interconnection networks" (HPCA 2009), which the scheme [Tree]
// makes BASE-MC, and [New] makes a [Network] of such routers.
//
// This package is the specification: the rules below, and a Network that moves phit by phit.
// Package engine below it is the same router made fast, and is held to this one in every cycle.
// Each rule is one function of each form; its name stands behind the rule, and the two are in
// files of one name. To change or add a rule, add a field to Config with its allowed values in
// Validate, write the rule down here, change its function here, run experiments with the plain
// routers (carousel run --plain), and then change its function in the engine.
//
// The loop is Step of package fabric; a cycle is [Network.cycle] in network.go. It calls, for
// each router, the stages of the pipeline from the last one to the first (pipeline.go), and the
// switch allocator between them (switch.go).
//
// # Buffers
//
// Rule 1, channels (SpaceOf). A router has a local port and one port per neighbour. Each input
// port has a FIFO per message class, the virtual channel of that class: class c uses channel c
// everywhere. A packet takes one slot of a channel whatever its length. With Slots "class" a slot
// is as long as the longest packet of its class, which ClassPhits tells: a channel of 10 phits
// holds ten commands of one phit, or two packets with data of five. With "longest" all slots are
// as long as the longest packet of all classes. What is left of ChannelPhits is not used.
//
// Rule 2, credits (takeCredits). An output knows the free slots of the channels across its link,
// the interface those of the local input. A slot is taken in the cycle in which a header is
// granted the move into it, or in which the interface sends the header. It is given back in the
// cycle in which the header leaves the channel for the last time, and is usable by the sender in
// the cycle after that. Where a link has a latency of its own (Links), above LinkCycles, its
// credits take as many cycles more. All decisions of a cycle read the credits of its start.
//
// # Pipeline
//
// Rule 3, timing (cycle). A header takes five stages per hop: link (LT), buffer write (BW), route
// computation (RC), switch allocation (SA), crossbar (ST). BW and ST take a cycle each, LT takes
// LinkCycles or what Links says of the link, RC RouteCycles and SA AllocationCycles, which are 1 by
// default. The interface takes
// the place of LT for the local input, in one cycle. Under virtual cut-through a granted packet
// streams without a stall. With a grant in cycle s of a packet of L phits:
//
//	s+1 .. s+L       the phits cross the crossbar
//	s+1              the header has left: its slot's credit is usable upstream from s+2 on
//	s+2 .. s+L+1     the node consumes them: the delivery is visible in cycle s+L+2
//	s+2 .. s+l+L     or they are on the link of latency l
//	w = s+l+2        the header is written into the next channel
//	w+r+a            it takes part in switch allocation there for the first time: r RouteCycles, a AllocationCycles
//	s+L+r+a          first switch allocation of the next packet of the same channel, with RouteAfterTail
//
// Alone in the network a packet of L phits arrives (l+r+a+2)d + L + r + a + 3 cycles after its
// offer, with d links on its route: 5d + L + 5 by default.
//
// Rule 4, routing (Routes). A packet corrects dimension 0 first, then 1, and so on. On a torus it
// goes the shorter way round; a destination exactly half a ring away is reached in the plus
// direction when the sum of the source's coordinates is even, else in the minus direction. So
// there is one path per source and destination, and both directions carry the same load.
//
// Rule 5, heads (computeRoutes). A header's route is computed RouteCycles after its write. With
// RouteAfterTail the computation starts when the packet before it has left the channel completely,
// with its tail. The head of a channel is its first packet whose last branch has not been granted;
// it may request the switch once AllocationCycles have passed since its route is known.
//
// # Switch
//
// Rule 6, admission (admits). The node takes a packet if its sink has a place. A packet that goes
// straight on, entering by the opposite port, needs one free slot across the link. One that enters
// a ring of a torus, from the node or by a turn, needs two there (the bubble). On a mesh, and
// without Bubble, one is enough for every packet. With Slots "reserved", slots are those of
// "class", but one slot means as many as the longest packet of all classes would need, and two
// slots mean as many as two such packets would need, or all slots of the channel. The simulator
// that the authors of the MRR paper published counts like this.
//
// Rule 7, input arbiters (nominate). Each input whose line is idle nominates one channel among
// those whose head may take an idle output with space for it, round-robin over classes. The turn
// passes to the nominee whether or not it is granted.
//
// Rule 8, output arbiters (allocate). Each idle output grants one of the inputs whose nominees ask
// for it, round-robin over input ports. There is one iteration per cycle.
//
// Rule 9, streams (grant). A grant takes the input's line and the output for as many cycles as the
// packet has phits; both can be granted again in the cycle in which the tail crosses.
//
// Rule 10, interface (inject). A node sends one phit per cycle for all classes together, a packet
// at a time, round-robin over the classes that have a packet waiting and space as for one that
// goes straight on.
//
// # Multicasts
//
// Rule 11, separate copies (Take). With Multicast "replicate" a packet with several destinations
// leaves its source as one copy for each, in ascending order of node number from the source on,
// wrapping round. It stays at the head of the source queue until the last copy has started to
// leave.
//
// Rule 12, trees (nextBranches). With Multicast "tree" a packet is replicated along the tree of
// its dimension-order paths. In each router its head takes the outputs that lead to its
// destinations one after the other, each by a grant of its own: the local one first, then turns,
// straight on last. So it never holds two slots of one ring. Among several turns it nominates the
// next grantable one after its channel's last branch. A branch takes its destinations along as a
// packet of its own, and the slot is given back with the last branch.
//
// # Laws
//
// Rule 13, counters (Activity). All phits of a packet are counted in the cycle of its grant, at
// both ends of the link: reads, crossbar, link or node, and the writes behind the link. A packet
// from the node is counted when its header is sent. A route look-up is counted when the header may
// first ask for the switch.
//
// Rule 14, invariants (CheckInvariants). Every destination owed is with exactly one packet. For
// each channel the credits held, those on their way back and the slots taken add up to its slots.
// In every ring of a torus and each class some channel has space for a packet that goes straight
// on, so that packets in rings always move, and no class waits for another. The reason: the space
// of a channel for packets that go straight on is used up when it holds a certain number of
// packets. When a packet has entered, its channel holds fewer than that number. So the ring holds
// fewer packets than would use up the space of all its channels, and packets that go straight on
// do not change their number.
//
// The rings always move, but no packet's wait is bounded: a packet that enters a ring needs two
// free slots in a channel, one that goes straight on needs one, and the bubble does not serve
// waiting packets in turn. While a stream of packets keeps coming round, each slot that it frees
// is taken by the next packet of the stream, and two are never free together. The wait ends with
// the overload.
package buffered

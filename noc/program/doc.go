// Package program runs a network of somebody else, in any language, as a program of its own that
// answers on its standard output what it is told on its standard input.
//
// A [Network] starts the program of a [Setup] and is a noc.Network. It keeps source queues, sinks, copies
// of multicasts for programs that have none, and all statistics, and it is the referee: a program that
// loses, doubles, invents or misdelivers a packet, delivers it too early or into a full sink, does not
// answer, ends, or answers otherwise than a second copy in the first calls makes its methods panic with a
// *noc.Failure. This names the program, call, cycle, packet and nodes, how the program ended, and what it
// printed last. A Network must be closed.
//
// [Source] has the frames that do all of the following for networks in C, C++ and Python.
//
// # Messages, version 1
//
// A message is: size of the body in bytes (4 bytes), tag (4 letters), body. Numbers are unsigned and
// little-endian; u16, u32 and u64 have 2, 4 and 8 bytes. Carousel sends a message and waits for the
// answer. FAIL with a text answers any message that the program cannot fulfil. The end of standard input
// asks the program to end.
//
// NEWN is the first message. Its answer is SHAP.
//
//	NEWN   0 u32     version of the interface, 1
//	       4 u32     nodes
//	       8 u32     message classes, 1 to 8
//	      12 u32     longest packet that will be offered, in phits
//	      16 u64     seed of random choices
//	      24 u32[8]  longest packet of each class, in phits
//	      56 u32     dimensions of the grid; 0 for other topologies
//	      60 u32     bit d: dimension d is a ring
//	      64 u32[8]  nodes in each dimension
//	      96 u32     bytes of the name of the topology
//	     100 u32     bytes of the options
//	     104         name of the topology, such as torus:8x8; then the options, usually JSON
//
//	SHAP   0 u32     version of the interface, 1
//	       4 u32     flags: 1 takes sets, 2 heeds room, 4 keeps classes apart, 8 must be called in cycles in
//	                 which it is empty, 16 counts events
//	       8 u32     longest packet that the network takes, in phits; 0 for that of NEWN
//	      12 u32     routers; 0 for one per node
//	      16 u32     links that follow
//	      20 u32     1: places of nodes follow; 0: node n is at port 0 of router n
//	      24 u32     width of a link, in bits; 0 for 128
//	      28 u32[5]  of a router: ports, virtual channels of a port, buffers, phits of a buffer, 1 if there is
//	                 a crossbar; 0 where it is not known
//	      48 u32     1: EXPL can be asked
//	      52 u32     1: CHEC can be asked
//	      56 u32[2]  0
//	      64         for each link, ordered by router and output port: u32 from, u32 to, u16 output port,
//	                 u16 input port; then for each node: u32 router that it sends into, u32 router that it
//	                 receives from, u16 port of the first, u16 port of the second
//
// RUNC asks the program to simulate cycles. It stops after the first cycle in which it takes a packet or
// delivers one, or before the last cycle. Its answer is DONE. A packet stays offered until it is taken;
// then the next one of its node and class is offered in the next RUNC. Numbers of packets are small and
// are used again after the packet has arrived everywhere.
//
//	RUNC   0 u64     first cycle to simulate
//	       8 u64     first cycle not to simulate
//	      16 u32     offers that follow: those that are new
//	      20 u32     sinks that follow: those whose room has changed; at first all are unlimited. Only
//	                 programs that heed room are told
//	      24         for each offer: u32 number of the packet, u32 source, u32 destination (the lowest of a
//	                 set), u16 phits, u8 class, u8 0; for programs that take sets then also u64 words, as
//	                 many as 64 nodes each need, with bit n%64 of word n/64 for destination n
//	                 then for each sink: u32 node*classes + class, u32 free places (2^32-1: unlimited)
//
//	DONE   0 u64     first cycle not simulated
//	       8 u32     copies inside: taken, and not arrived
//	      12 u32     taken packets that follow
//	      16 u32     arrivals that follow
//	      20 u32     0
//	      24         for each packet taken in the last cycle: u32 its number; then for each arrival in the
//	                 last cycle: u32 number, u32 node, u32 links crossed
//
// COUN asks for counters since the start. Its answer is SUMS.
//
//	SUMS   0         u64 for each link: phits that crossed it; then, if the program counts events, u64[8] for
//	                 each router: phits written to buffers, phits read, phits across the crossbar, requests
//	                 to arbiters, grants, route lookups, copies made, cycles with a packet in the router
//
// EXPL asks who waits for what, and CHEC for faults in the program's own state. Both have no body, and their
// answer is TEXT; an empty text says that there is nothing.
package program

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
// [Source] has frames for networks in C, C++ and Python. They speak the protocol of wire.go: messages of version 1, which
// "carousel help detachable" describes byte by byte under "Other languages".
package program

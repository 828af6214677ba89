// Package program runs a network in any language as a program of its own. The program reads messages from
// its standard input and answers on its standard output.
//
// A [Network] starts the program of a [Setup] and is a noc.Network. It keeps source queues, sinks, copies
// of multicasts for programs that have none, and all statistics. It also checks the program, which must not
// lose, double, invent or misdeliver a packet, deliver it too early or into a full sink, hang, end, or answer
// the first calls otherwise than a second copy does. If it does, methods of the Network panic with a
// *noc.Failure. This names the program, call, cycle, packet and nodes, how the program ended, and what it
// printed last. A Network must be closed.
//
// A call costs two switches between processes. All else that a call could cost is avoided: see together,
// which keeps both processes on one processor, and answerPipe, which is read without Go's poller.
//
// [Source] has frames for networks in C, C++ and Python. They speak the protocol of wire.go: messages of
// version 1, which "carousel help detachable" describes byte by byte under "Other languages".
package program

// Package cmp simulates a chip multiprocessor: cores that replay a trace, private caches, a banked
// shared cache, memory controllers and network interfaces. The network that connects them is a
// parameter.
//
// [Config] describes a chip. [System] is a chip while it runs. [Result] has its measurements, and
// [DeadlockReport] explains a run that makes no progress. [Protocols] lists the coherence
// protocols.
//
// # The loop
//
// (*System).cycle in chip.go is one cycle of the chip. It calls stepNodes: fire timers, step the
// memory, let the interfaces take what arrives, let controllers accept messages, run the cores,
// packetise messages. Then it offers them, steps the network and observes. A second thread may begin
// the cycle of the network beside stepNodes ([noc.Divisible]). When nothing is due the loop jumps to
// the next cycle in which something is. Its parts are types with methods of their own:
//
//	core    core.go    a core; its cycle calls its stages by name: drain, retire, issue, dispatch
//	                   with fetch; its parts are window, stores, synchronisation, input and
//	                   account, each in the file of its name (sync.go)
//	        plain.go   plainCore, the specification of the core, selected by core.plain
//	agents  agents.go  the coherence controllers, which accept messages and fire timers
//	nic     nic.go     the network interfaces: messages into packets, and back
//	memory  memory.go  the DRAM behind the memory controllers
//	auditor audit.go   the protocol's laws, checked while the chip runs
//
// # The path of a message
//
// A controller creates a message ([coherence.Effects]). After the latency of the controller, the
// interface turns the message into packets (packetize) and offers them to the network. The network
// delivers them (arrive). The receiving agent takes one message per cycle, the highest class first
// (accept). Copies for agents at the same router do not enter the network and take one cycle.
// Ordered messages travel as numbered unicasts. The receiving interface restores their order, so
// the network need not keep it.
//
// # Laws
//
//   - The chip knows the network only by the contract noc.Network, and the protocol only by
//     coherence.Protocol; controllers see neither queues nor the System.
//   - Every record of the trace is executed exactly once, on every network.
//   - A core may not execute a record before the writes that its edges name are visible: a trace's
//     order between threads holds on every network, while everything else may reorder.
//   - Results depend on configuration, trace and seed alone, and not on whether quiet cycles are
//     skipped.
//   - A stage has one path, and at most one fast path for the common case, named in its comment.
//     The results equal those of the plain core.
//
// # What is not modelled
//
// Wrong paths of branches are not executed. An access that crosses a block boundary accesses only
// its first block. Creating and joining threads causes no memory traffic; locks and barriers do
// (sync.go).
//
// To add something that a core does with a record: a kind in package traces, its rule in plain.go
// and its case in mayRetire. To add a measure: a field of Result and where it is counted in
// observe.go.
package cmp

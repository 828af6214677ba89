// Package cmp is the chip: cores that replay a trace through private caches, a banked shared cache,
// memory controllers and network interfaces, joined by a network that it gets as a parameter.
//
// [Config] describes the chip, [System] is one at work,
// [Result] is what it measured, and [DeadlockReport] explains why it stopped. [Protocols] lists the
// protocols it can run.
//
// # The loop
//
// (*System).cycle in chip.go is one cycle of the chip: fire timers, step the memory, let the
// interfaces take what arrives, let controllers accept messages, run the cores, packetise and offer
// messages, step the network, observe. When nothing is due the loop jumps to the next cycle in
// which something is. Its parts are types with methods of their own:
//
//	core    core.go    a core; its cycle calls its stages by name: drain, retire, issue, dispatch
//	                   with fetch; its parts are window, stores, synchronisation, input and
//	                   account, each in the file of its name (sync.go)
//	        plain.go   plainCore, the specification of the core, selected by core.plain
//	agents  agents.go  the coherence controllers, which accept messages and fire timers
//	nic     nic.go     the network interfaces: messages into packets; receive.go, back
//	memory  memory.go  the DRAM behind the memory controllers
//	auditor audit.go   the protocol's laws, checked while the chip runs
//
// # A message's way
//
// A controller makes it ([coherence.Effects]); after the controller's latency the interface turns
// it into packets (packetize) and offers them; the network delivers (arrive); the agent at the
// other end takes one message per cycle, the highest class first (accept). Copies for agents at the
// same router use no network and take one cycle. Ordered messages travel as unicasts with numbers,
// and the receiving interface restores their order, so any network will do.
//
// # Laws
//
//   - The chip knows the network only by the contract noc.Network, and the protocol only by
//     coherence.Protocol; controllers never see a queue or the clock's owner.
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
// Branch prediction enters only through what the trace holds, and an access that crosses a block
// boundary is charged to its first block. Thread creation and joining cost no memory traffic of
// their own; locks and barriers do (sync.go).
//
// To add something that a core does with a record: a kind in package traces, its rule in plain.go
// and its case in mayRetire. To add a measure: a field of Result and where it is counted in
// observe.go.
package cmp

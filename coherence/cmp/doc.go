// Package cmp is the chip: cores that replay a trace through private caches, a banked shared cache,
// memory controllers and network interfaces, joined by a network that it gets as a parameter.
//
// There are only a few types: [Config] describes the chip, [System] is one at work, [Result] is what it
// measured, and [DeadlockReport] explains why it stopped. The loop is (*System).cycle in system.go: fire what
// is due by time, receive arrivals, run the cores, offer packets, step the network, observe. When
// nothing is due the loop jumps to the next cycle in which something is.
//
// Laws:
//
//   - The chip knows the network only by the contract noc.Network, and the protocol only by
//     coherence.Protocol; controllers never see a queue or the clock's owner.
//   - Every record of the trace is executed exactly once, on every network.
//   - A core may not execute a record before the writes that its edges name are visible: a trace's order
//     between threads holds on every network, while everything else may reorder.
//   - Results depend on configuration, trace and seed alone, and not on whether quiet cycles are skipped.
//
// A message's way: a controller makes it (send), after the controller's latency the interface turns it
// into packets (route, offer), the network delivers (arrive), the agent at the other end takes one per
// cycle, the highest class first (accept). Copies for agents at the same router use no network and take
// one cycle. Ordered messages travel as unicasts with numbers, and the receiving interface restores their
// order, so any network will do.
//
// Nearly every reference is a hit, and takes the short way: from a batch of records into the window (enterRun),
// to the line without asking its cache (coherence.HitPath), out of the window; a store waits in one queue from
// dispatch until it is visible (stores.go). Most messages are requests for blocks that their receiver does not have, and
// end where they arrive (coherence.Protocol.Ignores). Everything else goes through Effects, which are empty between calls.
//
// What a core cannot know from an address trace is not modelled: branch prediction enters only through
// what the trace holds, and an access that crosses a block boundary is charged to its first block.
// Thread creation and joining cost no memory traffic of their own; locks and barriers do (sync.go).
package cmp

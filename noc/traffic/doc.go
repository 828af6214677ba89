// Package traffic drives a network with open-loop synthetic traffic and measures latency and
// throughput.
//
// A [Config] says what is sent, and a [Pattern] of the [Patterns] table where a node's unicast
// messages go. A [Driver] sends messages through a noc.Network and gathers a [Window] of
// measurements; [Latencies] are histograms by class and cast.
//
// Each node generates a message in each cycle with probability Load/PacketPhits, of a class drawn
// uniformly. Loads are phits per node and cycle at the sources, a multicast counting once.
// Sources are unbounded: a message that finds the network's source queue full waits in its
// class's own line, and its latency counts from generation. The lines take no memory: a node's
// messages follow from its random stream alone, so a class that waits keeps a second reader of
// that stream, which makes the same messages again when there is room.
//
// What is measured: everything that happens in the window, whenever it began. Throughput and
// energy are those of the window's cycles; latency is that of the copies that arrive in it, a
// multicast's that of those whose last copy arrives in it. Nothing is drained: below saturation
// what the window misses at its end equals what it gains at its start, and above saturation there
// is no end to wait for.
//
// Laws:
//
//   - Only noc, its parts and the standard library are imported.
//   - What is sent depends on the configuration and the seed alone, not on the network, on how
//     often it returns or on how deep its source queues are. No floating-point operation decides
//     what is sent, beyond the exact scaling of probabilities.
//   - Each node has a random stream of its own, named by seed, purpose and node.
//   - Nothing is allocated per cycle once the number of messages in flight has had its maximum.
//
// The loop is Driver.Run. To add a pattern: one function and one line in
// patterns.go; the test of this package then runs it on every grid it accepts.
package traffic

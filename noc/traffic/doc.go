// Package traffic drives networks without a chip. Its open-loop synthetic traffic measures latency and
// throughput.
//
// [Drive] is the loop of all of them: it serves a [Source], steps the [Networks], and hands over what has
// arrived. [Tags] are the messages under way. A [Driver] is the source of open-loop traffic: a [Config] says
// what it sends, and a [Pattern] of the [Patterns] table where a node's unicast messages go. It gathers a
// [Window] of measurements; [Latencies] are histograms by class and cast.
//
// Each node generates a message in each cycle with probability Load/PacketPhits, of a class drawn
// uniformly. Loads are phits per node and cycle at the sources, a multicast counting once. Sources
// are unbounded: a message that finds the network's source queue full waits in a queue of its
// class, and its latency counts from generation. These queues take no memory: a node's messages
// follow from its random stream alone, so a waiting class keeps a second reader of that stream,
// which generates the same messages again when there is room.
//
// All events in the window are measured, whenever their packets were generated. Throughput and
// energy are those of the window's cycles. Latency is that of copies that arrive in the window, and
// for multicasts that of multicasts whose last copy arrives in it. Nothing is drained: below
// saturation the window misses as much at its end as it gains at its start, and above saturation
// draining might never end.
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
// To add a pattern: one function and one line in
// patterns.go; the test of this package then runs it on every grid it accepts.
package traffic

// Package closedloop replays recordings of processors in a closed loop: a processor waits for the answers
// that the simulated network delivers.
//
// A [Program] is what the processes of a chip do, a [Process] a list of [Step]s, and a [Server] answers
// requests at a node; [Run] replays a program through networks side by side and returns a [Result].
//
// # Laws
//
//   - A step begins After cycles after the step before it has ended. All steps but waits end at
//     once. Recorded times (At) do not matter, unless the replay is open: then they alone decide
//     when a step begins, and waits delay nothing.
//   - A read is a request of one flit and an answer with the data, a write the data and an
//     acknowledgement of a flit (none if it is posted), an atomic a flit each way. A transfer above
//     Config.PacketBytes is several packets, sent one after the other. Both ways use the network
//     that the step names. A node may send requests to itself.
//   - A server takes requests as its node delivers them. With Places it holds so many at a time,
//     and others wait in the network, whose routers decide who is next. It works on one at a time,
//     for Setup cycles and the time of the bytes at its rate, and sends the answer Latency cycles
//     after it started this work.
//   - A node has one memory for the servers of all its networks and for the answers that come to
//     it. A server's work begins when the memory is free, and a read is complete when the memory
//     takes its data.
//   - A server holds one answer besides the one that it works on. Until the network has taken that
//     answer, the server starts no other request and keeps the memory, so a full network slows down
//     the other networks of the node.
//   - A wait ends Poll cycles after the last packet that it waits for has arrived, but not before
//     it has lasted LeastWait cycles.
//   - Queues at the nodes are unbounded.
//   - Nothing depends on anything but the program, the configuration and the networks: events of
//     the same cycle are taken in the order in which they were made.
//
// The loop is traffic.Drive. To add a kind of step: a Kind, its packets in issue, and what it is
// counted by in a wait.
package closedloop

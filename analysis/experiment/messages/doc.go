// Package messages measures the latency of message passing on a wormhole network with startup
// costs. The messages are multicasts of a scheme, one after the other or under load, with unicasts
// between them.
//
// A [Config] is one point: network, scheme, how messages arise, and how much is measured; [Run] does it
// and gives a [Result]. The table variants has schemes with choices that their papers leave open.
//
// What is measured follows section 4.2 of Al-Dubai, Ould-Khaoua and Mackenzie (Qualified Groups):
// latency from generation, with the wait in an unbounded first-come first-served queue and the
// startup, to the last tail; batch means. A message belongs to the batch in which it was generated,
// and the run goes on until those of all batches have arrived. Unlike package openloop it looks at
// whole multicasts: when each destination has one, how far apart that is, and which channels it
// crosses.
//
// On a mesh or torus a node sends and receives over as many channels as it has links. In a
// network of switches it has one channel each way, and the network routes: by destination tag,
// turnaround, or relaxed up*/down* paths, adaptively unless Config.Routing says otherwise.
//
// Multistage networks are those of wormholeideal.New, for all schemes, with Config's
// tokens, consumption channels and arbitration; arrivals.go has the arrivals of section 5.3 of
// Varavithya and Mohapatra (asynchronous tree-based multicasting).
//
// Laws:
//
//   - Messages follow from the configuration and the seed alone, never from the scheme: all schemes
//     see the same ones, so that their batches can be compared in pairs.
//   - No floating-point operation decides what is sent: exponential times are drawn by comparing
//     integers ([random.Exponential]).
//   - A run whose network cannot carry the load says so, and its latencies, which would grow with
//     the length of the run, are absent. A network that stops is an error, which lists the cycle of
//     waiting worms.
//
// The loop is traffic.Drive, whose source is run. To add a way in which messages arise, add a line to
// ArrivalNames, and a case to newGenerator and take. To add a variant, add a line to variants.
package messages

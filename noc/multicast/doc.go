// Package multicast plans how one message reaches many nodes.
//
// There are only a few types. A [Request] names a source and its destinations. A [Plan] is a forest of
// worms: each [Worm] carries one copy along a path or a tree of routers, and starts at once or when
// another worm has reached its sender. A [Measure] and the times of [Plan.Arrivals] size a plan without
// simulating it; [Timing] holds the latency model of each paper.
//
// Laws:
//
//   - A plan serves each destination exactly once and nobody else, along channels that exist, and sends
//     nothing before it was received: [Plan.Check].
//   - Engines know worms, not schemes; schemes know wiring, not engines.
//   - Everything is decided with integers and exact fractions. Ties go to the smaller number: node, port
//     or dimension. The same request always gives the same plan.
package multicast

// Package noctest holds networks to the laws of package noc, and drives them in tests and
// benchmarks.
//
// A [Subject] is a kind of network under test and [Run] the conformance suite for it; a [Pair] is
// an engine beside its model, which is the same network written for clarity; [Drive] sends the
// open-loop traffic of package traffic, and [Coupled] that of a protocol with finite queues. For
// networks of worms there are planners ([Scheme], [Doubling]), a watch for standstills and a
// benchmark. Text scenarios are in package stories.
//
// Law of a pair: after every step both have the same deliveries, totals and idle routers, and at
// the end the same counters everywhere.
//
// The suite knows a network only through noc.Network, so it tests no router's rules, only the
// contract. Networks may have any shape and number of nodes: Subject says which. Most checks play
// one script of offers and audit every delivery of it (audit.go); the tests themselves
// are in suite.go and corners.go. To add a check, write a function of a Subject and list it in Run.
package noctest

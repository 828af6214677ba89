// Package noctest holds networks to the laws of package noc, and drives them in tests and benchmarks.
//
// There are only a few types: a [Subject] is a kind of network under test and [Run] the conformance suite
// for it; [Traffic] and [Driver] are open-loop synthetic traffic,
// and [Coupled] is a protocol's with finite queues; [Random] is a reproducible generator.
//
// The suite knows a network only through noc.Network, so it tests no router's rules, only the contract.
// Most checks play one script of offers (script.go) and audit every delivery of it (audit.go); the tests
// themselves are in suite.go and corners.go. To add a check, write a function of a Subject and list it in Run.
package noctest

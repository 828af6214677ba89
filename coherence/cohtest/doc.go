// Package cohtest tests coherence protocols without a network: a [Chip] connects controllers
// through a bag of messages from which the test chooses what arrives next, so that every reordering
// is one command or one random number away.
//
// A [Script] lets things happen by text commands, for scenarios (package stories below) and for
// what coherence/explore finds; [Stress] runs random accesses with random order, random delays and
// random lack of room. Both verify the protocol's laws (coherence.Audit), the data (a load returns
// the latest version, because permission is atomic), the contract of coherence.Controller, and, at
// the end, that nothing is left over.
//
// The package knows no protocol: its users pass a function that makes one. Nothing in it is fast.
//
// To add a command to the scripts, add a case to (*Script).command.
package cohtest

// Package cohtest tests coherence protocols without a network. A [Chip] keeps all messages in
// flight in a set, and the test chooses which one arrives next. Every order of messages can thus be
// tested.
//
// A [Script] executes text commands, for scenarios (TestStories of coherence/verify) and for what
// coherence/explore finds; [Stress] runs random accesses with random order, random delays and
// random lack of room. Both verify the protocol's laws (coherence.Audit), the data (a load returns
// the latest version, because permission is atomic), the contract of coherence.Controller, and, at
// the end, that nothing is left over.
//
// The package knows no protocol: its users pass a function that makes one. Nothing in it is fast.
//
// To add a command to the scripts, add a case to (*Script).command.
package cohtest

// Package cohtest tests coherence protocols without a network: a [Chip] connects controllers through a
// bag of messages from which the test chooses what arrives next, so that every reordering is one command
// or one random number away.
//
// [Stories] runs text scenarios; [Stress] runs random accesses with random order, random delays and
// random lack of room. Both verify the protocol's laws (coherence.Audit), the data (a load returns the
// latest version, because permission is atomic), the contract of coherence.Controller, and, at the end,
// that nothing is left over.
//
// The package knows no protocol: tests of a protocol's package pass its New function. Only tests import
// it; nothing in it is fast.
//
// To add a command to the stories, add a case to story.command.
package cohtest

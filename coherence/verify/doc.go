// Package verify is the catalogue of what is known to hold for the coherence protocols, each entry a check
// that anybody can run again.
//
// There are a few types: an [Exploration] is a small chip whose every state is visited; a [Stress] is a random
// test; [Coverage] sums up which cells of the transition tables they have taken; [Find] shows that a
// seeded defect is found.
//
// # Comparison with an independent model
//
// Some explorations name the number of states of a model that was written for the protocol's specification, in
// another language, before these controllers were. The protocols are the same and no law is broken in either;
// the counts differ where the state differs:
//
//   - The controllers of the directory protocol keep requests for a busy block in a queue at the home, and take
//     them up one at a time. Which requests have entered, in which order, and whether the next one has been
//     looked at, is state here; in the model requests wait in the network. Counting queued requests as if they
//     were still in the network leaves 81 of 129 states with one L1 and 3,764 of 8,590 with two (4,587 of
//     10,521 with silent S), where the model has 123 and 4,538 (5,603): the queue explains more than the whole
//     difference, and the model keeps other facts apart.
//   - The model does not reduce by symmetry. Explorations with names kept do not either, and are the ones to
//     compare; with three L1s the reduction is by nearly six.
//   - The controllers of the token protocol know of each miss whether its transient requests are used up, and
//     which accesses wait for it; in the model any L1 may turn persistent, or give tokens away, at any time. Here
//     tokens move by the rules of the protocol, at the hint of any request at any time. The counts are between 1.1
//     and 1.9 times the model's.
//
// Laws: the package knows protocols, never networks or the chip. Everything is deterministic.
//
// The loop is explore.Run, and cohtest.Stress.Run. To add a check: a row in models.go or a field in stress.go.
package verify

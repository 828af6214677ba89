// Package verify lists the checks of the coherence protocols and runs them.
//
// A [Protocol] is a row of the table [Protocols], and its Check does everything for one protocol
// and fills a [Report]. An [Exploration] is a small chip whose every state is visited; random
// tests are those of package cohtest; [Coverage] sums up which cells of the transition tables they have taken. Random
// programs and litmus tests on whole chips come from packages stress and litmus, whose networks the
// caller brings along. (*Protocol).Find shows that a seeded defect is found.
//
// # Comparison with an independent model
//
// Some explorations name the number of states of a model that was written for the protocol's
// specification, in another language, before these controllers were. The protocols are the same and
// no law is broken in either; the counts differ where the state differs:
//
//   - The controllers of the directory protocol keep requests for a busy block in a queue at the
//     home, and take them up one at a time. Which requests have entered, in which order, and
//     whether the next one has been looked at, is state here; in the model requests wait in the
//     network. So the counts are nearly those of the model for one L1, twice as large for two, and
//     five times as large for three, whose two waiting requests have an order. The column "without
//     the queue" of the table below counts two states as one if they differ only in which requests
//     are in the queue instead of the network, and in which have been looked at. These counts are
//     between two thirds and nine tenths of the model's, which distinguishes states by other facts.
//   - The model does not reduce by symmetry. Explorations with names kept do not either, and are
//     the ones to compare; with three L1s the reduction is by nearly six.
//   - The controllers of the token protocol know of each miss whether its transient requests are
//     used up, and which accesses wait for it; in the model any L1 may turn persistent, or give
//     tokens away, at any time. Here tokens move by the rules of the protocol, at the hint of any
//     request at any time. The counts are between 1.1 and 1.9 times the model's.
//
// States of the directory protocol, names kept:
//
//	L1s, evictions of S  states   without the queue  model
//	1                    129      81                 123
//	2                    8,590    3,764              4,538
//	2, silent            10,521   4,587              5,603
//	3                    672,924  118,596            135,399
//	3, silent            934,575  162,000            183,881
//
// Larger chips of the token protocol. Two L1s and a bank with T=2 have 14,396,863 states, up to
// symmetry, the farthest after 35 steps; the laws hold in all of them, and from each the chip can
// come to rest. The same chip with T=3, and three L1s without a bank, are searched until memory is
// full. In the first, depth 16 has 1.8 times as many new states as depth 15 (1.5 times with T=2).
// In the second, depth 12 has 2.7 times as many as depth 11, so it must have billions of states.
//
// Laws: the package knows protocols and whole chips, but no network: callers bring them. Everything
// is deterministic.
//
// The loops are explore.Run, cohtest.Stress.Run, stress.Run and litmus.Run. To add a check:
// a row in the protocol's file, such as msi.go. To add a protocol: a row in protocols.go.
package verify

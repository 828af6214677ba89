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
// specification, in another language, before these controllers were. The protocols are the same, and
// neither breaks a law. The counts differ where the state differs:
//
//   - The home of the directory protocol queues requests for a busy block. Its state includes which
//     requests have entered, their order, and whether the next one has been looked at. In the model,
//     requests wait in the network.
//   - The model does not reduce by symmetry. Only explorations that keep names can be compared.
//   - The L1s of the token protocol know of each miss whether its transient requests are used up, and
//     which accesses wait for it. In the model, any L1 may turn persistent or give tokens away at any
//     time; here, tokens move at the hint of any request at any time.
//
// Laws: the package knows protocols and whole chips, but no network: callers bring them. Everything
// is deterministic.
//
// The loops are explore.Run, cohtest.Stress.Run, stress.Run and litmus.Run. To add a check:
// a row in the protocol's file, such as msi.go. To add a protocol: a row in protocols.go.
package verify

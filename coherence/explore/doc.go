// Package explore visits every state that a small chip can reach. It runs the controllers of the
// simulator itself, not a second model of the protocol.
//
// A [Model] is a chip of a few L1s, one bank and one memory controller, and what may happen on it;
// [Run] explores it within [Options] and returns a [Result]; a [Violation] is a broken law and a
// shortest sequence of steps that breaks it, as a scenario that coherence/cohtest can replay.
//
// The network is a bag of messages from which any may arrive next; only what a protocol marks
// Ordered keeps its order between two agents. In every state the search tries all that the model
// allows: the arrival of each message, the end of each DRAM read, timers, deferred work, every
// access of every core that may start one, and evictions. Messages that a protocol calls hints,
// because they may be lost, late or duplicated, are not in the bag: any of them may reach any
// controller at any time.
//
// After every step: no controller has panicked or left its transition table; loads have returned
// the latest version and stores have made the next one; a refusal has had no effect; no controller
// has sent more than there was room for; no core that owns a block and waits to write it has
// answered a hint, because with hints alone two writers could then take the block from each other
// for ever. In every new state: the protocol's laws for each block (CheckBlock). At the end of a
// complete search: from every state a quiescent one can be reached without new accesses of cores
// and without hints.
//
// Laws:
//
//   - A state is a row of bytes (coherence.Snapshot). Versions are replaced by their place among
//     those that still matter, and on symmetric protocols states that differ only in the names of
//     cores are one.
//   - Visited states are remembered by the first 128 bits of their SHA-256. The chance that two of
//     10^8 states are taken for one is below 10^-22.
//   - The states, their numbers and the reported sequence of steps are the same with any number of
//     workers.
//   - A search that reaches its limit of memory or states is reported as incomplete.
//
// What is not covered: a refused access leaves the core free to try again at any time, so that a
// forgotten Effects.Retry goes unseen; timers and delays have no lengths, and the timer of a hint
// may fire as soon as it has been sent; a network's own bounds on order are those of the model. The
// random test (cohtest.Stress) sees the first of these.
//
// The loop is (*search).run in explore.go; what one step does is (*machine).do in step.go.
//
// To explore another protocol: implement coherence.Explorable and the Snapshot of its controllers.
// To add something that can happen: a value of stepKind, a line in steps, a case in do, and a word in
// describe.
package explore

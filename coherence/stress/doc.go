// Package stress runs random programs on the whole chip and checks the laws of the protocol. A
// violation is, for example, a read of an old value, a token that is created or lost, two writers
// of a block, an unexpected message, or an access that never ends.
//
// A [Config] is one random run, with the chip it runs on; [Case] is number k of an endless sequence
// of different ones; a [Failure] says what went wrong in it, and a
// [Scenario] is the shortest program that was found to go wrong in the same way.
//
// What makes the runs hard: many cores want few blocks, and different words of the same block;
// caches hold a few blocks, so that everything is evicted and recalled; queues, windows and
// memories are small; and time-outs are shorter than a miss. The network is unreliable in time
// ([FaultInjector]): it holds deliveries back, so that messages overtake each other in every way;
// nodes take nothing from it for up to 1,000 cycles; source queues refuse packets that they have
// room for; and drills block all classes but the highest ones, which must get through nevertheless.
// Every access is compared with the latest version of its block, and each block's laws are checked
// shortly after it has been used. With Order, the run ends with the question whether the memory
// model allows what the cores have seen, all together.
//
// The longest time of a miss, if every core wants the same block, follows from the rules of the
// protocols; fairness_test.go derives the bounds and holds runs to them.
//
// Laws:
//
//   - A run depends on its Config alone. Case k is the same on every machine, so its number and the
//     name of the network reproduce a failure.
//   - The package knows networks by their contract only: the caller brings a table of them.
//   - Nothing allocates per access.
//
// The loop is the chip's own. To add a dimension of difficulty: add a field to Config, honour it in
// (Config).Run, and let Case draw it.
package stress

// Package coherence defines the interface between coherence protocols and the chip that runs them.
//
// A [Controller] takes a [Message], an [Access] or a timer and appends
// what it wants done to [Effects]; a [Protocol] makes the controllers of a system and checks its
// laws; a [Version] stands for the data of a [Block]. Two fast paths lead past Effects, because
// most accesses hit and most requests are for blocks that a cache does not have: a [HitPath] into
// an L1's lines, and Protocol.Ignores.
//
// Laws:
//
//   - Controllers are pure: no clock, no queue, no network, no logging and no allocation. The same
//     controller runs on the chip (coherence/cmp), in text scenarios and random tests
//     (coherence/cohtest), and in the explorer (coherence/explore).
//   - A message is processed in one step, completely or not at all.
//   - No protocol relies on the order of messages, except those it marks Ordered.
//   - A message class is a position in the dependency chain: accepting a message never requires
//     sending one of a lower class, unless the sender has reserved state for it.
//   - An L1 whose core has read a block speculatively keeps the permission to read it, or tells the
//     core. So every core that may have read a block early learns of a write before the write
//     happens.
//   - A fast path does what the slow one would have done, to the same counts.
//   - Packages under coherence import noc and nothing below it; of caches they use the storage of
//     package cache.
//
// To add a protocol: follow the package documentation of coherence/msi, a worked example.
package coherence

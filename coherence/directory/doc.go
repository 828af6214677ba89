// Package directory is a MESI coherence protocol with a directory in the tags of an inclusive L2
// (reference for the traffic of directory protocols, MRR paper, section 4).
//
// The home bank of a block knows its sharers, as a set of cores, or its owner. It serves one
// transaction of a block at a time: a transaction that changes the owner or invalidates copies
// keeps the block busy until the requestor sends Unblock. Invalidations travel as one multicast to
// the sharers, and their acknowledgements go to the requestor. No message relies on the order of
// any other.
//
// The types are [Protocol], which makes the controllers of a chip; l1 (cache*.go) and bank
// (bank*.go), made of the parts in coherence/controller, which also has the memory controller;
// transaction, what a bank keeps of a busy block; and writeBack, what an L1 keeps of a block that
// it has evicted, until the home has heard of it.
//
// Laws, which make the races of an unordered network harmless:
//
//   - A block is busy exactly while one transaction is open for it; requests and evictions for it
//     wait at the home, first come, first served. So an eviction is never acknowledged while a
//     forward or an invalidation to its sender is under way, and no forward meets an L1 that does
//     not have its data yet.
//   - An evicted block stays answerable in its write-back entry until the acknowledgement, and the
//     core may not ask for it before. So a late eviction can never remove a newer copy.
//   - The home takes evicted data only from the registered owner, and answers an upgrade without
//     data only while the requestor is listed as a sharer.
//   - An invalidation is acknowledged at once, even before the data that it overtook has arrived.
//     That data then serves only the accesses that were waiting when the invalidation arrived,
//     once.
//   - Only requests of L1s may wait. Every other message is accepted into state that its
//     transaction has reserved. If it makes a bank or L1 send a message of a lower class, that
//     message is kept there until there is room.
//
// The loop is Accept of each controller. The legal (state, event) pairs are the tables in tables.go;
// taking any other pair panics.
//
// To add a message: in tables.go give it a kind, a class and a row of each table, and name its
// dependencies in generates; and give it a case in the Accept of every controller that gets it.
package directory

// Package token is the TokenB coherence protocol: token counting with broadcast transient requests,
// time-outs and persistent requests (MRR paper, section 4).
//
// Every block has a fixed number of tokens, one of them the owner token. A cache with at least one
// token and data may read, one with all tokens may write. Counting alone makes the protocol safe,
// and persistent requests make it live: together they are the substrate. Transient requests are
// hints. They may be lost, ignored, answered late or answered twice, and no argument for
// correctness may depend on them.
//
// A block that the L1 evicts stays in its victim buffer, with its tokens, while a speculative load
// has read it. So a writer must take a token from this L1 first, and the core learns of the write
// in time. To watch requests pass would not suffice: a writer may have all tokens before its
// request arrives here, and its next write may become visible earlier still.
//
// The types are [Protocol], which makes the controllers of a chip; three controllers, one file
// group each (cache*.go, bank.go, memory.go), made of the parts in coherence/controller; line, a
// controller's share of a block; and activations, the table of persistent requests that every
// controller keeps.
//
// Laws:
//
//   - A token changes its place only in agent.go (merge and give): creation of a message
//     subtracts, acceptance adds.
//   - The owner token never travels without data, except clean to its memory controller.
//   - A core that waits to write gives its tokens to another writer. One with the owner token answers
//     no transient request, so that of two writers that collide, it gets the rest. Safety and liveness
//     do not depend on this: without it, the writers would take the block from each other with every
//     timeout until their requests become persistent.
//   - When tokens arrive, the order is: merge, complete the access that is now satisfied, end its
//     persistent request, pay those of other cores. Completing and accessing are one step, so no
//     other request can take the tokens between arrival and use.
//   - What a controller owes to a persistent request is state (tokens held and a table entry),
//     never a blocked message: it is paid when there is room.
//
// The loop is Accept of each controller. The legal (state, event) pairs are the tables in tables.go;
// taking any other pair panics.
//
// To add a message: in tables.go give it a kind, a class and a row of each table, and name its
// dependencies in generates; and give it a case in the Accept of every controller that gets it.
package token

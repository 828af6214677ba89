// Package msi is a simple coherence protocol, the worked example of how to add one: MSI with a home
// for each block in an inclusive L2. Its types are [Protocol], which makes the controllers of a
// chip; l1 (cache.go); bank (home.go), with what a home knows of a block; and the memory controller
// of coherence/controller. Read the files in the order of the steps below, and do the same for a
// protocol of your own.
//
// # 1. Say what the protocol is
//
// An L1 has a block not at all (I), may read it (S), or may read and write it (M). The home, which
// is the block's bank of the L2, knows which L1s may have it. An L1 that lacks a permission sends
// GetS or GetM. The home serves one request of a block at a time:
//
//	L1            home              other L1s     memory
//	GetS, GetM ->                                            the block is busy from here on
//	              Inv           ->                           to a writer's sharers, or the owner in M
//	              <- Ack, AckData                            from each; AckData brings the new data
//	              MemRd                        ->            where the L2 does not have the block
//	              <- MemData
//	<- DataS, DataM
//	Done ->                                                  and here it is free again
//
// The protocol is simple: a reader takes the block away from its owner; a writer with a readable
// copy drops the copy and gets the data again; a store to a block that is being read waits until
// the read has ended.
//
// # 2. State the rules that make races harmless
//
// Messages may overtake each other. What makes that harmless is written down as rules before there
// is any code, because the comments, the audit and the defects refer to them:
//
//  1. A block is busy until the core that was served has said Done. So an Inv never overtakes the
//     data that it is about.
//  2. Every Inv is answered exactly once, in whatever state it meets the L1, and the home waits for
//     all answers. So no Inv is under way once a block is free.
//  3. Copies in S are dropped silently, so the home may list L1s that no longer have a copy. A copy
//     in M is evicted with PutM, which takes the data home and is not acknowledged. If PutM crosses
//     an Inv, the Inv is answered without data, and the home, which knows that an L1 had the data,
//     waits for both.
//  4. Only GetS and GetM may wait. A bank keeps one request that it cannot serve yet and takes no
//     other meanwhile; every other message belongs to the request that is served, and is accepted
//     if there is room for the messages that it causes.
//  5. A block in M is written to memory, and the write acknowledged, before its frame is free. So a
//     read never overtakes it.
//
// # 3. Describe it (protocol.go)
//
// One coherence.Description has the names of everything, the classes of messages in order of
// dependence, the legal pairs of state and event of each controller, and what accepting a message
// may send. Taking a pair that is not legal panics. The type Protocol embeds controller.Chip, which
// answers most of coherence.Protocol.
//
// # 4. Write the controllers (cache.go, home.go)
//
// A controller is a pure state machine: Access, Accept or Continue in, messages and completions
// out, appended to coherence.Effects. It never waits: Accept does nothing and returns false if
// there is no room for what a message may cause. A waiting request is part of the state. Frames,
// misses, hits and the counts of transitions are those of coherence/controller, whose L1 performs
// accesses: the protocol's controller.Rules say how a miss starts and how a line is given up.
//
// # 5. Say how to check it (audit.go, snapshot.go, protocol.go)
//
// CheckBlock checks the laws of one block on all its copies and messages. Those of every home are
// in controller.Census: one writer or many readers, equal data, messages that are as described. The
// protocol's own are here: a home knows all readers. Snapshot writes and reads a controller's
// state, which is all that the explorer needs. Defects are mistakes that break one rule each; a
// check that misses one is too weak.
//
// # 6. Add the two rows
//
// A row in cmp.Protocols puts the protocol on the chip, with every network, and into the command
// line; a row in verify.Protocols has its explorations and random tests. From then on `carousel
// verify msi --self-test` visits every state of small chips, runs random accesses and programs and
// the litmus tests, and looks for each defect. Text scenarios, in testdata, tell each rule as a
// story.
//
// What this protocol leaves out, as exercises: an owner that keeps a readable copy (a downgrade),
// upgrades without data, a state for clean exclusive copies (E), and a queue of waiting requests.
// Package coherence/directory has all four.
package msi

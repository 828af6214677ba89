// Package controller holds the parts that the controllers of all coherence protocols share. It has
// no rules of a protocol.
//
// A [Chip] is what the controllers of a chip share: the protocol's description
// (coherence.Description), counts of the transitions that they have taken, the shapes of the
// caches, and the data that L1s read most often; a protocol embeds it, and so answers most of
// coherence.Protocol. An [Agent] is one controller's identity: it counts transitions and sends
// messages. [L1] is the [Frames] of a core's two arrays and its open misses: it performs accesses,
// and asks a protocol's [Rules] what a miss does. [Memory] is a whole memory controller, for
// protocols whose homes are the banks; a [Census] counts who has a block, for their audits.
//
// Laws:
//
//   - Every transition is counted, and one that is not legal panics with cycle, controller, block,
//     state and event.
//   - A message takes room when it is emitted, and is as long as its data says.
//   - A block is in at most one of the two arrays of an L1.
//   - Nothing allocates after construction, except tables of blocks, which grow with the footprint.
//
// There is no loop here: the controllers of a protocol call these parts from their Accept and
// Continue, which makes Took, Find and Emit some of the most frequent functions of a run.
//
// To add a protocol: describe it in one Description, embed a Chip in its type, an Agent in its
// controllers. Package coherence/msi is a worked example.
package controller

// Package timestamps makes memory timestamp records (Barr, Pan, Zhang and Asanovic, ISPASS 2005)
// and computes the contents of a chip's caches from them.
//
// A [Tracker] is shown every access of an execution, in order; its
// Record is what a window that begins there needs. [Select] gives the [Contents] of caches of some
// [Shape] from a record.
//
// Laws:
//
//   - For LRU caches of any power of two of sets and any number of ways up to the limit, the
//     contents equal those of a functional simulation of all accesses before the window. In it an
//     access puts its block first in a set of the core's L1 for data or for instructions, and
//     removes it from the core's other L1; a write removes it from all other L1s; the frame that it
//     leaves is the next to be filled. The shared L2 is touched by every access, and neither
//     notices what the L1s evict nor makes them evict anything.
//   - The record depends on nothing but the accesses and the limit.
//
// The loop is Access. Each L1 is a stack of blocks for each number of sets, in the order of last
// touches, with holes where a write of another core has removed a block. The next access to a block
// from below a hole fills the hole: then the first n places of a set are a cache of n ways, for
// every n (Thompson and Smith, 1989). These holes do not follow from the order of touches, so a
// record lists them as exceptions.
package timestamps

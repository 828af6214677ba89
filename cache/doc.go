// Package cache holds the state of caches that no protocol depends on: which block is in which
// frame, which frame is evicted next, and which misses are outstanding. It has no protocol, no time
// and no data.
//
// The types are: a [Config] is a shape; an [Array] maps blocks to frames, which its user takes as
// indices into an array of lines of its own; a [Policy] chooses which block a full set gives up; an
// [MSHRs] file holds the open misses and the accesses that wait for them; a [PresenceFilter] answers
// for many arrays at once what they surely do not hold.
//
// Laws:
//
//   - The package imports no other package of Carousel, and a block is a plain number.
//   - Nothing allocates after construction.
//   - A frame or slot keeps its number until it is released.
//
// The package has no loop. An access costs one Array.Find, unless the most recently used frame of its
// set (Array.MostRecent) or the filter (PresenceFilter.MayHold) already gives the answer.
//
// A replacement policy is a type in a file of its own and a row in the table of policy.go. To add one,
// see CONTRIBUTING.
package cache

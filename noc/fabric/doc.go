// Package fabric holds the parts that network engines share, and no policy.
//
// What packets are made of and where nodes put them: the arena of [Worms], the [Sources] and [Sinks] of the network
// interfaces, and [Contents] for engines that count flipped bits. What lets an engine skip what does not change: the
// [Wheel] on which idle routers sleep, and the [Calendar] of what is due further ahead. What routers have done:
// [Presence], the cycles in which something was there, and the [Counters] of routers that worms stretch over.
// For choices, configuration, checks and explanations: [RoundRobin], [CheckRange], [Invariants] and [Circle].
//
// Laws: nothing here knows a topology or a router. All structures use indices instead of pointers, grow to the load
// once, and then allocate no more; [Circle], which is for people, is the exception.
package fabric

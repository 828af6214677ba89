// Package fabric holds the parts that network engines share, and no policy: the [Wheel] on which idle
// routers sleep, the arena of [Worms], the [Sources] and [Sinks] of the network interfaces, and a
// round-robin pick.
//
// Nothing here knows a topology or a router. All structures use indices instead of pointers, grow to the
// load once, and then allocate no more.
package fabric

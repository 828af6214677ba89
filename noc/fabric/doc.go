// Package fabric holds the parts that network engines share, and no policy.
//
// The base of every network is [Interfaces]: clock, network interfaces and the loop, in
// [Interfaces.Step], which calls the [Engine]. It is made of the arena of [Packets] and of
// [Sources] and [Sinks]. Every form keeps what takes effect in the next cycles in a [Wheel]; a
// [Calendar] reaches thousands of cycles ahead, for start-ups and long worms. Plain forms take
// their queues from package noc/leaf/queue. [Presence] counts the cycles in which something was in
// a router. For choices there is package noc/fabric/arbiter; for configuration [CheckRange],
// [CheckMultiple], [CheckChoice] and [RuleText]; for checks [Invariants].
//
// To add an engine, embed Interfaces in its network and call [Interfaces.Drive];
// fabric_test.go has the smallest one.
//
// Laws: nothing here knows a topology or a router. All structures use indices instead of
// pointers, grow to the load once, and then allocate no more.
package fabric

// Package ideal is a network without contention. A packet takes the least latency that a router could
// give it; a program may take longer than on a router where its requests race more.
//
// [New] makes a [Network] of a [Config] on a grid, [NewWiring] elsewhere. Each copy of a packet travels alone:
//
//	Arrived - Offered = EndCycles + HopCycles*d + L
//
// for d links and L phits, d along the dimension-order path, or along that of the routing function
// of [NewWiring]. A link with a latency of its own adds it, less the one cycle that HopCycles
// holds. A narrow link adds a cycle for each further part of the first phit, and the narrowest for
// each of the others. The defaults, 4 and 4, are the least that any router of this project needs
// without load: a rotary router whose every crossing takes one ring segment has 4d + L + 4, an
// input-buffered one 5d + L + 5. The additional time of a real network is contention and the
// segments of its rings.
//
// Laws: nothing waits for a link, a buffer or a port, and a multicast reaches each destination as
// if it were the only one. Copies from one node to another arrive in the order of the cycles in
// which they were sent: a request cannot overtake the data ahead of it, as on one path of a real
// network. Otherwise a protocol would lose races here that it wins on every router. Packets for a
// bounded sink without a place wait, in order of arrival. Nodes send any number of packets at once.
//
// The loop is Network.Step: it jumps from one arrival of a header to the next.
package ideal

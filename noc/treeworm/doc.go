// Package treeworm models wormhole multistage networks whose switches replicate worms: asynchronous tree-based
// multicasting (ATBM) with the tokens of switch groups, and unicasts beside it (Varavithya and Mohapatra,
// sections 2, 4 and 5).
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it on a multistage network.
// Inside, a worm is a tree of positions: each position is a channel and the buffer behind it, and the leaves
// are consumption channels. A place is what headers queue for: a channel, the free ones of the channels up
// from a switch, the consumption channels of a node, or a token. What a node does before a worm sets out and
// when it has come is in package dispatch, whose Interfaces are a part of the Network, with the Planner that says by
// which worms a packet with several destinations travels: a worm with several stops branches; see [Tree].
//
// The rules, for a header that is ready in a switch in cycle t:
//
//	t        it asks for the output to each branch; where there are several and its switch belongs to a
//	         group, it first asks for the group's token, and for the outputs TokenHop*size/2 cycles after
//	         it has got it
//	g >= t   an output is free: the header crosses into that branch, whatever the others do
//	g+1+R    the header is ready in the next switch, R being its decision there
//
// Among those who ask for one place the oldest goes first, then the lowest switch, then the lowest input, or
// outputs serve inputs in turn (Config.Arbitration). What
// is given back in cycle t can be taken in cycle t+1: a channel when the tail has left the buffer behind it, a
// token as Config.Release says. Body flits follow one per cycle and branch into free slots; a flit leaves the
// buffer of a switch when it is in all branches, so that branches may run apart by one buffer, with bubbles
// in those that are ahead. A node begins a message when its injection port is free, and spends the startup.
//
// Why worms instead of flits: a channel carries one worm at a time, so nothing but the ways of its headers
// decides when each flit moves. tail.go gives the closed form; the cost of a run follows the channels that
// headers cross, whatever the length of messages. Package wormholeideal does the same for paths, on any wiring.
//
// What the paper leaves open, or has wrong, and what is done here:
//
//   - The time of a message is one flit more than strict pipelining gives, or the example of 2.12 us is not
//     met: HeaderPhits is 1. With more, a header of several flits, decisions begin with its first flit.
//   - A token of a group of one switch passes in no time (the example charges the turn alone), but it is
//     needed: two messages may branch in one switch.
//   - A token that travels round is served in order of requests after half a round, which is the mean.
//   - Counting forwarded flits never releases the token of a message that is shorter than the count; then the
//     arrival of all its headers does.
//   - A switch of the first stage of a bidirectional network has 2b inputs, so that with b consumption
//     channels per node worms may still wait for each other's there: four from above for all of a 4x4 switch's
//     nodes and one from each of these for the three others can hold and lack four channels of every node in
//     a circle. So messages that turn round in the first stage need a token of their switch (LocalTokens).
//     With it at most b+1 worms compete, and a circle would need as many nodes. The paper leaves the stage
//     without tokens; it says itself that there must be as many channels as inputs.
//
// Laws: a header's place depends on requests of earlier cycles and of this one, never on the order in which
// the engine looks at worms; a cycle without an event changes nothing and is skipped. With tokens no worms
// wait in a circle; without them [Network.Deadlock] finds the circle. A bounded sink is a place that a worm with
// several destinations holds while it waits for others: this engine is for clients that always take what
// comes.
//
// The loop is [Network.Step]; the phases of a cycle are in cycle, below it. To add a rule, put it into Config
// and mirror it in the flit-by-flit model of the tests.
package treeworm

// Package wormholeideal models wormhole networks as the papers on multicasting do: a message is a
// worm of flits that stretches over the channels from its tail to its head, one flit per channel
// and cycle, without router pipelines and without virtual channels. Worms follow paths and hand
// copies to the nodes they pass, on any wiring, or they are trees that the switches of multistage
// networks replicate: a path is a tree with one child.
//
// There are only a few types: a [Config] and the [Network] that [New] makes of it on any wiring,
// [NewGrid] on a mesh or torus, and [NewStages] of switches that replicate ([Tree]). Where a worm
// of paths goes next is in package routing. This is the plain form: every flit crosses by itself,
// and each rule stands in one place. Package wormholeideal/engine is the fast form, which moves
// no flits and gives the same results. What a node does before a worm sets out and when it has
// come is in package dispatch, whose Interfaces are part of the Network, with the Planner that
// says by which worms a packet with several destinations travels. Both forms are made of a [Setup],
// and a [Standing] explains what waits in them. A phit of package noc is a flit here.
//
// The rules:
//
//  1. A worm is a tree of positions: the memory of its node, then channels with the buffers behind
//     them, and the nodes at the ends. A node begins a message when an injection port is free,
//     spends the startup, and sends the worms of a round as ports fall free. Copies that it sends
//     to itself use a way of their own, one at a time.
//  2. A header that crosses a channel in cycle g is ready in the next router in cycle
//     g+1+RouteCycles.
//  3. A header that is ready asks for what is next: the injection channel, where there is one; the
//     ejection channel of a stop that is attached here, which a worm of paths gets before it goes
//     on; else the channel onwards. Where the routing leaves a choice (routing.Adaptive) it takes
//     the first permitted channel that is free. Ordered worms have no choice.
//  4. A header of a tree asks for the outputs to all its branches at once, and crosses into each
//     when it gets it. Where there are several and its switch belongs to a group, it first asks for
//     the group's token, which comes after TokenHop*size/2 cycles, or at once where the group is
//     one switch; with TokenTime once, all tokens but a worm's first come at once. Up to the stage
//     from which all destinations are below, it takes any port up.
//  5. A body flit crosses into a position in the cycle after the flit before it did, after it
//     crossed into the position before, and when there is a free place: flit i needs that flit i-B,
//     B the depth of the buffer, has crossed into all children CreditCycles before, or in the same
//     cycle. At a stop where a path goes on, each flit goes to the node and onwards in the same
//     cycle.
//  6. A channel belongs to one worm until its tail has left the buffer. In that cycle, or
//     CreditCycles later, the next header may cross; in networks of trees in the next cycle.
//     Ejection channels and injection ports are free in the next cycle.
//  7. Among those who ask for one place the oldest goes first, then the lowest input port, then the
//     lowest injection port; or outputs serve inputs in turn (Tree.Arbitration). Ejection channels
//     are given away first, to headers whose class has room in the sink. A header that crosses may
//     draw a tail out of a buffer far behind, whose channel is then free for the same cycle:
//     channels are given away in rounds, each of which sees what is free at its beginning.
//  8. Where routing leaves a choice, the headers of a router wait in one queue; those up from a
//     switch likewise.
//  9. A switch gives its token back when the headers below it have the ejection channels of all
//     their destinations, or when more flits have been forwarded than the buffers to the nodes hold
//     (Tree.Release). It can be given again in the next cycle.
//
// What the paper on trees (Varavithya and Mohapatra, sections 2, 4 and 5) leaves open, or has
// wrong, and what is done here:
//
//   - The time of a message is one flit more than strict pipelining gives, or the example of 2.12
//     us is not met: HeaderPhits is 1. With more, a header of several flits, decisions begin with
//     its first flit.
//   - A token of a group of one switch passes in no time (the example charges the turn alone), but
//     it is needed: two messages may branch in one switch.
//   - Whether a worm that branches at several stages waits for each token to come is not said; the
//     example has one token (Tree.TokenTime).
//   - A token that travels round is served in order of requests after half a round, which is the
//     mean.
//   - Counting forwarded flits never releases the token of a message that is shorter than the
//     count; then the arrival of all its headers does.
//   - A switch of the first stage of a bidirectional network has 2b inputs, so that with b ejection
//     channels per node worms may still wait for each other's there. So messages that turn round in
//     the first stage need a token of their switch (Tree.LocalTokens). The paper leaves the stage
//     without tokens.
//
// Laws: a header's place depends on requests of earlier cycles and of this one, never on the
// order in which worms are looked at. With label routing ([Labels]) no worms wait in a circle,
// neither unicasts nor label-ordered worms of any planner, and with tokens no trees do;
// [Network.Deadlock] finds the circle where the rule is broken. A worm with several stops holds
// places of bounded sinks while it waits for others, and all message classes share the channels:
// these networks are for clients that always take what comes.
//
// The phases of a cycle are in cycle. To add a routing, implement routing.Function; to add a
// scheme, implement dispatch.Planner: networks know worms, not schemes. To add a rule, write it
// here and into this package, with its parameter in Config; run any experiment with --plain; then
// teach the engine until its test of equality passes.
package wormholeideal

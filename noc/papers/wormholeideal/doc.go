// Package wormholeideal models wormhole networks as the papers on multicasting do: a message is a
// worm of flits that stretches over the channels from its tail to its head, one flit per channel
// and cycle, without router pipelines and without virtual channels. Worms follow paths and deliver
// copies to the nodes they pass, on any wiring, or they are trees that the switches of multistage
// networks replicate: a path is a tree with one child per position.
//
// A [Config] describes a network, and [New] builds it on any wiring: a grid, a network of switches
// that replicate ([Tree]), or any other. Package routing chooses the next channel of a worm that
// has no path of its own. Package dispatch holds what a node does before a worm starts and after it
// has arrived; its Planner chooses the worms of a packet with several destinations. A phit of
// package noc is a flit here.
//
// The rules, and where each is implemented:
//
//  1. A worm is a tree of positions: the memory of its node, then channels with the buffers behind
//     them, and the nodes at the ends. A node starts a message when an injection port is free,
//     waits for the startup, and sends the worms of a round as ports fall free. Copies that it
//     sends to itself have a port of their own, one copy at a time. (launch; dispatch.Serve)
//  2. A header that crosses a channel in cycle g is ready in the next router in cycle
//     g+1+RouteCycles. (cross)
//  3. A header that is ready requests the next channel: the injection channel, where there is one;
//     the ejection channel of a stop that is attached to this router, which a worm on a path gets
//     before it goes on; otherwise the channel onwards. With adaptive routing (routing.Adaptive) it
//     takes the first permitted channel that is free. (decide, askOnwards, permitted)
//  4. A header of a tree requests the outputs to all its branches at once, and crosses into each
//     when it gets it. If there are several and its switch belongs to a group, it first requests the
//     group's token. The token comes after TokenHop*size/2 cycles, or at once if the group is one
//     switch; with TokenTime once, all tokens of a worm but the first come at once. Up to the stage
//     from which all destinations are below, a header takes any port up. (split, branch, giveToken)
//  5. A body flit crosses into a position in the cycle after the flit before it did, after it
//     crossed into the position before, and when there is a free place: flit i needs that flit i-B,
//     B the depth of the buffer, has crossed into all children CreditCycles before, or in the same
//     cycle. At a stop where a path goes on, each flit goes to the node and onwards in the same
//     cycle. (follow, decideTails, ahead)
//  6. A channel belongs to one worm until its tail has left the buffer. The next header may cross
//     in that cycle, or CreditCycles later. Ejection channels and injection ports are free in the
//     next cycle. In networks of trees every channel is free in the next cycle. (leave, giveBack)
//  7. Of the headers that request one channel the oldest request goes first, then the lowest input
//     port, then the lowest injection port; or outputs serve inputs in turn (Tree.Arbitration).
//     Ejection channels are given away first, to headers whose class has room in the sink. A header
//     that crosses may let a tail far behind leave its buffer, whose channel is then free in the
//     same cycle. So channels are granted in rounds, and a round sees the channels that are free
//     when it starts. (ask, serve, next, give)
//  8. With adaptive routing the headers of a router wait in one queue; those that go up from a
//     switch do so as well. (newResources)
//  9. A switch gives its token back when the headers below it have the ejection channels of all
//     their destinations, or when more flits have been forwarded than the buffers to the nodes hold
//     (Tree.Release). The token can be given again in the next cycle. (headerArrives, countFlits)
//
// What the paper on trees (Varavithya and Mohapatra, sections 2, 4 and 5) leaves open or states
// wrongly, and what this package does:
//
//   - The paper's example of 2.12 us needs one flit more than strict pipelining gives, so
//     HeaderPhits is 1. A header of several flits decides with its first one.
//   - A token of a group of one switch passes in no time (the example charges the turn alone), but
//     it is needed: two messages may branch in one switch.
//   - Whether a worm that branches at several stages waits for each token to come is not said; the
//     example has one token (Tree.TokenTime).
//   - A travelling token is given in the order of requests, each time after half a round, which is
//     the mean.
//   - The count of forwarded flits never releases the token of a message that is shorter than the
//     count. There the arrival of all its headers releases it.
//   - A switch of the first stage of a bidirectional network has 2b inputs, so with b ejection
//     channels per node worms may still wait for each other's ejection channels there. So messages
//     that turn round in the first stage need a token of their switch (locals). The paper leaves
//     the stage without tokens.
//   - The grouping algorithm is said to hold for all topologies. It holds for the unidirectional
//     butterfly, where the destinations behind one output do not follow each other by number
//     (topology.Multistage.Compare): a header that asked twice for an output would wait for itself.
//
// Laws: a header's progress depends on requests of earlier cycles and of this one, never on the
// order in which worms are visited. With label routing ([Labels]) no worms wait in a cycle: neither
// unicasts nor label-ordered worms of any planner. With tokens, trees do not either.
// [Network.Deadlock] finds the cycle if the rule is broken. A worm with several stops holds places
// of bounded sinks while it waits for others, and all message classes share the channels: these
// networks are for clients that always accept deliveries.
//
// The network is event-driven. A channel carries one worm at a time, so that the crossings of
// headers decide when all flits behind them cross (flits.go): only headers, tails and what falls
// free are events, and a cycle without one is skipped. The phases of a cycle are in cycle. With
// Config.EveryCycle all queues are visited in every cycle, for tests: the results are the same.
// Tests also move every flit by the words of rule 5 (oracle_test.go).
//
// To add a routing, implement routing.Function; to add a scheme, implement dispatch.Planner:
// networks know worms, not schemes. To add a rule, state it here with the function that
// implements it, give it a parameter in Config, and teach the oracle.
package wormholeideal

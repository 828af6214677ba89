// Package multicast plans how one message reaches many nodes.
//
// A [Request] names a source and its destinations. A [Plan] is a forest
// of worms: each [Worm] carries one copy along a path or a tree of routers, and starts at once or
// when another worm has reached its sender. A [Scheme] makes a plan for a request on a [Network],
// which is a topology with what schemes derive from it once: labels along a Hamiltonian path
// ([Labelled]), a spanning tree, switch groups. A [Measure] and the times of [Plan.Arrivals] size a
// plan without simulating it; [Timing] holds the latency model of each paper. A [Description] is
// all of that together, and package drawing makes a picture of it.
//
// Laws:
//
//   - A plan serves each destination exactly once and no other node, along channels that exist, and
//     sends nothing before it was received: [Plan.Check].
//   - Engines know worms, not schemes; schemes know wiring, not engines.
//   - Everything is decided with integers and exact fractions. Ties go to the smaller number: node,
//     port or dimension. The same request always gives the same plan.
//   - Repeated destinations count once, and a source among its destinations is served by itself: it
//     costs the network nothing. A request without destinations has an empty plan.
//
// The schemes, where they come from, and where they are:
//
//	unicast              one message each                             software.go
//	tree                 dimension-ordered tree, routers replicate    treeworm.go
//	dual-path, multi-path, column-path                                paths.go
//	ocms, otms           optimal stars (Bouchitté, Cohen, Fleury)     star.go
//	qg                   Qualified Groups (Al-Dubai and others)       groups.go qg.go
//	atbm                 tree worms with tokens (Varavithya, Mohapatra) treeworm.go
//	umin, cmin           recursive doubling in multistage networks    software.go
//	postorder-doubling   the same over up*/down* routing              software.go
//	random-doubling      the same in an arbitrary order, as a control software.go
//
// Where a paper is ambiguous or wrong, the comment at the place says what was chosen and why; what
// a user may want otherwise is a field of [Options].
//
// Which traffic may share channels: label-ordered worms with label-routed unicasts; column-path
// worms with dimension-ordered unicasts. Label-ordered worms and dimension-ordered unicasts
// together can deadlock on meshes of 4x4 and more, and so can trees without tokens: tests of package
// wormholeideal show it.
//
// To add a scheme: write a function from a request to a plan in a file of its own, with the section
// or equation it follows, and add one line to [Schemes]; `carousel multicast plan` and `carousel
// list` pick it up. Test it with Plan.Check on random requests and, where it claims to be optimal,
// against brute force.
package multicast

// Package noc defines the interface between an interconnection network and its clients.
//
// A [Network] carries each [Packet] to every member of its destination [NodeSet] and reports one
// [Delivery] per member; [Activity] and [Link] count what the routers did, so that package power
// can compute energy; [Stuck] explains what a packet waits for.
//
// Laws:
//
//   - The contract imports only the standard library, and no client imports an engine: coherence
//     controllers, synthetic sources and foreign simulators see only this package. Routers live in
//     the packages below this one and are assembled by noc/models. One package of analysis looks
//     into wormhole channels and imports them; a test names it.
//   - Every destination of every accepted packet gets exactly one delivery.
//   - Results do not depend on the order in which different nodes call Offer within a cycle, on the
//     order in which a model visits its routers, or on whether it skips cycles in which nothing can
//     change.
//   - Packets may overtake each other; a client that needs an order numbers them.
//   - A saturated network goes on delivering packets of every class, unless rules that it needs for
//     that are switched off.
//   - Nothing is allocated per cycle once the model has warmed up.
//
// The conformance suite in noc/noctest holds every model to these laws.
//
// Virtual cut-through networks do not move phits one by one: a granted packet streams without a
// stall, so an engine keeps, per packet copy (a worm), when its header arrived and when its tail
// leaves. What will take effect in the next cycles waits on a wheel (noc/fabric), and cycles in
// which nothing can change are skipped. The loop is in noc/fabric, too: Interfaces.Step.
//
// A router is a package below this one: its rules, numbered, are the package documentation, and its
// plain form, if it has one, moves phit by phit. A package called engine below it may have a fast
// form with the same results.
//
// What only single papers need is in the packages of noc/papers: no other package of noc imports them,
// except noc/models.
//
// To add a network: write one package below noc with a Config and a New function, embed the
// interfaces of noc/fabric, which bring the clock, the nodes and the loop, pass noctest, and add
// one row to the table in noc/models. A router of another module passes the same suite and joins
// the same table; see noc/models. A network of another language is a program (noc/program).
package noc

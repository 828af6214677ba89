package program

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Wiring returns the routers and links of the network, and the router of each node. It has no links if
// the program does not tell them.
func (n *Network) Wiring() *topology.Wiring { return n.wires }

// Scheme says how a packet with several destinations is served: as copies from its source, or by the
// program.
func (n *Network) Scheme() string {
	if n.shape.has(takesSets) {
		return "program"
	}
	return "unicast"
}

// FiniteSinks reports whether a packet whose sink has room is delivered while sinks of lower classes stay
// full.
func (n *Network) FiniteSinks() bool {
	return !n.shape.has(heedsRoom) || n.shape.has(keepsClassesApart)
}

// Totals are running sums over the whole network. Without links, PhitHops is what packets say when
// they arrive.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.hops, n.taken-n.eaten
	if links := n.count()[:n.shape.links]; len(links) > 0 {
		t.PhitHops = 0
		for _, phits := range links {
			t.PhitHops += phits
		}
	}
	return t
}

// count returns the counters of the program: those of links, and then those of routers.
func (n *Network) count() []uint64 {
	want := int(n.shape.links)
	if n.shape.has(countsEvents) {
		want += events * int(n.shape.routers)
	}
	n.sums = append(n.sums, make([]uint64, want-len(n.sums))...)
	if want == 0 || n.summed == n.far.calls || n.far.ended { // a point that has failed is still described
		return n.sums
	}
	n.far.begin(countTag)
	body, err := n.far.ask("count", sumsTag)
	if err == nil && len(body) != 8*want {
		err = fmt.Errorf("its answer %s has %d bytes; %d counters have %d", sumsTag, len(body), want, 8*want)
	}
	if err != nil {
		n.fail(err)
	}
	n.summed = n.far.calls
	b := numbers(body)
	for i, before := range n.sums {
		if n.sums[i] = b.next64(); n.sums[i] < before || n.sums[i] > uint64(n.Clock+1)<<20 {
			n.failf("its counter %d in %s went from %d to %d; counters grow, by less than 2^20 in a cycle", i, sumsTag, before, n.sums[i])
		}
	}
	return n.sums
}

// Activity appends what is known of every router: packets of its nodes, links, and what the program
// counts. Without its own counters a router is idle when the whole network is empty.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	first, sums := len(into), n.count()
	for range n.shape.routers {
		into = append(into, noc.Activity{Cycles: uint64(n.Clock), IdleCycles: uint64(n.idle)})
	}
	routers := into[first:]
	for node := range n.inject {
		routers[n.wires.Entry[node].Router].InjectPhits += n.inject[node]
		routers[n.wires.Exit[node].Router].EjectPhits += n.eject[node]
	}
	for i := range n.shape.channels {
		routers[n.wires.Channels[i].From].LinkPhits += sums[i]
	}
	if n.shape.has(countsEvents) {
		for r := range routers {
			addEvents(&routers[r], sums[len(n.shape.channels)+events*r:])
		}
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	sums := n.count()
	for i, c := range n.wires.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: sums[i]})
	}
	return into
}

// Hardware is what the program says of one router.
func (n *Network) Hardware() noc.Hardware {
	s := n.shape
	h := noc.Hardware{Ports: cmp.Or(int(s.ports), n.wires.Ports()), PhitBits: int(s.phitBits), VirtualChannels: int(s.virtualChannels),
		Crossbar: s.crossbar != 0, Uncounted: !s.has(countsEvents)}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = int(s.buffers), int(s.depth)
	if s.has(takesSets) {
		h.DestinationBits = n.Nodes()
	}
	return h
}

// Explain lists the packets that the program has or is offered, with what it says of them, and those that
// wait for a sink outside.
func (n *Network) Explain() (all []noc.Stuck) {
	what := "what " + n.far.name + " does not tell"
	if n.shape.explains {
		if text := n.text(explainTag, "explain"); text != "" {
			what = n.far.name + " says: " + text
		}
	}
	for i := range n.known {
		e := &n.known[i]
		var s noc.Stuck
		switch e.state {
		case offered:
			s = n.Sources.Stuck(e.src, e.class)
			s.Holds = "the head of its source queue"
		case inside:
			s = n.Stuck(e.packet)
			s.Since, s.Holds = n.Packets.At(e.packet).Injected(), "a place inside "+n.far.name
		default:
			continue
		}
		s.At, s.Waits = e.src, what
		s.For, _ = s.Dst.Next(0)
		if !n.Sinks.Room(s.For, s.Class) {
			s.Waits = fmt.Sprintf("sink %d: no free place", s.Class)
		}
		all = append(all, s)
	}
	for i := range n.waits {
		for _, w := range n.waits[i].All() {
			all = append(all, noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: noc.SetOf(n.Nodes(), w.At), At: w.At, For: w.At,
				Holds: "the interface of the node", Waits: fmt.Sprintf("sink %d: no free place", w.Class), Since: w.Arrived})
		}
	}
	return all
}

// text asks the program for a text.
func (n *Network) text(tag, call string) string {
	if n.far.ended {
		return ""
	}
	n.far.begin(tag)
	body, err := n.far.ask(call, textTag)
	if err != nil {
		n.fail(err)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(body), "?"))
}

// CheckInvariants reports destinations lost or doubled, and what the program finds.
func (n *Network) CheckInvariants() error {
	if got := n.Packets.Destinations() + n.waiting; got != n.Owed() {
		return fmt.Errorf("program %s: cycle %d: packets have %d destinations, %d are owed", n.far.name, n.Clock, got, n.Owed())
	}
	if n.shape.checks {
		if text := n.text(checkTag, "check"); text != "" {
			return n.failure(fmt.Errorf("its check says: %s", text))
		}
	}
	return nil
}

// addEvents adds what the program has counted in a router, in the order of SUMS.
func addEvents(a *noc.Activity, sums []uint64) {
	for i, to := range [events - 1]*uint64{&a.BufferWrites[noc.VirtualChannel], &a.BufferReads[noc.VirtualChannel], &a.Crossbar,
		&a.ArbRequests[noc.SwitchOutput], &a.ArbGrants[noc.SwitchOutput], &a.RouteLookups, &a.Replications} {
		*to = sums[i]
	}
	a.IdleCycles = a.Cycles - min(sums[events-1], a.Cycles)
}

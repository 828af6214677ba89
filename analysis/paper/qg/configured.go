package qg

import (
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// configured examines the usual configuration, the network that it makes, and the plans. That
// network takes one message at a time, so that arrivals are counted in another with the options o.
func configured(c messages.Config, o models.Options) claim.Finding {
	o.Grid = *claim.Must(topology.Open(c.Topology)).Grid
	node := noc.NodeID(o.Grid.Radix[0] + 1) // of the second row and column
	var around []noc.NodeID
	for n := range noc.NodeID(o.Grid.Nodes()) {
		if o.Grid.Distance(node, n) == 1 {
			around = append(around, n)
		}
	}
	idle := claim.Must(messages.NewIdle(c))
	sent := claim.Must(idle.Send(multicast.Request{Source: node, Destinations: []noc.NodeID{node + 1}}))
	c.Scheme = "unicast" // worms of their own, as many at once as there are channels
	idle = claim.Must(messages.NewIdle(c))
	out := first(slices.Collect(maps.Values(claim.Must(idle.Send(multicast.Request{Source: node, Destinations: around})).Arrivals)))
	leave, arrive := atOnce(o, node, around)
	wrong := planned(Fig10(), Fig12(), Fig14(), Fig15(), Fig17(), Fig19())
	holds := c.BufferFlits == 1 && c.Startup == 33 && out == 4 && leave == 4 && arrive == 4 && sent.Latency == 33+1+64 && len(wrong) == 0
	return claim.Fact(holds, float64(sent.Latency), fmt.Sprintf("buffers of %d flit, startup %d, %d worms leave an inner node at once and %d arrive, %d cycles over one channel; plans that differ: %v",
		c.BufferFlits, c.Startup, min(out, leave), arrive, sent.Latency, wrong))
}

// atOnce counts the worms of those between an inner node and its neighbours that leave it, and those
// that arrive at it, at the same time.
func atOnce(o models.Options, node noc.NodeID, around []noc.NodeID) (leave, arrive int) {
	model := claim.Must(models.Lookup("wormhole-ideal"))
	times := func(offer func(noc.Network)) (list []int64) {
		n := claim.Must(model.Build(o))
		for offer(n); n.InFlight() > 0; {
			n.Step(1 << 20)
			for _, d := range n.Deliveries() {
				list = append(list, int64(d.Arrived))
			}
		}
		return list
	}
	leave = first(times(func(n noc.Network) { n.Offer(noc.Packet{Src: node, Dst: noc.SetOf(n.Nodes(), around...), Phits: 64}) }))
	arrive = first(times(func(n noc.Network) {
		for _, from := range around {
			n.Offer(noc.Packet{Src: from, Dst: noc.SetOf(n.Nodes(), node), Phits: 64})
		}
	}))
	return leave, arrive
}

// first counts the earliest of some times.
func first(times []int64) (n int) {
	for _, t := range times {
		if t == slices.Min(times) {
			n++
		}
	}
	return n
}

// planned lists what plans of entries set otherwise than the paper says.
func planned(entries ...claim.Entry) (wrong []string) {
	for _, e := range entries {
		p := claim.Must(e.ParsePlan(false))
		arrivals := messages.Default().Arrivals
		for _, s := range p.Set {
			switch s.Key {
			case "buffer_flits", "startup":
				wrong = append(wrong, fmt.Sprintf("%s sets %s", e.Plan, s.Key))
			case "arrivals":
				arrivals = fmt.Sprint(s.Value)
			}
		}
		if underLoad := len(e.Charts) > 0 && e.Charts[0].X == "offered"; underLoad != (arrivals == messages.Exponential) {
			wrong = append(wrong, fmt.Sprintf("%s has arrivals %s", e.Plan, arrivals))
		}
	}
	return wrong
}

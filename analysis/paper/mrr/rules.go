package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// Rules returns the entry of figures 3 to 5, sections 3 and 5.1: rules and storage of the rotary
// routers.
func Rules() claim.Entry {
	e := claim.Entry{
		ID: "mrr.rules", Paper: MRR, Figure: "figures 3 to 5, sections 3 and 5.1", Title: "Rules and storage of the rotary routers",
		Claims: []claim.Claim{
			{
				ID: "S2-08", Text: "In an empty network, a packet whose destinations are two behind one port and one behind the next leaves a replica for the two at the first and goes on for the third.",
				Conditions: "3x3 mesh, MRR, one multicast of 5 phits from node 0 to {3,6} behind one port and {1} behind the other; " +
					"the figure's {4,5} and {6} can all leave by one port on a grid that is numbered by rows",
				Printed: "one replica with the two, then the original with the third", Rules: usual,
				Criterion: "two copies leave router 0, through the two ports, one replica is made there and none elsewhere but for consumption, and each destination is reached over a shortest path; measured value: copies that leave router 0",
				Judge:     func(*chart.Data) claim.Finding { return figure4("mrr") },
			},
			{
				ID: "S2-09", Text: "A copy takes the destinations that its port reaches over a shortest path, and the rest stays; unicasts follow the same algorithm.",
				Conditions: "8x8 torus, MRR, empty network, multicasts of 2 to 63 destinations from every node", Printed: "exact", Rules: usual,
				Criterion: "every destination gets one copy, over as many links as it is away; unicast traffic is the same in RR and MRR; measured value: multicasts examined",
				Judge:     func(*chart.Data) claim.Finding { return shortestTrees("mrr") },
			},
			{
				ID: "S2-12", Text: "A router holds 300 phits, less than 5 KB, 1.8 % of the L2 cache at it.", Conditions: "default routers, 16-byte phits, four banks of 64 KB per router",
				Printed:   "300 phits; < 5 KB; 1.8 %",
				Criterion: "storage of all four routers is 300 phits, below 5 KB, and 1.8 % of 256 KB when rounded; measured value: phits of MRR",
				Cause:     "10 segments of 20 phits, 5 output stages of 20 and 5 input stages of 10, which the paper prints too and the routers have, are 350 and not 300",
				Judge:     func(*chart.Data) claim.Finding { return storage() },
			},
		},
	}
	for _, rules := range []string{usual, "paper"} {
		for _, load := range []float64{1, nearKnee} {
			e.Claims = append(e.Claims, ringClaim(rules, load))
		}
	}
	return e
}

// nearKnee is the load near the knee of MRR with one broadcast in ten messages, of which nodes can
// consume one phit per cycle at a load of 0.139.
const nearKnee = 0.12

// ringClaim is the claim about the rules of a rule set at a load.
func ringClaim(rules string, load float64) claim.Claim {
	id := "S2-10"
	if load != 1 {
		id += " knee"
	}
	if load != 1 || rules != usual {
		id += " " + rules
	}
	return claim.Claim{
		ID: id, Text: "Entering a ring takes room for two packets, injecting for three, replicating for two in the output stage; packets may misroute after some turns; nothing deadlocks.",
		Conditions: fmt.Sprintf("MRR, 8x8 torus, transpose, 10 %% broadcasts, offered load %g, 30,000 cycles", load), Printed: "2; 3; 2", Rules: rules,
		Criterion: "the three parameters, a finite misrouting limit, and deliveries in each sixth of the run that are more than half of the mean sixth; measured value: least share of deliveries of a sixth",
		Judge:     func(*chart.Data) claim.Finding { return ringRules(optionsOf(rules), load) },
	}
}

// build makes a network of a model.
func build(model string, grid topology.Grid, o models.Options) noc.Network {
	o.Grid = grid
	return claim.Must(claim.Must(models.Lookup(model)).Build(o))
}

// optionsOf returns the usual options with a rule set for rotary routers.
func optionsOf(rules string) models.Options {
	o := models.DefaultOptions()
	for _, s := range models.RuleSets() {
		if string(s.Name) == rules {
			o.Rotary = o.Rotary.WithRules(s.Name)
		}
	}
	return o
}

// send offers one packet to an empty network and gives its deliveries.
func send(n noc.Network, src noc.NodeID, dst noc.NodeSet) (list []noc.Delivery) {
	n.Offer(noc.Packet{Src: src, Dst: dst, Phits: 5})
	for limit := n.Now() + 10_000; n.InFlight() > 0 && n.Now() < limit; {
		n.Step(limit)
		list = append(list, n.Deliveries()...)
	}
	return list
}

func figure4(model string) claim.Finding {
	grid := topology.Mesh(3, 3)
	n := build(model, grid, optionsOf(usual))
	list := send(n, 0, noc.SetOf(9, 1, 3, 6))
	leaving, text, whole := 0, "", uint64(0)
	for _, l := range n.Links(nil) {
		whole += l.Phits
		if l.From == 0 && l.Phits > 0 {
			leaving += int(l.Phits) / 5
			text += fmt.Sprintf("%d phits to router %d, ", l.Phits, l.To)
		}
	}
	replicas := n.Activity(nil)[0].Replications
	shortest := len(list) == 3
	for _, d := range list {
		shortest = shortest && int(d.Hops) == grid.Distance(0, d.At)
	}
	// The replica for two destinations crosses two links, the original one: 15 phits in all.
	return claim.Fact(leaving == 2 && replicas == 1 && shortest && whole == 15, float64(leaving),
		fmt.Sprintf("%s%d replications in router 0, %d deliveries, all over shortest paths: %v", text, replicas, len(list), shortest))
}

func shortestTrees(model string) claim.Finding {
	grid := topology.Torus(8, 8)
	n := build(model, grid, optionsOf(usual))
	examined, wrong := 0, 0
	for src := range noc.NodeID(64) {
		for step := noc.NodeID(1); step < 33; step += 6 {
			set := noc.NewNodeSet(64)
			for at := step; at < 64; at += step {
				set.Add((src + at) % 64)
			}
			seen := noc.NewNodeSet(64)
			for _, d := range send(n, src, set) {
				if seen.Has(d.At) || !set.Has(d.At) || int(d.Hops) != grid.Distance(src, d.At) {
					wrong++
				}
				seen.Add(d.At)
			}
			if seen.Count() != set.Count() {
				wrong++
			}
			examined++
		}
	}
	same := sameUnicasts(grid)
	return claim.Fact(wrong == 0 && same, float64(examined), fmt.Sprintf("%d multicasts, %d wrong; RR and MRR deliver unicasts alike: %v", examined, wrong, same))
}

// sameUnicasts compares all deliveries of RR and MRR under unicast traffic.
func sameUnicasts(grid topology.Grid) bool {
	var digests [2]uint64
	for i, model := range []string{"rr", "mrr"} {
		d := drive(model, grid, optionsOf(usual), traffic.Default())
		d.Run(5000)
		digests[i] = d.Window().Digest
	}
	return digests[0] == digests[1]
}

// drive connects traffic to a network.
func drive(model string, grid topology.Grid, o models.Options, c traffic.Config) *traffic.Driver {
	n := build(model, grid, o)
	m := claim.Must(models.Lookup(model))
	return claim.Must(traffic.New(n, grid, c, traffic.Interface{QueuePackets: models.DefaultOptions().Rotary.SourceQueue, SeparateCopies: m.Scheme == "unicast"}))
}

// ringRules looks for a stop under some options, and at the rules in them.
func ringRules(o models.Options, load float64) claim.Finding {
	c := traffic.Default()
	c.Load, c.Pattern, c.MulticastFraction = load, "transpose", 0.1
	d := drive("mrr", topology.Torus(8, 8), o, c)
	const parts = 6
	least, before, whole := 1.0, uint64(0), uint64(0)
	var shares [parts]uint64
	for i := range parts {
		d.Run(noc.Cycle(5_000 * (i + 1)))
		now := d.Network().Totals().Delivered
		shares[i], before, whole = now-before, now, now
	}
	for _, s := range shares {
		least = min(least, float64(s)/max(1, float64(whole)))
	}
	r := o.Rotary
	printed := r.EnterSlots == 2 && r.InjectSlots == 3 && r.ReplicateSlots == 2 && r.Misroutes()
	return claim.Fact(printed && least > 0.5/parts, least, fmt.Sprintf("enter %d, inject %d, replicate %d, misroute after %d segments; least share of a sixth of the run %.3f; %.3f phits delivered per node and cycle",
		r.EnterSlots, r.InjectSlots, r.ReplicateSlots, r.MissLimit, least, float64(whole)*float64(c.PacketPhits)/64/float64(d.Network().Now())))
}

func storage() claim.Finding {
	const cacheBytes = 4 * 64 << 10
	holds, mrr, text := true, 0, ""
	for _, model := range []string{"base", "base-mc", "rr", "mrr"} {
		n := build(model, topology.Torus(8, 8), optionsOf(usual))
		h := n.Hardware()
		phits := h.StoragePhits()
		bytes := phits * h.PhitBits / 8
		share := 100 * float64(bytes) / cacheBytes
		holds = holds && phits == 300 && bytes < 5<<10 && share > 1.75 && share < 1.85
		text += fmt.Sprintf("%s %d phits, %.2f KB, %.2f %%", model, phits, float64(bytes)/1024, share)
		if rest := power.StorageOf(h).WithoutInputStages; rest < phits {
			text += fmt.Sprintf(" (%d phits without its input stages)", rest)
		}
		text += "; "
		mrr = phits
	}
	f := claim.Fact(holds, float64(mrr), text+"energy charges the 350")
	f.Reason = fmt.Sprintf("MRR holds %d phits", mrr)
	return f
}

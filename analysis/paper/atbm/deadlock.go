package atbm

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/multicast/deadlock"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

func atbmDeadlockClaims() []claim.Claim {
	return []claim.Claim{
		{ID: "S0-07", Text: "Two multicasts that branch in one switch, or in two switches of a stage, can deadlock.", Conditions: "UNI 4 nodes 2x2 and UNI 8 nodes 2x2, long messages; and random messages at saturation in the engine, without tokens",
			Printed: "possible", Criterion: "the search of all orders reaches a deadlock in both cases, and the engine stops with a circle of waiting worms; measured value: worms in the circle", Judge: func(*chart.Data) claim.Finding { return deadlocksOccur(false) }},
		{ID: "S0-47", Text: "With b consumption channels the last stage cannot be involved in a deadlock.", Conditions: "BI 9 nodes 3x3, three consumption channels, outputs serving inputs in turn, tokens at all other stages: six messages that end in one switch of the last stage, three from above to all of its nodes and one from each node to the two others",
			Printed: "cannot", Criterion: "the engine delivers them all, whatever the cycles between them; with tokens for this stage too it does; measured value: worms that wait in a circle", Judge: func(*chart.Data) claim.Finding {
				f, safe := lastStage(false), lastStage(true)
				f.Detail += "; with tokens of its own for the stage: " + safe.Detail
				return f
			}},
		{ID: "S0-08", Text: "Without tokens b^j virtual channels at stage j are needed, as in a network dilated N times.", Conditions: "UNI, b 2, 3, 4, 8, up to 64 nodes; every channel into stage j, and consumption channels as j = n", Printed: "b^j",
			Criterion: "exactly b^j nodes can reach each channel into stage j, so that as many let nobody wait; and those nodes share b^j such channels, on which with one virtual channel less broadcasts can each lack another one; measured value: channels examined",
			Judge: func(*chart.Data) claim.Finding {
				return dilation(raised, uni(2, 2), uni(2, 3), uni(2, 6), uni(3, 3), uni(4, 3), uni(8, 2))
			}},
		{ID: "S0-09", Text: "Branches in different groups never deadlock together.", Conditions: "UNI and BI, 4 to 9 nodes, 300 random sets of two or three messages with tokens, all orders; and 4,000 random messages at saturation in each of four networks",
			Printed: "never", Criterion: "no deadlock is reached; measured value: sets that were searched", Judge: func(*chart.Data) claim.Finding { return tokensPrevent(true) }},
		{ID: "S0-16", Text: "Once more than B(n-j) flits have been forwarded from stage j, the headers have arrived at their destinations.", Conditions: "UNI and BI, messages of 200 flits, buffers of 1 and 4 flits, random messages at saturation; on the way down of a BI network B(j+1)",
			Printed: "argued", Criterion: "no token whose count was reached before its headers had arrived; measured value: tokens released by the count. A message of at most B(n-j) flits never reaches it",
			Judge: func(*chart.Data) claim.Finding { return countingFlits(wormholeideal.Flits) }},
	}
}

// saturated sends random messages as fast as a network takes them, until all have arrived or it
// stops.
func saturated(m topology.Multistage, c wormholeideal.Config, messages, longest int) (models.Worms, []noc.Stuck) {
	c.MaxPhits, c.Startup, c.RouteCycles = longest, 0, 0
	n := claim.Must(models.NewWormsOnStages(m, c, wormholeideal.TreePlanner{}, false))
	random := claim.NewRandoms(uint64(30 + m.Nodes()))
	last, moved := 0, noc.Cycle(0)
	for sent := 0; n.InFlight() > 0 || sent < messages; {
		for node := range noc.NodeID(m.Nodes()) {
			for sent < messages {
				to := noc.NewNodeSet(m.Nodes())
				for range 1 + random.IntN(m.Nodes()) {
					to.Add(noc.NodeID(random.IntN(m.Nodes())))
				}
				if !n.Offer(noc.Packet{Src: node, Dst: to, Tag: noc.Tag(sent), Phits: uint16(1 + longest/2 + random.IntN(longest/2))}) {
					break
				}
				sent++
			}
		}
		n.Step(n.Now() + 4096)
		if n.Deliveries(); n.InFlight() != last {
			last, moved = n.InFlight(), n.Now()
		} else if n.Now()-moved > 50_000 {
			return n, n.Deadlock()
		}
	}
	return n, nil
}

// deadlocksOccur looks for deadlocks, with tokens or without.
func deadlocksOccur(tokens bool) claim.Finding {
	found := 0
	for _, k := range []struct {
		m        topology.Multistage
		messages []multicast.Request
	}{
		{uni(2, 2), []multicast.Request{{Source: 0, Destinations: []noc.NodeID{1, 3}}, {Source: 1, Destinations: []noc.NodeID{0, 2}}}},             // one switch
		{uni(2, 3), []multicast.Request{{Source: 6, Destinations: []noc.NodeID{0, 1, 2, 7}}, {Source: 3, Destinations: []noc.NodeID{1, 2, 4, 6}}}}, // two of the first stage
	} {
		r := claim.Must(deadlock.Search{Network: k.m, Consumption: 1, Tokens: tokens}.Run(k.messages))
		if r.Deadlock {
			found++
		}
	}
	c := wormholeideal.DefaultTree()
	c.Tree.Tokens, c.Tree.Arbitration, c.BufferPhits = tokens, wormholeideal.RoundRobin, 1
	_, circle := saturated(uni(2, 3), c, 4000, 64)
	text := fmt.Sprintf("%d of 2 searches reach a deadlock; in the engine %d worms wait in a circle", found, len(circle))
	for _, s := range circle[:min(len(circle), 3)] {
		text += fmt.Sprintf("; a message of node %d at switch %d holds %s and waits for %s", s.Src, s.At, s.Holds, s.Waits)
	}
	return claim.Fact(found == 2 && len(circle) > 1, float64(len(circle)), text)
}

// dilation counts, for each channel, the nodes that can send a message over it, and the channels
// into the same stage that all these nodes reach. Both are to be as many as channels says for the
// ports of a switch and a stage.
func dilation(channels func(b, j int) int, networks ...topology.Multistage) claim.Finding {
	examined, wrong := 0, 0
	for _, m := range networks {
		w := m.Wiring()
		// Channels into stage j are named by the switch and output before; into the nodes likewise.
		reach := make([]map[[2]int]map[noc.NodeID]bool, m.Stages+1)
		for j := range reach {
			reach[j] = map[[2]int]map[noc.NodeID]bool{}
		}
		for s := range noc.NodeID(m.Nodes()) {
			at := []noc.NodeID{w.Entry[s].Router}
			for j := range m.Stages {
				next := map[noc.NodeID]bool{}
				for _, router := range at {
					for out := range m.Arity {
						c := [2]int{int(router), out}
						if reach[j+1][c] == nil {
							reach[j+1][c] = map[noc.NodeID]bool{}
						}
						reach[j+1][c][s] = true
						if to, _, ok := m.Step(router, out); ok {
							next[to] = true
						}
					}
				}
				at = at[:0]
				for router := range noc.NodeID(w.Routers) {
					if next[router] {
						at = append(at, router)
					}
				}
			}
		}
		for j := 1; j <= m.Stages; j++ {
			need := channels(m.Arity, j)
			for _, sources := range reach[j] {
				examined++
				if len(sources) != need || shared(reach[j], sources) < need {
					wrong++
				}
			}
		}
	}
	return claim.Fact(wrong == 0, float64(examined), fmt.Sprintf("%d differ", wrong))
}

// shared is the number of channels that all of some nodes can reach.
func shared(reach map[[2]int]map[noc.NodeID]bool, sources map[noc.NodeID]bool) (count int) {
	for _, others := range reach {
		all := true
		for s := range sources {
			all = all && others[s]
		}
		if all {
			count++
		}
	}
	return count
}

// tokensPrevent looks for deadlocks of many messages, with tokens or without.
func tokensPrevent(tokens bool) claim.Finding {
	random := claim.NewRandoms(31)
	searched, deadlocks, large := 0, 0, 0
	for _, m := range []topology.Multistage{uni(2, 2), uni(2, 3), uni(3, 2), bi(2, 2), bi(2, 3), bi(3, 2)} {
		for range 50 {
			var messages []multicast.Request
			for range 2 + random.IntN(2) {
				messages = append(messages, random.Request(m.Nodes(), 1+random.IntN(min(4, m.Nodes()-1))))
			}
			r, err := deadlock.Search{Network: m, Consumption: 1, Tokens: tokens, Limit: 50_000}.Run(messages)
			if err != nil {
				large++
				continue
			}
			searched++
			if r.Deadlock {
				deadlocks++
			}
		}
	}
	text := fmt.Sprintf("%d deadlocks in %d sets, %d too large", deadlocks, searched, large)
	for _, m := range []topology.Multistage{uni(2, 3), bi(2, 3), uni(4, 2), bi(4, 2)} {
		c := wormholeideal.DefaultTree()
		c.Tree.Tokens, c.Tree.Arbitration, c.BufferPhits = tokens, wormholeideal.RoundRobin, 1
		n, circle := saturated(m, c, 4000, 32)
		if len(circle) > 0 || n.InFlight() > 0 {
			deadlocks++
		}
		text += fmt.Sprintf("; %s: %d copies delivered", m, n.Totals().Delivered)
	}
	return claim.Fact(deadlocks == 0 && searched > 200, float64(searched), text)
}

// countingFlits counts the tokens that a rule of release gives back before headers have arrived.
func countingFlits(release wormholeideal.Release) claim.Finding {
	var all wormholeideal.Releases
	stopped := 0
	for _, m := range []topology.Multistage{uni(2, 3), bi(2, 3), uni(4, 2), bi(4, 2)} {
		for _, depth := range []int{1, 4} {
			c := wormholeideal.DefaultTree()
			c.Tree.Release, c.BufferPhits = release, depth
			n, circle := saturated(m, c, 2000, 200)
			if len(circle) > 0 {
				stopped++
			}
			r := n.Releases()
			all.Counted, all.Early, all.Arrived = all.Counted+r.Counted, all.Early+r.Early, all.Arrived+r.Arrived
		}
	}
	text := fmt.Sprintf("%d early, %d networks stopped", all.Early, stopped)
	text += "; with buffers of one header the count of the first stage is"
	for _, m := range []topology.Multistage{uni(2, 6), uni(2, 8), uni(8, 3)} {
		text += fmt.Sprintf(" %d flits in %s,", (m.Nodes()+15)/16*m.Stages, m)
	}
	text += " and messages of 64 flits release by their headers where it is more"
	return claim.Fact(all.Early == 0 && all.Counted > 0 && stopped == 0, float64(all.Counted), text)
}

// lastStage sends six messages that meet in one switch of the last stage, after three that set
// whose turn it is at each of its outputs: each output then has three of its five requests granted,
// and each message lacks one of its outputs.
func lastStage(tokens bool) claim.Finding {
	for wait := noc.Cycle(0); wait < 40; wait++ {
		c := wormholeideal.DefaultTree()
		c.EjectionChannels, c.Startup, c.BufferPhits = 3, 0, 1
		c.Tree.Arbitration, c.Tree.LocalTokens = wormholeideal.RoundRobin, tokens
		n := claim.Must(models.NewWormsOnStages(bi(3, 2), c, wormholeideal.TreePlanner{}, false))
		run := func(end noc.Cycle) {
			for n.Now() < end {
				n.Step(end)
				n.Deliveries()
			}
		}
		send := func(source noc.NodeID, to ...noc.NodeID) {
			n.Offer(noc.Packet{Src: source, Dst: noc.SetOf(n.Nodes(), to...), Phits: 60})
		}
		send(3, 0) // takes the first port up, so that the next one takes the second
		send(4, 2)
		run(300)
		send(1, 0)
		send(2, 1)
		run(600)
		for source := range noc.NodeID(3) {
			send(3+source, 0, 1, 2)
		}
		run(600 + wait)
		send(0, 1, 2)
		send(1, 0, 2)
		send(2, 0, 1)
		run(3000)
		if n.InFlight() == 0 {
			continue
		}
		circle := n.Deadlock()
		text := fmt.Sprintf("the messages of the switch's own nodes %d cycles after the others: %d copies never arrive, %d worms wait in a circle", wait, n.InFlight(), len(circle))
		for _, s := range circle[:min(len(circle), 6)] {
			text += fmt.Sprintf("; a message of node %d holds %s and waits for %s", s.Src, s.Holds, s.Waits)
		}
		return claim.Fact(false, float64(len(circle)), text)
	}
	return claim.Fact(true, 0, "all messages arrive, whatever the cycles between them")
}

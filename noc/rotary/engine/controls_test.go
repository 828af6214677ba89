package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Each rule of the rotary router is there because the network stops without it. The controls of
// this file switch one rule off, offer more than the network can carry, and show that it stops,
// that the laws of check.go or a watchdog notice, and that Explain tells why; with the rule on, the
// same traffic goes on.

// controlled is the MRR with every rule of these controls spelt out, whatever the defaults are, and
// without the congestion control, which hides most gaps by keeping the rings half empty.
func controlled() rotary.Config {
	c := mrr()
	c.SlotPhits, c.InputStagePhits, c.SegmentPhits, c.OutputStagePhits = 5, 10, 20, 20
	c.TurnSlots, c.EnterSlots, c.InjectSlots, c.ReplicateSlots = 1, 2, 3, 2
	c.MissLimit, c.InjectLimit, c.CalmInjection = 6, 40, false
	c.RingTurnBalance, c.EntryHold, c.HoldAfter = true, true, 8
	c.ClassLimit, c.Classes, c.SourceQueue = false, 6, 16
	return c
}

// watch offers traffic until no phit has crossed a link or been consumed for 1,000 cycles, or for
// the given cycles. Turning on a ring is not progress. It returns the cycle of the last move, and
// whether that was it.
func watch(n *Network, d *traffic.Driver, cycles noc.Cycle) (last noc.Cycle, stopped bool) {
	const patience = 1000
	moved := uint64(0)
	for n.Now() < cycles {
		d.Run(n.Now() + 1)
		if t := n.Totals(); t.PhitHops+t.Phits != moved {
			moved, last = t.PhitHops+t.Phits, n.Now()
		} else if n.Now()-last >= patience {
			return last, true
		}
	}
	return last, false
}

// waitingCircle follows Explain from a packet in an output stage to the full input stage of the
// neighbour that it waits for, from there over the ring that does not take its head in to a packet
// that waits on that ring for another output stage, and so on, until it comes back: packets of
// different routers that wait for each other. It returns nil if there is no such circle.
func waitingCircle(stuck []noc.Stuck) []noc.Stuck {
	at := map[noc.NodeID][]noc.Stuck{}
	for _, s := range stuck {
		at[s.At] = append(at[s.At], s)
	}
	find := func(node noc.NodeID, holds, waits string) *noc.Stuck {
		for i, s := range at[node] {
			if strings.HasPrefix(s.Holds, holds) && strings.Contains(s.Waits, waits) {
				return &at[node][i]
			}
		}
		return nil
	}
	for _, start := range stuck {
		var path []noc.Stuck
		visited := map[string]int{}
		for sent := &start; sent != nil; {
			stage, _, _ := strings.Cut(sent.Holds, " lane")
			input, blocked := strings.CutSuffix(sent.Waits, fmt.Sprintf(" of node %d: no free slot", sent.For))
			if !blocked || !strings.HasPrefix(stage, "output stage") {
				break
			}
			key := fmt.Sprint(sent.At, stage)
			if first, again := visited[key]; again {
				return path[first:]
			}
			visited[key] = len(path)
			entering := find(sent.For, input, "fewer than")
			turning := find(sent.For, "ring", ": no free slot; ")
			if entering == nil || turning == nil {
				break
			}
			path = append(path, *sent, *entering, *turning)
			wanted, _, _ := strings.Cut(turning.Waits, ":")
			sent = find(turning.At, wanted, "of node")
		}
	}
	return nil
}

// TestRulesPreventDeadlock is the negative control of rules 1 to 4 and of the entry hold.
func TestRulesPreventDeadlock(t *testing.T) {
	if fabric.Invariants {
		t.Skip("the laws that are broken here stop such a build")
	}
	g := topology.Torus(8, 8)
	for _, c := range []struct {
		name      string
		change    func(*rotary.Config)
		pattern   string
		multicast float64 // share of broadcasts
		law       string  // that check finds broken; the one of spare slots does not apply to trees
		used      int     // ring slots in every router, of 40; 0 is not examined
		waits     string  // what the heads of all inputs of all routers wait for, or what some packets on rings do
	}{
		// Rule 4: replicas take the places that keep the network moving: one free slot per ring is
		// left.
		{"a tree in limited output stages", func(c *rotary.Config) { c.Multicast = rotary.Tree }, "uniform", 1,
			"", 38, "fewer than 2 free slots"},
		{"replicas into the last slot", func(c *rotary.Config) { c.ReplicateSlots = 1 }, "uniform", 1,
			"no spare slot in the network (law 3)", 38, "fewer than 2 free slots"},
		// Rule 2: so do new packets; and if they may take the last slot, the rings themselves stop.
		{"injection leaves one slot", func(c *rotary.Config) { c.InjectSlots = 2 }, "tornado", 0,
			"no spare slot in the network (law 3)", 38, "fewer than 2 free slots"},
		{"injection takes the last slot", func(c *rotary.Config) { c.InjectSlots = 1 }, "tornado", 0,
			"has 0 free slots", 40, "not on its way; ring 0 segment S: no free slot"},
		// Rule 3: there are free slots, but not on the way of any packet that is near them.
		{"no misrouting", func(c *rotary.Config) { c.MissLimit, c.InjectLimit = 255, 22 }, "uniform", 1,
			"", 0, "not on its way; "},
		// Entry hold: there are free slots in every ring, one by one in segments that all turn
		// alike.
		{"no hold and no balance", func(c *rotary.Config) { c.EntryHold, c.RingTurnBalance = false, false }, "tornado", 0,
			"", 0, "fewer than 2 free slots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := controlled()
			c.change(&config)
			n := build(t, g, config)
			last, stopped := watch(n, drive(t, n, g, c.pattern, 1, c.multicast), 12_000)
			if !stopped {
				t.Fatal("it does not stop")
			}
			explainStandstill(t, n, c.law, c.used, c.waits)
			t.Logf("no move after cycle %d", last)

			config = controlled()
			config.InjectLimit = min(config.InjectLimit, n.config.InjectLimit)
			n = build(t, g, config)
			if last, stopped := watch(n, drive(t, n, g, c.pattern, 1, c.multicast), min(last, 3000)+1500); stopped {
				t.Errorf("with the rule it stops after cycle %d too", last)
			}
			if err := n.CheckInvariants(); err != nil {
				t.Error(err)
			}
		})
	}
}

// explainStandstill holds a network that has stopped to what is expected of its laws and
// explanation.
func explainStandstill(t *testing.T, n *Network, law string, used int, waits string) {
	t.Helper()
	switch err := n.CheckInvariants(); {
	case law == "" && err != nil:
		t.Error(err)
	case law != "" && (err == nil || !strings.Contains(err.Error(), law)):
		t.Errorf("the laws say %v, want %s", err, law)
	}
	for id := range n.Nodes() {
		if got := n.routers[id].slotsInUse(); used > 0 && got != used {
			t.Errorf("router %d: %d ring slots in use, want %d", id, got, used)
		}
	}
	stuck := n.Explain()
	count := 0
	for _, s := range stuck {
		if strings.HasPrefix(s.Waits, "ring 0 or 1") && strings.HasPrefix(s.Holds, "source") {
			continue
		}
		if strings.Contains(s.Waits, waits) {
			count++
		}
	}
	if inputs := 4 * n.Nodes(); strings.HasPrefix(waits, "fewer") && count != inputs {
		t.Errorf("%d heads of inputs wait for a ring, want all %d", count, inputs)
	}
	if count == 0 {
		t.Errorf("no packet waits for %q", waits)
	}
	circle := waitingCircle(stuck)
	if len(circle) < 2*3 { // three packets in each of at least two routers
		t.Fatalf("no circle of waiting packets in %d", len(stuck))
	}
	for _, s := range circle[:3] {
		t.Logf("node %d, %s: %s (node %d)", s.At, s.Holds, s.Waits, s.For)
	}
	t.Logf("... %d packets in a circle of %d that cannot move", len(circle), len(stuck))
}

// TestCyclesRunOver: routers keep the low 8 bits of the cycles in which streams end. Traffic that
// comes after a silence, however long, and traffic over which these bits run over while only one
// link is busy, is delivered as the plain router delivers it.
func TestCyclesRunOver(t *testing.T) {
	for _, silence := range []noc.Cycle{100, 190, 200, 222, 224, 230, 256, 290, 448, 512, 1 << 16, 1<<32 - 60} {
		for _, busy := range []noc.Cycle{0, 150, 600} {
			c := mrr()
			fast, plain := build(t, topology.Torus(4, 4), c), plainOf(t, topology.Torus(4, 4), c)
			a, b := runOver(fast, silence, busy), runOver(plain, silence, busy)
			if !slices.Equal(a, b) {
				t.Errorf("%d cycles of silence, %d busy: %+v, want %+v", silence, busy, a, b)
			}
			if x, y := fast.Totals(), plain.Totals(); x != y {
				t.Errorf("%d cycles of silence, %d busy: totals %+v, want %+v", silence, busy, x, y)
			}
		}
	}
}

func plainOf(t *testing.T, g topology.Grid, c rotary.Config) noc.Network {
	return must.Get(rotary.New(g, c))
}

// runOver has traffic, silence, one busy link for some cycles, and the same traffic again.
func runOver(n noc.Network, silence, busy noc.Cycle) (all []noc.Delivery) {
	to := func(until noc.Cycle) {
		for n.Now() < until {
			n.Step(until)
			all = append(all, n.Deliveries()...)
		}
	}
	burst := func() {
		for i := range noc.Cycle(40) {
			n.Offer(noc.Packet{Src: noc.NodeID(i * 7 % 16), Phits: uint16(1 + i%2*4),
				Dst: noc.SetOf(16, noc.NodeID(i*5%16), noc.NodeID(i*3%16), noc.NodeID(i%16))})
			to(n.Now() + 1)
		}
	}
	burst()
	to(n.Now() + silence)
	for end := n.Now() + busy; n.Now() < end; to(n.Now() + 5) {
		n.Offer(noc.Packet{Src: 1, Phits: 5, Dst: noc.One(2)})
	}
	burst()
	to(n.Now() + 400)
	return all
}

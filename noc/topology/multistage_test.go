package topology

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// smallMultistage are all kinds of networks of a few nodes.
func smallMultistage(t *testing.T) (list []Multistage) {
	for _, c := range [][2]int{{2, 2}, {4, 2}, {8, 2}, {32, 2}, {4, 4}, {16, 4}, {64, 4}, {9, 3}, {27, 3}, {64, 8}} {
		for _, bidirectional := range []bool{false, true} {
			m := must.Get(NewMultistage(bidirectional, c[0], c[1]))
			list = append(list, m)
			if m.Butterfly = !bidirectional; m.Butterfly {
				list = append(list, m)
			}
		}
	}
	return list
}

// TestMultistageRoutes: Route takes channels of the wiring by the ports that Outputs allows,
// arrives at the router and port of its destination, and crosses as many switches as the paper
// says.
func TestMultistageRoutes(t *testing.T) {
	for _, m := range smallMultistage(t) {
		w := m.Wiring()
		for s := range noc.NodeID(m.Nodes()) {
			for d := range noc.NodeID(m.Nodes()) {
				at, in := w.Entry[s].Router, int(w.Entry[s].Port)
				for _, next := range m.Route(s, d) {
					i := w.Channel(at, next)
					if i < 0 {
						t.Fatalf("%s: no channel from %d to %d", m, at, next)
					}
					c := w.Channels[i]
					if first, count := m.Outputs(at, in, d); int(c.Out) < first || int(c.Out) >= first+count {
						t.Fatalf("%s: from %d to %d leaves %d by port %d; allowed are %d from %d on", m, s, d, at, c.Out, count, first)
					}
					at, in = next, int(c.In)
				}
				out, count := m.Outputs(at, in, d)
				if (w.Exit[d] != Place{at, uint16(out)}) || count != 1 {
					t.Fatalf("%s: from %d to %d ends at router %d port %d, want %v", m, s, d, at, out, w.Exit[d])
				}
				switches := m.Stages
				if m.Bidirectional {
					switches = 2*m.TurnStage(s, d) + 1
				}
				if got := len(m.Route(s, d)) + 1; got != switches {
					t.Fatalf("%s: from %d to %d crosses %d switches, want %d", m, s, d, got, switches)
				}
			}
		}
	}
}

// TestAnyForwardPort: on the way up every choice leads to the destination.
func TestAnyForwardPort(t *testing.T) {
	m, _ := NewMultistage(true, 27, 3)
	w := m.Wiring()
	var explore func(at noc.NodeID, in int, d noc.NodeID, left int)
	explore = func(at noc.NodeID, in int, d noc.NodeID, left int) {
		first, count := m.Outputs(at, in, d)
		for out := first; out < first+count; out++ {
			next, entry, ok := m.Step(at, out)
			switch {
			case !ok && w.Exit[d] != Place{at, uint16(out)}:
				t.Fatalf("towards %d: leaves the network at router %d port %d", d, at, out)
			case ok && left == 0:
				t.Fatalf("towards %d: wanders about", d)
			case ok:
				explore(next, entry, d, left-1)
			}
		}
	}
	for s := range noc.NodeID(m.Nodes()) {
		for d := range noc.NodeID(m.Nodes()) {
			explore(w.Entry[s].Router, int(w.Entry[s].Port), d, 2*m.TurnStage(s, d))
		}
	}
}

// TestMultistageDependencies: no wait-for cycle of unicasts is possible, because the dependencies
// between channels have no cycle, whichever channel a message for whichever destination is in.
func TestMultistageDependencies(t *testing.T) {
	for _, m := range smallMultistage(t) {
		w := m.Wiring()
		after := map[int]map[int]bool{}
		for c, channel := range w.Channels {
			after[c] = map[int]bool{}
			for d := range noc.NodeID(m.Nodes()) {
				first, count := m.Outputs(channel.To, int(channel.In), d)
				for out := first; out < first+count; out++ {
					if next, _, ok := m.Step(channel.To, out); ok {
						after[c][w.Channel(channel.To, next)] = true
					}
				}
			}
		}
		if circular(after) {
			t.Errorf("%s: channels wait for each other", m)
		}
	}
}

// TestMultistageSizes: only powers of the arity are networks.
func TestMultistageSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 2}, {1, 2}, {12, 2}, {64, 1}, {48, 4}, {1 << 17, 2}} {
		if m, err := NewMultistage(false, c[0], c[1]); err == nil {
			t.Errorf("%d nodes of arity %d make %s", c[0], c[1], m)
		}
	}
}

// TestPartsBehindFirstStage is section 3 of Varavithya and Mohapatra: behind the first stage a baseline
// network falls into as many parts without common channels as a switch has ports.
func TestPartsBehindFirstStage(t *testing.T) {
	for _, m := range []Multistage{{Arity: 2, Stages: 3}, {Arity: 4, Stages: 2}, {Arity: 4, Stages: 3}} {
		part := make([]int, m.Wiring().Routers) // the smallest router of a part
		for r := range part {
			part[r] = r
		}
		for changed := true; changed; {
			changed = false
			for _, c := range m.Wiring().Channels {
				if stage, _ := m.Place(c.From); stage > 0 && part[c.From] != part[c.To] {
					part[c.From] = min(part[c.From], part[c.To])
					part[c.To], changed = part[c.From], true
				}
			}
		}
		parts := map[int]bool{}
		for r := range part {
			if stage, _ := m.Place(noc.NodeID(r)); stage > 0 {
				parts[part[r]] = true
			}
		}
		if len(parts) != m.Arity {
			t.Errorf("%s: %d parts, want %d", m, len(parts), m.Arity)
		}
	}
}

// TestUniTorus: whatever the directions, the name is read again, the distance is that of the
// wiring, and the way there and back goes once round every ring in which two nodes differ.
func TestUniTorus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var radix []int
		for range rapid.IntRange(1, 3).Draw(t, "dimensions") {
			radix = append(radix, rapid.IntRange(2, 7).Draw(t, "radix"))
		}
		u := NewUniTorus(radix...)
		u.Order = rapid.Permutation(u.Order).Draw(t, "order")
		for d := range u.Down {
			u.Down[d] = rapid.Bool().Draw(t, "down")
		}
		l, err := Open(u.String())
		if err != nil || l.UniTorus.String() != u.String() || l.String() != u.String() {
			t.Fatalf("%s is read as %v: %v", u, l.UniTorus, err)
		}
		node := rapid.IntRange(0, l.Nodes()-1)
		a, b := noc.NodeID(node.Draw(t, "from")), noc.NodeID(node.Draw(t, "to"))
		if got, want := len(u.Route(a, b)), l.Wiring.NodeDistances()(a, b); got != want {
			t.Fatalf("%s: %d hops from %d to %d, the wiring has %d", u, got, a, b, want)
		}
		round := 0
		for d, k := range radix {
			if u.Grid().Coordinate(a, d) != u.Grid().Coordinate(b, d) {
				round += k
			}
		}
		if got := len(u.Route(a, b)) + len(u.Route(b, a)); got != round {
			t.Fatalf("%s: %d hops from %d to %d and back, want %d", u, got, a, b, round)
		}
	})
}

// TestUniTorusNames: only the directions that differ from the usual are in the name, and mistakes
// are explained.
func TestUniTorusNames(t *testing.T) {
	for spec, want := range map[string]string{"utorus:10x12": "utorus:10x12", "utorus:10x12:+x+y": "utorus:10x12",
		"utorus:10x12:-y-x": "utorus:10x12:-y-x", "utorus:5:-x": "utorus:5:-x"} {
		if u, err := ParseUniTorus(spec); err != nil || u.String() != want {
			t.Errorf("%s is %s: %v", spec, u, err)
		}
	}
	for spec, want := range map[string]string{
		"utorus:10x12:-y":   `directions are "-y"; give a sign and a letter for each dimension in the order of routing, such as utorus:10x12:+x+y`,
		"utorus:4x4:+x+x":   `directions are "+x+x"`,
		"utorus:4x4:+x*y":   `directions are "+x*y"`,
		"utorus:4x4:+x+z":   `directions are "+x+z"`,
		"utorus:4x4:":       `directions are ""`,
		"utorus:1x4":        "1 routers along a dimension",
		"utorus:4xfour":     `"four" is not a number`,
		"utorus:300x300":    "more than 65536 nodes",
		"utorus:2x2x2:+x+y": "such as utorus:2x2x2:+x+y+z",
	} {
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}

// TestTwoSided: between the sides a message crosses each stage once; on one side, two nodes are as far apart as the
// digits in which their rows differ ask: the highest one on the left, the lowest one on the right.
func TestTwoSided(t *testing.T) {
	const arity, stages, side = 3, 3, 27
	l := must.Get(Open("bimin:two-sided:54:3"))
	m := Multistage{Bidirectional: true, Arity: arity, Stages: stages}
	if l.Nodes() != 2*side || l.Wiring.Routers != stages*m.Rows() || l.Graph == nil {
		t.Fatalf("%d nodes, %d routers", l.Nodes(), l.Wiring.Routers)
	}
	distance := func(from noc.NodeID) []int { // of all routers, breadth first
		d := slices.Repeat([]int{-1}, l.Wiring.Routers)
		d[from] = 0
		for queue := []noc.NodeID{from}; len(queue) > 0; queue = queue[1:] {
			for _, c := range l.Wiring.Channels {
				if c.From == queue[0] && d[c.To] < 0 {
					d[c.To] = d[queue[0]] + 1
					queue = append(queue, c.To)
				}
			}
		}
		return d
	}
	for a := range 2 * side {
		d := distance(l.Wiring.Exit[a].Router)
		for b := range 2 * side {
			row, other := a%side/arity, b%side/arity
			want := stages - 1
			if a/side == b/side {
				want = 0
				for digit := range stages - 1 {
					if m.Digit(row, digit) != m.Digit(other, digit) {
						links := digit + 1
						if a >= side {
							links = stages - 1 - digit
						}
						want = max(want, 2*links)
					}
				}
			}
			if got := d[l.Wiring.Exit[b].Router]; got != want {
				t.Fatalf("from node %d to %d: %d links, want %d", a, b, got, want)
			}
		}
	}
	for spec, want := range map[string]string{"bimin:two-sided:27:3": "not two equal sides", "bimin:two-sided:54": "want bimin:two-sided:N:B", "bimin:two-sided:20:3": "10 nodes: the number must be"} {
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}

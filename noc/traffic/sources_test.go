package traffic

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// within demands that a count of trials that hit with probability p is within five standard
// deviations.
func within(t *testing.T, what string, got, trials, p float64) {
	t.Helper()
	if deviation := math.Sqrt(trials * p * (1 - p)); math.Abs(got-trials*p) > 5*deviation+1e-9 {
		t.Errorf("%s: %g of %g, want %g ± %g", what, got, trials, trials*p, deviation)
	}
}

// TestGapsAreGeometric compares the shares of short, middle and long gaps with tosses of a coin
// in every cycle.
func TestGapsAreGeometric(t *testing.T) {
	const draws = 200_000
	for _, p := range []float64{1, 0.9, 0.5, 0.2, 0.06, 0.01, 1e-4} {
		g, r := newGaps(p), random.Stream(7)
		limits := []uint64{0, 1, 2, 5, uint64(0.5 / p), uint64(1 / p), uint64(3 / p), uint64(6 / p)}
		counts := make([]float64, len(limits))
		for range draws {
			n := g.draw(&r)
			for i, limit := range limits {
				if n <= limit {
					counts[i]++
				}
			}
		}
		for i, limit := range limits {
			within(t, fmt.Sprintf("p=%g: gaps up to %d", p, limit), counts[i], draws, 1-math.Pow(1-p, float64(limit+1)))
		}
	}
}

// messagesOf lists a node's messages up to a cycle.
func messagesOf(m *generator, seed uint64, node noc.NodeID, end noc.Cycle) []message {
	var list []message
	for r := m.first(seed, node); r.born < end; m.advance(node, &r) {
		list = append(list, r.message)
	}
	return list
}

func generatorOf(t *testing.T, g topology.Grid, c Config) *generator {
	t.Helper()
	m := newGenerator(g, &c, targetsOf(t, g, c))
	return &m
}

// TestMessages: load, classes, casts and destinations have the shares that were asked for.
func TestMessages(t *testing.T) {
	g := topology.Torus(4, 4)
	for _, several := range []int{3, 12, 15, 64} {
		c := Default()
		c.Load, c.MulticastFraction, c.MulticastDestinations = 1, 0.25, several
		m := generatorOf(t, g, c)
		size := min(several, 15)
		const cycles = 100_000
		var classes [6]float64
		var multicasts, total float64
		var unicastTo, multicastTo [16]float64
		last := noc.Never
		for _, msg := range messagesOf(m, 1, 5, cycles) {
			if msg.born == last {
				t.Fatal("two messages in one cycle")
			}
			last = msg.born
			to, cast := m.address(5, &msg)
			total++
			classes[msg.class]++
			shares := &unicastTo
			if cast != Unicast {
				multicasts++
				shares = &multicastTo
				if want := map[bool]Cast{true: Broadcast, false: Multicast}[size == 15]; to.Count() != size || cast != want {
					t.Fatalf("a %s to %d nodes, want %d", cast, to.Count(), size)
				}
			} else if to.Count() != 1 {
				t.Fatalf("a unicast to %d nodes", to.Count())
			}
			for n, ok := to.Next(0); ok; n, ok = to.Next(n + 1) {
				shares[n]++
			}
			m.release()
		}
		within(t, "messages", total, cycles, 0.2)
		within(t, "multicasts", multicasts, total, 0.25)
		for class, count := range classes {
			within(t, fmt.Sprintf("class %d", class), count, total, 1.0/6)
		}
		if unicastTo[5] != 0 || multicastTo[5] != 0 {
			t.Error("a node sends to itself")
		}
		for n := range 16 {
			if n != 5 {
				within(t, fmt.Sprintf("unicasts to %d", n), unicastTo[n], total-multicasts, 1.0/15)
				within(t, fmt.Sprintf("multicasts to %d", n), multicastTo[n], multicasts, float64(size)/15)
			}
		}
	}
}

// TestAnyMulticast: distinct destinations that exist, as many as asked for, without the source;
// in networks of any size. What follows from a key does not depend on the messages before it.
func TestAnyMulticast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Torus(rapid.IntRange(2, 20).Draw(t, "columns"), rapid.IntRange(2, 10).Draw(t, "rows"))
		nodes := g.Nodes()
		c := Default()
		c.MulticastFraction, c.MulticastDestinations = 1, rapid.IntRange(2, nodes+5).Draw(t, "destinations")
		targets := must.Get(c.Targets(g))
		m := newGenerator(g, &c, targets)
		node := noc.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "source"))
		msg := message{key: random.Stream(rapid.Uint64().Draw(t, "key"))}
		var first []noc.NodeID
		for range 2 {
			to, cast := m.address(node, &msg)
			var members []noc.NodeID
			for n, ok := to.Next(0); ok; n, ok = to.Next(n + 1) {
				members = append(members, n)
			}
			want := min(c.MulticastDestinations, nodes-1)
			if len(members) != want || to.Has(node) || int(members[want-1]) >= nodes || (cast == Broadcast) != (want == nodes-1) {
				t.Fatalf("node %d of %d sends a %s to %v, want %d destinations", node, nodes, cast, members, want)
			}
			if first != nil && !slices.Equal(first, members) {
				t.Fatalf("destinations are %v, and then %v", first, members)
			}
			first = members
			m.release()
			if !m.set.Empty() {
				t.Fatal("the set is not released")
			}
		}
	})
}

func TestHotspot(t *testing.T) {
	g := topology.Torus(4, 4)
	c := Default()
	c.Pattern, c.Load, c.HotspotShare = "hotspot", 1, 0.3
	m := generatorOf(t, g, c)
	for _, node := range []noc.NodeID{0, hotNode(g)} {
		var hot, one, total float64
		for _, msg := range messagesOf(m, 1, node, 50_000) {
			to, _ := m.address(node, &msg)
			if to.Has(hotNode(g)) {
				hot++
			}
			if to.Has(1) {
				one++
			}
			if to.Has(node) {
				t.Fatal("a node sends to itself")
			}
			total++
			m.release()
		}
		if node == 0 {
			within(t, "to the hot node", hot, total, 0.3+0.7/15)
			within(t, "to another", one, total, 0.7/15)
		} else {
			within(t, "from the hot node", one, total, 1.0/15)
		}
	}
}

// TestFixedPoints: a node that its pattern maps to itself sends multicasts only.
func TestFixedPoints(t *testing.T) {
	g := topology.Torus(4, 4)
	c := Default()
	c.Pattern, c.Load = "transpose", 1
	if list := messagesOf(generatorOf(t, g, c), 1, 5, 1000); len(list) != 0 {
		t.Errorf("%d messages", len(list))
	}
	c.MulticastFraction = 0.1
	m := generatorOf(t, g, c)
	list := messagesOf(m, 1, 5, 100_000)
	within(t, "messages", float64(len(list)), 100_000, 0.2*0.1)
	for _, msg := range list {
		if _, cast := m.address(5, &msg); cast != Broadcast {
			t.Fatalf("a %s", cast)
		}
		m.release()
	}
}

// TestStreamsAreNamed: seed, purpose and node each make another stream, and the streams stay what
// they are from version to version.
func TestStreamsAreNamed(t *testing.T) {
	seen := map[random.Stream]bool{}
	for seed := range uint64(4) {
		for _, purpose := range []string{messagePurpose, permutationPurpose} {
			for node := range 300 {
				seen[random.Named(seed, purpose, node)] = true
			}
		}
	}
	if len(seen) != 4*2*300 {
		t.Errorf("%d streams, want %d", len(seen), 4*2*300)
	}
	c := Default()
	c.MulticastFraction = 0.2
	m := generatorOf(t, topology.Torus(8, 8), c)
	var born []noc.Cycle
	for _, msg := range messagesOf(m, 1, 3, 100) {
		born = append(born, msg.born)
	}
	if want := []noc.Cycle{6, 10, 18, 54, 59, 64, 78, 97}; !slices.Equal(born, want) {
		t.Errorf("node 3 generates in cycles %v, want %v", born, want)
	}
}

// narrow is a network with source queues of a few packets, of which each cycle at most one
// leaves, so that most of what is sent waits. It writes down what it takes.
type narrow struct {
	nowhere
	depth int
	queue [64][6]int
	taken [64][6][]string
}

func (n *narrow) Offer(p noc.Packet) bool {
	if n.queue[p.Src][p.Class] == n.depth {
		return false
	}
	n.queue[p.Src][p.Class]++
	n.taken[p.Src][p.Class] = append(n.taken[p.Src][p.Class], fmt.Sprint(p.Dst.Low))
	return true
}

func (n *narrow) Step(noc.Cycle) noc.Cycle {
	n.now++
	if n.now%5 == 0 { // one packet of each node leaves; class by class, in long turns
		for src := range n.queue {
			class := int(n.now) / 500 % 6
			if n.queue[src][class] > 0 {
				n.queue[src][class]--
			}
		}
	}
	return n.now
}

// TestWaitingMessagesAreNotLost: each class gets every one of its messages, once and in order,
// however long it waits, as from lines that hold them all.
func TestWaitingMessagesAreNotLost(t *testing.T) {
	g := topology.Torus(8, 8)
	c := Default()
	c.Load, c.MulticastFraction, c.MulticastDestinations = 2, 0.1, 5
	for _, depth := range []int{1, 4, 16} {
		n := &narrow{depth: depth}
		d := must.Get(New(n, g, c, Interface{QueuePackets: depth}))
		const end = 6000
		d.Run(end)
		m := generatorOf(t, g, c)
		late := 0
		for node := range noc.NodeID(64) {
			var want [6][]string
			for _, msg := range messagesOf(m, c.Seed, node, end) {
				to, _ := m.address(node, &msg)
				want[msg.class] = append(want[msg.class], fmt.Sprint(to.Low))
				m.release()
			}
			for class := range want {
				got := n.taken[node][class]
				late += len(want[class]) - len(got)
				if len(got) < 20 || len(got) > len(want[class]) || !slices.Equal(got, want[class][:len(got)]) {
					t.Fatalf("depth %d, node %d, class %d: took %d messages of %d, or others", depth, node, class, len(got), len(want[class]))
				}
			}
		}
		if late < 10_000 {
			t.Errorf("only %d messages had to wait", late)
		}
	}
}

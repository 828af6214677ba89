package multicast

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// counted plans a request and gives the steps that it took.
func counted(t *testing.T, n *Network, scheme string, r Request) (Plan, Work) {
	t.Helper()
	var w Work
	o := DefaultOptions()
	o.Work = &w
	return must(must(LookupScheme(scheme)).Plan(n, r, o)), w
}

// TestWorkByHand: multicasts on a line of nodes that are small enough to count every step.
func TestWorkByHand(t *testing.T) {
	g := topology.Mesh(4)
	n := NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g})
	for _, c := range []struct {
		scheme string
		to     []noc.NodeID
		want   Work
		why    string
	}{
		{"dual-path", nil, Work{}, "nothing to do"},
		// One destination is not sorted. It is asked if it is there twice, is the source, and on
		// which side.
		{"dual-path", nodes{1}, Work{Dividing: 3, Walking: 1}, "two looks at a target and one at a side"},
		{"dual-path", nodes{3, 1}, Work{Sorting: 2, Dividing: 6, Walking: 3}, "by number and by label"},
		{"multi-path", nodes{3, 1}, Work{Sorting: 2, Dividing: 8, Walking: 3}, "and each is given one of one port"},
		// The table of costs has one entry. The weights are looked at once for the greatest (a row
		// of two), and entered (two rows of two). Each row of the matching sets two columns up. The
		// first looks at both columns twice and takes the end; the second does, takes the end from
		// the first, which looks at both twice again and takes the destination. That is one pair
		// exchanged, and then two, and at the end both columns are read.
		{"ocms", nodes{1}, Work{Dividing: 4, Tabulating: 1 + 2 + 4, Searching: 2 + 4 + 1 + 2 + 4 + 4 + 2 + 2, Walking: 1}, "a matching of two"},
		// One port: the greedy star asks once, the only partial star is tried at one port and
		// copied, has nothing to be sorted or compared with but the empty group, and is the best.
		{"otms", nodes{1}, Work{Dividing: 4, Tabulating: 1, Searching: 1 + 1 + 1 + 1 + 1, Walking: 1}, "one partial star"},
	} {
		if _, w := counted(t, n, c.scheme, Request{0, c.to}); w != c.want {
			t.Errorf("%s to %v takes %v steps (%v), want %v: %s", c.scheme, c.to, w, Activities, c.want, c.why)
		}
	}
}

// TestWorkOfGroups: the representatives prepare at the same time, so only the busiest counts.
func TestWorkOfGroups(t *testing.T) {
	var source Work
	source.count(Sorting, 10)
	source.alongside([]*Work{{Sorting: 1, Walking: 90}, {Sorting: 2, Dividing: 3}, {Dividing: 4}})
	if want := (Work{Sorting: 12, Dividing: 3}); source != want {
		t.Errorf("%v steps, want %v", source, want)
	}
	if source.Steps() != 15 {
		t.Errorf("%d steps in all", source.Steps())
	}
	var none *Work
	none.count(Sorting, 1)
	none.alongside([]*Work{{Sorting: 1}})
}

// TestCountingChangesNothing: a plan is the same whether its steps are counted or not, and so are
// the steps when it is made again.
func TestCountingChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := topology.Mesh(rapid.IntRange(2, 6).Draw(r, "columns"), rapid.IntRange(2, 6).Draw(r, "rows"))
		n := NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g})
		request := anyRequest(r, g.Nodes(), 10)
		for _, scheme := range []string{"dual-path", "multi-path", "column-path", "qg", "ocms", "otms"} {
			want := must(must(LookupScheme(scheme)).Plan(n, request, DefaultOptions()))
			got, w := counted(t, n, scheme, request)
			if !reflect.DeepEqual(got, want) {
				r.Fatalf("%s: %v when counted, else %v", scheme, got, want)
			}
			if _, again := counted(t, n, scheme, request); again != w || len(want) > 0 && w.Steps() == 0 {
				r.Fatalf("%s: %v steps, and %v the second time", scheme, w, again)
			}
		}
	})
}

// TestPruneKeepsTheUnbeaten: what prune keeps is what a comparison of all pairs keeps.
func TestPruneKeepsTheUnbeaten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p, n := rapid.IntRange(1, 3).Draw(r, "ports"), rapid.IntRange(0, 25).Draw(r, "stars")
		var l layer
		for i := range n {
			l.stars = append(l.stars, partial{parent: int32(i), at: int32(i * p)})
			l.ends = append(l.ends, rapid.SliceOfN(rapid.Int32Range(0, 1), p, p).Draw(r, "ends")...)
			l.lengths = append(l.lengths, rapid.SliceOfN(rapid.Int32Range(0, 6), p, p).Draw(r, "lengths")...)
		}
		beats := func(i, k int) bool { // with the same ends, nowhere longer, and before it when equal
			for port := range p {
				if l.ends[i*p+port] != l.ends[k*p+port] || l.lengths[i*p+port] > l.lengths[k*p+port] {
					return false
				}
			}
			return i < k || !slices.Equal(l.lengths[i*p:i*p+p], l.lengths[k*p:k*p+p])
		}
		var want []int32
		for k := range n {
			if !slices.ContainsFunc(l.stars, func(s partial) bool { return int(s.parent) != k && beats(int(s.parent), k) }) {
				want = append(want, int32(k))
			}
		}
		l.prune(p, nil)
		var got []int32
		for _, s := range l.stars {
			got = append(got, s.parent)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			r.Fatalf("kept %v, want %v: ends %v, lengths %v", got, want, l.ends, l.lengths)
		}
	})
}

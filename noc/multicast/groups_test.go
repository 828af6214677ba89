package multicast

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// reach is what a copy that leaves a switch by one output port may take: channels by name, on the
// way down of a bidirectional network, and consumption channels where a node has one.
func reach(m topology.Multistage, consumption int, router noc.NodeID, port int, into map[string]bool) {
	next, _, ok := m.Step(router, port)
	if !ok {
		if consumption == 1 {
			into[fmt.Sprintf("consumption %d:%d", router, port)] = true
		}
		return
	}
	into[fmt.Sprintf("%d:%d", router, port)] = true
	for p := range m.Arity {
		reach(m, consumption, next, p, into)
	}
}

// tagsOf groups the switches of a multistage network by the paper's general algorithm (Varavithya
// and Mohapatra, figure 9), which needs no closed form: the tag of a switch of the last stage is its
// own row, that of any other the union of the tags of the switches it leads to, and switches of a
// stage with equal tags form a group. A tag has a bit for each row; without any, no token is needed.
//
// A bidirectional network counts as 2n stages: the way up is stages 0 to n-1, and stage j on the
// way down is stage 2n-1-j. A switch on the way up also leads, by turning, to itself on the way
// down.
//
// As printed the loop starts at the last stage and reads tags of a stage that does not exist; it
// must start one lower. With b consumption channels the last stage is left out.
func tagsOf(m topology.Multistage, consumption int) [][]uint64 {
	stages := m.Stages
	if m.Bidirectional {
		stages *= 2
	}
	last, tags := stages-1, make([][]uint64, stages)
	if consumption > 1 {
		last--
	}
	for k := stages - 1; k >= 0; k-- {
		tags[k] = make([]uint64, m.Rows())
		for row := range tags[k] {
			if k == last {
				tags[k][row] = 1 << row
			}
			for p := 0; p < m.Arity && k < last; p++ {
				switch {
				case k >= m.Stages: // down: left port p of stage 2n-1-k
					next, _, _ := m.Step(m.Router(2*m.Stages-1-k, row), p)
					_, below := m.Place(next)
					tags[k][row] |= tags[k+1][below]
				case k < m.Stages-1:
					next, _ := m.Right(k, row, p)
					tags[k][row] |= tags[k+1][next]
				}
			}
			if k < m.Stages && m.Bidirectional {
				tags[k][row] |= tags[2*m.Stages-1-k][row]
			}
		}
	}
	return tags
}

// TestGroupsAgainstConflicts: two switches of a stage share a group exactly if there are two
// channels that each of them can need through two different ports, which is what a deadlock takes;
// and the general algorithm agrees with the closed form.
func TestGroupsAgainstConflicts(t *testing.T) {
	for _, c := range [][2]int{{2, 2}, {4, 2}, {8, 2}, {16, 2}, {9, 3}, {27, 3}, {16, 4}, {64, 8}} {
		for _, bidirectional := range []bool{false, true} {
			m := must.Get(topology.NewMultistage(bidirectional, c[0], c[1]))
			for _, consumption := range []int{1, m.Arity} {
				checkGroups(t, m, consumption)
				if m.Butterfly = !bidirectional; m.Butterfly {
					checkGroups(t, m, consumption)
				}
				m.Butterfly = false
			}
		}
	}
}

func checkGroups(t *testing.T, m topology.Multistage, consumption int) {
	groups := must.Get(NewSwitchGroups(m, consumption))
	tags := tagsOf(m, consumption)
	ports := make([][]map[string]bool, m.Stages*m.Rows())
	for router := range ports {
		for p := range m.Arity {
			set := map[string]bool{}
			reach(m, consumption, noc.NodeID(router), p, set)
			ports[router] = append(ports[router], set)
		}
	}
	// Two switches conflict when the table of common channels has entries in two rows and two
	// columns.
	conflict := func(a, b noc.NodeID) bool {
		for p1 := range m.Arity {
			for p2 := range m.Arity {
				for q1 := range m.Arity {
					for q2 := range m.Arity {
						if p1 != q1 && p2 != q2 && meets(ports[a][p1], ports[b][p2]) && meets(ports[a][q1], ports[b][q2]) {
							return true
						}
					}
				}
			}
		}
		return false
	}
	for stage := range m.Stages {
		column := stage
		if m.Bidirectional {
			column = 2*m.Stages - 1 - stage
		}
		for a := range m.Rows() {
			for b := range m.Rows() {
				ra, rb := m.Router(stage, a), m.Router(stage, b)
				together := groups.Of(ra) >= 0 && groups.Of(ra) == groups.Of(rb)
				if want := conflict(ra, rb); together != want {
					t.Fatalf("%s, %d consumption channels, stage %d: rows %d and %d share a group: %v, conflict: %v", m, consumption, stage, a, b, together, want)
				}
				if byTag := tags[column][a] != 0 && tags[column][a] == tags[column][b]; byTag != together {
					t.Fatalf("%s, %d consumption channels, stage %d: rows %d and %d share a tag: %v, a group: %v", m, consumption, stage, a, b, byTag, together)
				}
			}
		}
	}
}

func meets(a, b map[string]bool) bool {
	for c := range a {
		if b[c] {
			return true
		}
	}
	return false
}

// TestTagsOfThePaper is figure 10: in the bidirectional network of 8 nodes and 2x2 switches every
// switch of stage 5 is a group of its own, rows 0 and 1 of stage 4 share one (the text calls them
// stage 3, which contradicts its own numbering), and the way up and stage 3 are all one group.
func TestTagsOfThePaper(t *testing.T) {
	tags := tagsOf(must.Get(topology.NewMultistage(true, 8, 2)), 1)
	if s := tags[5]; s[0] == s[1] || s[1] == s[2] || s[2] == s[3] || s[0] == s[3] {
		t.Errorf("stage 5: %v", s)
	}
	if s := tags[4]; s[0] != s[1] || s[2] != s[3] || s[0] == s[2] {
		t.Errorf("stage 4: %v", s)
	}
	for k := range 4 {
		for row := range 4 {
			if tags[k][row] != tags[3][0] {
				t.Errorf("stage %d, row %d: tag %b, want %b", k, row, tags[k][row], tags[3][0])
			}
		}
	}
	if single := tagsOf(must.Get(topology.NewMultistage(true, 4, 4)), 1); single[0][0] != single[1][0] {
		t.Errorf("the only switch has groups %d on the way up and %d after its turn", single[0][0], single[1][0])
	}
	if _, err := NewSwitchGroups(must.Get(topology.NewMultistage(true, 16, 4)), 2); err == nil || err.Error() != "2 consumption channels per node; 1 or 4 (the ports of a switch) are possible" {
		t.Errorf("two consumption channels: %v", err)
	}
}

// TestTreeBranches: a tree worm uses every channel once, branches only on the way down of a
// bidirectional network, and needs the token of every branching switch.
func TestTreeBranches(t *testing.T) {
	m := must.Get(topology.NewMultistage(true, 64, 8))
	groups := must.Get(NewSwitchGroups(m, 1))
	p := TreeWorm(m, groups, subset(0, 1<<8|1<<16|1<<24|1<<25|1<<1))
	must.Do(p.Check(m.Wiring(), subset(0, 1<<8|1<<16|1<<24|1<<25|1<<1)))
	// Up to stage 1, turn there to rows 0, 1, 2 and 3; row 3 branches again.
	want := []Token{{0, groups.Of(m.Router(1, 0)), 8}, {4, groups.Of(m.Router(0, 3)), 1}}
	if got := p[0].Tokens; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("tokens are %+v, want %+v", got, want)
	}
	// One passing of a token among 8 switches, 500 + 3*60 + 20*(4+64) + 20*8/2, as the paper's
	// example.
	if latency := must.Get(p.Latency(m.Wiring(), TreeTiming(64))); latency != 2120 {
		t.Errorf("latency %d ns, want 2120", latency)
	}
}

// TestGroupSizes is section 3.1 of Varavithya and Mohapatra: in a unidirectional network of n
// stages the groups of stage j have b^(n-1-j) switches, and with b consumption channels b^(n-2-j),
// the last stage having none; the switches of a group follow each other.
func TestGroupSizes(t *testing.T) {
	for arity := 2; arity <= 8; arity++ {
		for stages := 1; stages <= 4; stages++ {
			m := topology.Multistage{Arity: arity, Stages: stages}
			if m.Nodes() > 512 {
				continue
			}
			for _, consumption := range []int{1, arity} {
				size := m.Rows() // of a group
				if consumption > 1 {
					size /= arity // 0 in a network of one stage, whose switches need no token
				}
				for j, tags := range tagsOf(m, consumption) {
					for a := range tags {
						for b := range tags {
							if grouped := size > 0; grouped != (tags[a] != 0) || grouped && (tags[a] == tags[b]) != (a/size == b/size) {
								t.Fatalf("%s, %d consumption channels: stage %d has tags %v, want groups of %d", m, consumption, j, tags, size)
							}
						}
					}
					size /= arity
				}
			}
		}
	}
}

// TestPruneKeepsTheUnbeaten: what prune keeps is what a comparison of all pairs keeps.
func TestPruneKeepsTheUnbeaten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p, n := rapid.IntRange(1, 3).Draw(r, "ports"), rapid.IntRange(0, 25).Draw(r, "stars")
		var stars []*partial
		for i := range n {
			row := slices.Concat(rapid.SliceOfN(rapid.Int32Range(0, 1), p, p).Draw(r, "ends"), rapid.SliceOfN(rapid.Int32Range(0, 6), p, p).Draw(r, "lengths"))
			stars = append(stars, &partial{port: i, row: row})
		}
		beats := func(s, o *partial) bool { // with the same ends, nowhere longer, and before it when equal
			return s != o && slices.Equal(s.row[:p], o.row[:p]) && s.beats(o, p) && (s.port < o.port || !slices.Equal(s.row, o.row))
		}
		var want []int
		for k, o := range stars {
			if !slices.ContainsFunc(stars, func(s *partial) bool { return beats(s, o) }) {
				want = append(want, k)
			}
		}
		var got []int
		for _, s := range prune(slices.Clone(stars), p) {
			got = append(got, s.port)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			r.Fatalf("kept %v, want %v", got, want)
		}
	})
}

// TestGroupsOnTori: on a torus the primary groups are those of the mesh that surrounds the source, so they move
// with it.
func TestGroupsOnTori(t *testing.T) {
	torus, mesh := topology.Torus(7, 5), topology.Mesh(7, 5)
	middle := noc.NodeID(2*7 + 3)
	rapid.Check(t, func(r *rapid.T) {
		dx, dy := rapid.IntRange(0, 6).Draw(r, "dx"), rapid.IntRange(0, 4).Draw(r, "dy")
		move := func(n noc.NodeID) noc.NodeID {
			return noc.NodeID((int(n)%7+dx)%7 + 7*((int(n)/7+dy)%5))
		}
		var still, moved []noc.NodeID
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 34), 1, 20, rapid.ID).Draw(r, "destinations") {
			still, moved = append(still, noc.NodeID(n)), append(moved, move(noc.NodeID(n)))
		}
		sets := func(g topology.Grid, source noc.NodeID, to []noc.NodeID, shift func(noc.NodeID) noc.NodeID) (list []string) {
			for _, group := range must.Get(QualifiedGroups(g, Request{source, to}, DefaultGroupOptions())).Primary {
				var of []noc.NodeID
				for _, n := range group.Nodes {
					of = append(of, shift(n))
				}
				slices.Sort(of)
				list = append(list, fmt.Sprint(of))
			}
			slices.Sort(list)
			return list
		}
		same := func(n noc.NodeID) noc.NodeID { return n }
		want := sets(mesh, middle, still, move)
		if got := sets(torus, move(middle), moved, same); !slices.Equal(got, want) {
			r.Fatalf("groups are %v, want %v", got, want)
		}
	})
}

// TestTurningTreesCrossFewerChannels: several turnarounds never cross more channels than one.
func TestTurningTreesCrossFewerChannels(t *testing.T) {
	m := topology.Multistage{Bidirectional: true, Arity: 2, Stages: 4}
	groups, fewer := must.Get(NewSwitchGroups(m, 1)), 0
	rapid.Check(t, func(r *rapid.T) {
		request := Request{Source: noc.NodeID(rapid.IntRange(0, 15).Draw(r, "source"))}
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 15), 1, 15, rapid.ID).Draw(r, "destinations") {
			request.Destinations = append(request.Destinations, noc.NodeID(n))
		}
		one, several := TreeWorm(m, groups, request), must.Get(TurningTree(m, request))
		if err := several.Check(m.Wiring(), request); err != nil {
			r.Fatal(err)
		}
		a, b := must.Get(several.Measure(m.Wiring())).Channels, must.Get(one.Measure(m.Wiring())).Channels
		if a > b {
			r.Fatalf("%v: %d channels, with one turnaround %d", request, a, b)
		}
		if a < b {
			fewer++
		}
	})
	if fewer == 0 {
		t.Error("no tree crosses fewer channels")
	}
}

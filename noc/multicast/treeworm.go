package multicast

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TreeWorm is asynchronous tree-based multicasting (ATBM) in a multistage network: one worm with
// one startup, whose copies go to every output port through which some destination is reached
// (Varavithya and Mohapatra, section 4).
//
// In a bidirectional network it climbs, by the lowest ports, to the stage at which the highest
// digit of any destination differs from the source, turns round there, and branches only from
// there on: a single turnaround. Branches need the token of the switch's group.
func TreeWorm(m topology.Multistage, groups *SwitchGroups, r Request) Plan {
	targets := r.Targets()
	if len(targets) == 0 {
		return nil
	}
	t := &treeBuilder{m: m, groups: groups, worm: Worm{From: r.Source, Stops: targets, Tree: []Visit{}, After: -1}}
	at, visit := m.Router(0, int(r.Source)/m.Arity), int32(-1)
	if m.Bidirectional {
		for range m.TurnStage(r.Source, targets...) {
			next, _, _ := m.Step(at, m.Arity)
			visit = t.enter(visit, next)
			at = next
		}
	}
	t.branch(visit, at, targets)
	return Plan{t.worm}
}

// TurningTree is a tree worm that turns round at several stages of a bidirectional network
// (section 2.2, figure 5a): on its way up it also branches to the destinations that are below. It
// crosses no more channels than TreeWorm. Worms of different groups could wait for each other, so
// that all switches are one group, whose token a worm takes in its first switch.
func TurningTree(m topology.Multistage, r Request) (Plan, error) {
	if !m.Bidirectional {
		return nil, fmt.Errorf("is not for %s, in which no worm turns round; there it is called atbm", m)
	}
	targets := r.Targets()
	if len(targets) == 0 {
		return nil, nil
	}
	all := int32(m.Stages * m.Rows())
	t := &treeBuilder{m: m, groups: &SwitchGroups{make([]int32, all), []int32{all}}, worm: Worm{From: r.Source, Stops: targets, Tree: []Visit{}, After: -1}}
	at, visit := m.Router(0, int(r.Source)/m.Arity), int32(-1)
	for stage := 0; len(targets) > 0; stage++ {
		var here, above []noc.NodeID
		for _, d := range targets {
			if m.TurnStage(r.Source, d) <= stage {
				here = append(here, d)
			} else {
				above = append(above, d)
			}
		}
		t.branch(visit, at, here)
		if targets = above; len(above) > 0 {
			at, _, _ = m.Step(at, m.Arity)
			visit = t.enter(visit, at)
		}
	}
	if t.worm.Tokens = nil; len(t.worm.Stops) > 1 {
		t.worm.Tokens = []Token{{-1, 0, all}}
	}
	return Plan{t.worm}, nil
}

type treeBuilder struct {
	m      topology.Multistage
	groups *SwitchGroups
	worm   Worm
}

// enter adds a visit and returns its index.
func (t *treeBuilder) enter(parent int32, router noc.NodeID) int32 {
	t.worm.Tree = append(t.worm.Tree, Visit{parent, router})
	return int32(len(t.worm.Tree) - 1)
}

// branch sends copies from a switch, by ascending ports, each to its share of the targets.
func (t *treeBuilder) branch(visit int32, at noc.NodeID, targets []noc.NodeID) {
	stage, _ := t.m.Place(at)
	shares := make([][]noc.NodeID, t.m.Arity)
	ports := 0
	for _, d := range targets {
		p := t.m.Towards(stage, d)
		if shares[p] == nil {
			ports++
		}
		shares[p] = append(shares[p], d)
	}
	if group := t.groups.Of(at); ports > 1 && group >= 0 {
		t.worm.Tokens = append(t.worm.Tokens, Token{visit, group, t.groups.Size(group)})
	}
	for p, share := range shares {
		if share == nil {
			continue
		}
		if next, _, ok := t.m.Step(at, p); ok {
			t.branch(t.enter(visit, next), next, share)
		}
	}
}

// SwitchGroups are the sets of switches of which only one at a time may replicate a message, so
// that trees cannot wait for each other in a cycle (section 3). Groups never reach over stages. In
// a bidirectional network they are groups of the way down: the way up of a single turnaround never
// branches.
type SwitchGroups struct {
	of    []int32 // group of each switch, -1 for none
	sizes []int32
}

// Of is the group of a switch, or -1 when it may replicate at any time.
func (g *SwitchGroups) Of(router noc.NodeID) int32 { return g.of[router] }

// Size is the number of switches of a group.
func (g *SwitchGroups) Size(group int32) int32 { return g.sizes[group] }

// NewSwitchGroups groups the switches of a network with one consumption channel per node, or with
// one for each of the b inputs of its last switch, in closed form.
//
// Unidirectional, stage j: b^(n-1-j) rows in succession; with b consumption channels b^(n-2-j),
// and the last stage needs no token. In a butterfly the rows of a group agree in the digits below
// j, and with b consumption channels in the highest one. Bidirectional, way down, stage j: the
// b^j rows that agree in the digits from j on; with b consumption channels stage 0 needs no
// token, and at the others rows must also agree in digit 0, which leaves b^(j-1).
func NewSwitchGroups(m topology.Multistage, consumption int) (*SwitchGroups, error) {
	if consumption != 1 && consumption != m.Arity {
		return nil, fmt.Errorf("%d consumption channels per node; 1 or %d (the ports of a switch) are possible", consumption, m.Arity)
	}
	several := consumption > 1
	label := func(stage, row int) int { // of the group of a switch in its stage, or -1
		last := stage == m.Stages-1
		if m.Bidirectional {
			last = stage == 0
		}
		switch {
		case several && last:
			return -1
		case m.Bidirectional && several:
			return row/m.Power(stage)*m.Arity + row%m.Arity
		case m.Bidirectional:
			return row / m.Power(stage)
		case m.Butterfly && several:
			return row%m.Power(stage)*m.Arity + m.Digit(row, m.Stages-2)
		case m.Butterfly:
			return row % m.Power(stage)
		case several:
			return row / m.Power(m.Stages-2-stage)
		}
		return row / m.Power(m.Stages-1-stage)
	}
	g := &SwitchGroups{of: make([]int32, m.Stages*m.Rows())}
	known := map[[2]int]int32{}
	for router := range g.of {
		stage, row := m.Place(noc.NodeID(router))
		key := [2]int{stage, label(stage, row)}
		if key[1] < 0 {
			g.of[router] = -1
			continue
		}
		group, ok := known[key]
		if !ok {
			group = int32(len(g.sizes))
			known[key], g.sizes = group, append(g.sizes, 0)
		}
		g.of[router] = group
		g.sizes[group]++
	}
	return g, nil
}

// DimensionTree is one worm that the routers replicate along the union of the dimension-ordered
// routes from the source: every channel of the tree is crossed once. Routes from one source that
// meet have the same way before, so the union is a tree.
func DimensionTree(g topology.Grid, r Request) Plan {
	targets := r.Targets()
	if len(targets) == 0 {
		return nil
	}
	tree := []Visit{}
	visit := make([]int32, g.Nodes()) // index in tree + 1
	for _, d := range targets {
		parent := int32(-1)
		for _, router := range dimensionOrder(g, r.Source, d) {
			if visit[router] == 0 {
				tree = append(tree, Visit{parent, router})
				visit[router] = int32(len(tree))
			}
			parent = visit[router] - 1
		}
	}
	return Plan{{From: r.Source, Stops: targets, Tree: tree, After: -1}}
}

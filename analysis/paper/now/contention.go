package now

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// links is a set of directed links between vertices.
type links map[[2]int]bool

func (l links) meet(other links) bool {
	for link := range l {
		if other[link] {
			return true
		}
	}
	return false
}

// strictLinks are the links of the path along the tree.
func strictLinks(u *topology.UpDown, from, to int) links {
	set, path := links{}, u.Strict(from, to)
	for i := 1; i < len(path); i++ {
		set[[2]int{path[i-1], path[i]}] = true
	}
	return set
}

// relaxedLinks are those of all relaxed paths together.
func relaxedLinks(u *topology.UpDown, from, to int) links {
	set := links{}
	for reached := []int{from}; len(reached) > 0; reached = reached[1:] {
		for _, next := range u.Choices(reached[0], to) {
			if link := [2]int{reached[0], next}; !set[link] {
				set[link] = true
				reached = append(reached, next)
			}
		}
	}
	return set
}

// linksOf are the links of each unicast of a plan.
func linksOf(u *topology.UpDown, p multicast.Plan, of func(u *topology.UpDown, from, to int) links) []links {
	list := make([]links, len(p))
	for i, m := range p {
		list[i] = of(u, u.Vertex(m.From), u.Vertex(m.Stops[0]))
	}
	return list
}

// depthContention reports whether two unicasts of a plan that do not wait for each other share a
// link.
func depthContention(p multicast.Plan, list []links) bool {
	for b := range p {
		for a := range b {
			if !p.Precedes(a, b) && !p.Precedes(b, a) && list[a].meet(list[b]) {
				return true
			}
		}
	}
	return false
}

// nowContention looks for contention between the unicasts of chains.
func nowContention(of func(u *topology.UpDown, from, to int) links, chain func(*topology.UpDown, multicast.Request) []noc.NodeID) claim.Finding {
	contend, control, examined := 0, 0, 0
	visit := func(_ topology.Graph, u *topology.UpDown, r multicast.Request) {
		examined++
		p := multicast.Doubling(chain(u, r), multicast.WithSender, u.Route)
		if depthContention(p, linksOf(u, p, of)) {
			contend++
		}
		p = multicast.Doubling(multicast.RandomChain(r), multicast.WithSender, u.Route)
		if depthContention(p, linksOf(u, p, of)) {
			control++
		}
	}
	nowCases(visit)
	small, few := examined, control
	random := claim.NewRandoms(32)
	nowLarger(func(g topology.Graph, u *topology.UpDown) {
		for range 8 {
			visit(g, u, random.Request(g.Nodes(), 1+random.IntN(g.Nodes()-1)))
		}
	})
	large, many := examined-small, control-few
	return claim.Fact(contend == 0 && few > 0 && 10*many > large, float64(contend),
		fmt.Sprintf("in random order %d of %d multicasts in small networks contend, %d of %d in large ones", few, small, many, large))
}

// subtree lists the nodes that a worm's receiver brings the message to, itself among them.
func subtree(p multicast.Plan, worm int) []noc.NodeID {
	list := []noc.NodeID{p[worm].Stops[0]}
	for i := worm + 1; i < len(p); i++ {
		if p[i].After == worm {
			list = append(list, subtree(p, i)...)
		}
	}
	return list
}

// fourConditions are those of theorem 1 for a unicast a from u to v and a later one b from x to y:
// x is in v's subtree; they share no link; x is u; x is in the subtree of a node that u serves
// after v.
func fourConditions(p multicast.Plan, list []links, a, b int) bool {
	x := p[b].From
	if slices.Contains(subtree(p, a), x) || !list[a].meet(list[b]) || x == p[a].From {
		return true
	}
	for w := range p {
		if p[w].From == p[a].From && p[w].Round > p[a].Round && slices.Contains(subtree(p, w), x) {
			return true
		}
	}
	return false
}

// nowConditions looks for pairs of unicasts that a condition wrongly calls safe.
func nowConditions(condition func(p multicast.Plan, list []links, a, b int) bool) claim.Finding {
	pairs, unsafe, met := 0, 0, 0
	nowCases(func(_ topology.Graph, u *topology.UpDown, r multicast.Request) {
		for _, chain := range [][]noc.NodeID{multicast.PostorderChain(u, r), multicast.RandomChain(r)} {
			p := multicast.Doubling(chain, multicast.WithSender, u.Route)
			list := linksOf(u, p, relaxedLinks)
			for a := range p {
				for b := range p {
					if a == b || p.Step(a) > p.Step(b) {
						continue
					}
					pairs++
					safe := p.Precedes(a, b) || p.Precedes(b, a) || !list[a].meet(list[b])
					if condition(p, list, a, b) {
						met++
						if !safe {
							unsafe++
						}
					}
				}
			}
		}
	})
	return claim.Fact(unsafe == 0 && met < pairs, float64(unsafe), fmt.Sprintf("%d of %d pairs meet a condition", met, pairs))
}

// nowDependencies looks for circles among channels that follow each other on the paths that choices
// permit.
func nowDependencies(choices func(u *topology.UpDown, from, to int) []int) claim.Finding {
	circles, most := 0, 0
	nowLarger(func(g topology.Graph, u *topology.UpDown) {
		follows := map[[2]int]links{}
		for to := range noc.NodeID(g.Nodes()) {
			for from := range u.Switches {
				for _, via := range choices(u, from, u.Vertex(to)) {
					for _, next := range choices(u, via, u.Vertex(to)) {
						link := [2]int{from, via}
						if follows[link] == nil {
							follows[link] = links{}
						}
						follows[link][[2]int{via, next}] = true
					}
				}
			}
		}
		most = max(most, len(follows))
		if circular(follows) {
			circles++
		}
	})
	return claim.Fact(circles == 0 && most > 0, float64(circles), fmt.Sprintf("100 networks with up to %d channels that are followed by others", most))
}

// circular reports whether a relation has a circle: whoever is followed by nobody left is taken
// away until none is.
func circular(follows map[[2]int]links) bool {
	left := map[[2]int]bool{}
	for link := range follows {
		left[link] = true
	}
	for shrunk := true; shrunk; {
		shrunk = false
		for link := range left {
			blocked := false
			for next := range follows[link] {
				blocked = blocked || left[next]
			}
			if !blocked {
				delete(left, link)
				shrunk = true
			}
		}
	}
	return len(left) > 0
}

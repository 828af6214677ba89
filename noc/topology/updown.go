package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// UpDown routes an irregular network so that no deadlock can arise: every way first climbs
// towards the root of a spanning tree, then descends. (Libeskind-Hadas, Mazzoni and Rajagopalan,
// section 3.)
//
// Its vertices are the switches, 0 to S-1, and the processors after them: processor p is vertex
// S+p. The tree is found breadth-first from the root, neighbours in ascending order, and vertices
// are numbered in postorder, children in ascending order. The paper leaves the root and these
// orders open; its theorems hold for any.
type UpDown struct {
	Switches int
	Parent   []int // of each vertex; -1 for the root
	Level    []int // distance from the root
	ID       []int // postorder number, from 1
	near     [][]int
}

// NewUpDown builds the tree of a graph from a root switch. Every switch must be reachable.
func NewUpDown(g Graph, root int) (*UpDown, error) {
	if root < 0 || root >= g.Switches {
		return nil, fmt.Errorf("topology %s: root %d; switches are 0 to %d", g.Name, root, g.Switches-1)
	}
	near := g.Neighbours()
	for p := range g.Nodes() {
		s := g.Switch(noc.NodeID(p))
		near[s] = append(near[s], g.Switches+p)
		near = append(near, []int{s})
	}
	u := &UpDown{Switches: g.Switches, Parent: make([]int, len(near)), Level: make([]int, len(near)), near: near}
	for v := range u.Level {
		u.Parent[v], u.Level[v] = -1, -1
	}
	u.Level[root] = 0
	found := 0
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		found++
		for _, v := range near[queue[0]] {
			if u.Level[v] < 0 {
				u.Parent[v], u.Level[v] = queue[0], u.Level[queue[0]]+1
				queue = append(queue, v)
			}
		}
	}
	if found < len(near) {
		lost := slices.Index(u.Level, -1)
		return nil, fmt.Errorf("topology %s: switch %d cannot be reached from the root %d", g.Name, lost, root)
	}
	u.number(root)
	return u, nil
}

// NewUpDownTree takes a tree that is given, parents and -1 for the root, and the links beside it.
// All vertices are switches.
func NewUpDownTree(parent []int, cross [][2]int) (*UpDown, error) {
	n := len(parent)
	u := &UpDown{Switches: n, Parent: parent, Level: make([]int, n), near: make([][]int, n)}
	root := -1
	for v, p := range parent {
		if p < -1 || p >= n || p == -1 && root >= 0 {
			return nil, fmt.Errorf("vertex %d has parent %d; one vertex has -1, the others 0 to %d", v, p, n-1)
		}
		if p == -1 {
			root = v
			continue
		}
		cross = append(slices.Clone(cross), [2]int{v, p})
		for at := v; parent[at] >= 0 && parent[at] < n; at = parent[at] {
			if u.Level[v]++; u.Level[v] > n {
				return nil, fmt.Errorf("vertex %d is its own ancestor", v)
			}
		}
	}
	if root < 0 {
		return nil, fmt.Errorf("no vertex has parent -1")
	}
	for _, link := range cross {
		if min(link[0], link[1]) < 0 || max(link[0], link[1]) >= n {
			return nil, fmt.Errorf("link %v: vertices are 0 to %d", link, n-1)
		}
		u.near[link[0]] = append(u.near[link[0]], link[1])
		u.near[link[1]] = append(u.near[link[1]], link[0])
	}
	for _, list := range u.near {
		slices.Sort(list)
	}
	u.number(root)
	return u, nil
}

// number assigns postorder numbers.
func (u *UpDown) number(root int) {
	u.ID = make([]int, len(u.Parent))
	children := make([][]int, len(u.Parent))
	for v, p := range u.Parent {
		if p >= 0 {
			children[p] = append(children[p], v)
		}
	}
	next := 1
	open := []int{root} // the vertices between the root and the one being numbered
	for len(open) > 0 {
		v := open[len(open)-1]
		if len(children[v]) > 0 {
			open = append(open, children[v][0])
			children[v] = children[v][1:]
			continue
		}
		u.ID[v] = next
		next++
		open = open[:len(open)-1]
	}
}

// Vertex returns the vertex of a processor.
func (u *UpDown) Vertex(p noc.NodeID) int { return u.Switches + int(p) }

// Strict returns the way along the tree, both ends included (definition 3).
func (u *UpDown) Strict(from, to int) []int {
	var down []int
	path := []int{from}
	for from != to {
		if u.Level[from] >= u.Level[to] {
			from = u.Parent[from]
			path = append(path, from)
		} else {
			down = append(down, to)
			to = u.Parent[to]
		}
	}
	slices.Reverse(down)
	return append(path, down...)
}

// choices lists where a relaxed path may go from place i of the strict path (definition 4): to
// the next place, or by a link outside the tree to any later one. The result holds places,
// ascending.
//
// That a way must not climb after it has descended needs no check: later places of the descending
// part lie deeper, and all of the climbing part comes before it.
func (u *UpDown) choices(strict []int, i int) []int {
	var list []int
	for k := i + 1; k < len(strict); k++ {
		if _, linked := slices.BinarySearch(u.near[strict[i]], strict[k]); linked {
			list = append(list, k)
		}
	}
	return list
}

// Relaxed lists all relaxed up-first paths between two vertices. There may be many.
func (u *UpDown) Relaxed(from, to int) [][]int {
	strict := u.Strict(from, to)
	var all [][]int
	var extend func(path []int, i int)
	extend = func(path []int, i int) {
		if i == len(strict)-1 {
			all = append(all, slices.Clone(path))
			return
		}
		for _, k := range u.choices(strict, i) {
			extend(append(path, strict[k]), k)
		}
	}
	extend([]int{from}, 0)
	return all
}

// Choices lists the vertices to which a relaxed path from a vertex may go on, in the order in
// which the paper's simulator prefers them: the one first whose number is closest to the
// destination's, the smaller of two (section 4). It is empty at the destination. What is
// permitted further on depends on the vertex reached alone, because the tree's path from a vertex
// on the way is the rest of the tree's path from its start.
func (u *UpDown) Choices(from, to int) []int {
	strict := u.Strict(from, to)
	list := u.choices(strict, 0)
	for i, k := range list {
		list[i] = strict[k]
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(abs(u.ID[a]-u.ID[to])-abs(u.ID[b]-u.ID[to]), u.ID[a]-u.ID[b])
	})
	return list
}

// Selected returns the relaxed path that the paper's simulator takes when nothing is busy.
func (u *UpDown) Selected(from, to int) []int {
	path := []int{from}
	for from != to {
		from = u.Choices(from, to)[0]
		path = append(path, from)
	}
	return path
}

func abs(n int) int { return max(n, -n) }

// Route lists the switches after the first on the selected way between two processors.
func (u *UpDown) Route(from, to noc.NodeID) []noc.NodeID {
	path := u.Selected(u.Vertex(from), u.Vertex(to))
	list := []noc.NodeID{}
	for i := 2; i < len(path)-1; i++ { // without the processors and the first switch
		list = append(list, noc.NodeID(path[i]))
	}
	return list
}

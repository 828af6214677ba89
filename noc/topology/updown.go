package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// UpDown routes an irregular network so that no deadlock can arise: every route first climbs
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
	parent := slices.Repeat([]int{-2}, len(near))
	parent[root] = -1
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, v := range near[queue[0]] {
			if parent[v] == -2 {
				parent[v] = queue[0]
				queue = append(queue, v)
			}
		}
	}
	if lost := slices.Index(parent, -2); lost >= 0 {
		return nil, fmt.Errorf("topology %s: switch %d cannot be reached from the root %d", g.Name, lost, root)
	}
	u := &UpDown{Switches: g.Switches, Parent: parent, near: near}
	u.number(root)
	return u, nil
}

// NewUpDownTree takes a tree that is given, parents and -1 for the root, and the links beside it.
// All vertices are switches.
func NewUpDownTree(parent []int, cross [][2]int) (*UpDown, error) {
	n, root := len(parent), slices.Index(parent, -1)
	links := slices.Clone(cross)
	for v, p := range parent {
		if p < -1 || p >= n || p == -1 && v != root {
			return nil, fmt.Errorf("vertex %d has parent %d; one vertex has -1, the others 0 to %d", v, p, n-1)
		}
		if v != root {
			links = append(links, [2]int{v, p})
		}
	}
	for _, link := range cross {
		if min(link[0], link[1]) < 0 || max(link[0], link[1]) >= n {
			return nil, fmt.Errorf("link %v: vertices are 0 to %d", link, n-1)
		}
	}
	u := &UpDown{Switches: n, Parent: parent, near: Graph{Switches: n, Links: links}.Neighbours()}
	if root >= 0 {
		u.number(root)
	}
	if lost := slices.Index(u.ID, 0); root < 0 || lost >= 0 {
		return nil, fmt.Errorf("vertex %d is not below a root", max(lost, 0))
	}
	return u, nil
}

// number finds the levels and postorder numbers of the vertices under the root.
func (u *UpDown) number(root int) {
	u.Level, u.ID = make([]int, len(u.Parent)), make([]int, len(u.Parent))
	next := 0
	var visit func(v int)
	visit = func(v int) {
		for _, child := range u.near[v] { // ascending
			if u.Parent[child] == v {
				u.Level[child] = u.Level[v] + 1
				visit(child)
			}
		}
		next++
		u.ID[v] = next
	}
	visit(root)
}

// Vertex returns the vertex of a processor.
func (u *UpDown) Vertex(p noc.NodeID) int { return u.Switches + int(p) }

// Strict returns the route along the tree, both ends included (definition 3).
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

// Relaxed lists all relaxed up-first paths between two vertices. There may be many.
func (u *UpDown) Relaxed(from, to int) [][]int {
	if from == to {
		return [][]int{{to}}
	}
	var all [][]int
	for _, next := range u.Choices(from, to) {
		for _, rest := range u.Relaxed(next, to) {
			all = append(all, append([]int{from}, rest...))
		}
	}
	return all
}

// Choices lists the vertices to which a relaxed path from a vertex may go on: the next of the
// strict path, or by a link outside the tree any later one (definition 4). It is empty at the
// destination. They are in the order in which the paper's simulator prefers them: the one first
// whose number is closest to the destination's, the smaller of two (section 4).
//
// That a route must not climb after it has descended needs no check: later vertices of the
// descending part lie deeper, and all of the climbing part comes before it. What is permitted
// further on depends on the vertex reached alone, because the tree's path from a vertex on the way
// is the rest of the tree's path from its start.
func (u *UpDown) Choices(from, to int) []int {
	list := slices.DeleteFunc(u.Strict(from, to), func(v int) bool { return !slices.Contains(u.near[from], v) })
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

// Route lists the switches after the first on the selected route between two processors.
func (u *UpDown) Route(from, to noc.NodeID) []noc.NodeID {
	path := u.Selected(u.Vertex(from), u.Vertex(to))
	list := []noc.NodeID{}
	for i := 2; i < len(path)-1; i++ { // without the processors and the first switch
		list = append(list, noc.NodeID(path[i]))
	}
	return list
}

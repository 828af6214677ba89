package vectors

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// trees has trees, paths and recursive doubling of irregular networks. Processor i is written as vertex
// switches+i.
func trees(c *task) (object, error) {
	var in struct {
		about
		Switches int      `json:"switches"`
		Links    [][2]int `json:"links"`
		At       []int    `json:"processor_switch"`
		Root     int      `json:"root"`
		Source   int      `json:"source"`
		Dests    []int    `json:"dests"`
		Paths    []struct {
			From int `json:"from"`
			To   int `json:"to"`
		} `json:"paths"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	g := topology.Graph{Name: "links", Switches: in.Switches, Links: in.Links, Processors: in.At, Root: in.Root}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	u, err := topology.NewUpDown(g, in.Root)
	if err != nil {
		return nil, err
	}
	var processors []noc.NodeID
	for _, v := range append([]int{in.Source}, in.Dests...) {
		if v < in.Switches || v >= len(u.ID) {
			return nil, fmt.Errorf("vertex %d is not a processor; those are %d to %d", v, in.Switches, len(u.ID)-1)
		}
		processors = append(processors, noc.NodeID(v-in.Switches))
	}
	r := multicast.Request{Source: processors[0], Destinations: processors[1:]}
	chain, w := multicast.PostorderChain(u, r), g.Wiring()
	p := multicast.Doubling(chain, multicast.WithSender, u.Route)
	c.valid("plan", p.Check(w, r))
	vertices, paths := []int{}, []object{}
	for _, n := range chain {
		vertices = append(vertices, u.Vertex(n))
	}
	for _, path := range in.Paths {
		if min(path.From, path.To) < 0 || max(path.From, path.To) >= len(u.ID) {
			return nil, fmt.Errorf("path from %d to %d: vertices are 0 to %d", path.From, path.To, len(u.ID)-1)
		}
		paths = append(paths, object{"from": path.From, "to": path.To, "strict": u.Strict(path.From, path.To),
			"relaxed": u.Relaxed(path.From, path.To), "selected": u.Selected(path.From, path.To)})
	}
	return object{"parent": u.Parent, "level": u.Level, "postorder_id": u.ID, "chain": vertices, "schedule": schedule(p, in.Switches),
		"paths": paths, "latency_ns": c.latency(p, w, multicast.PostorderTiming(128))}, nil
}

// figure has figure 1 of Libeskind-Hadas, Mazzoni and Rajagopalan, whose vertices are called by their
// postorder numbers.
func figure(c *task) (object, error) {
	var in struct {
		about
		Parent map[int]int `json:"parent_by_id"`
		Cross  [][2]int    `json:"cross"`
		Chain  []int       `json:"chain"`
		Named  [][3]int    `json:"schedule_steps_named_in_text"`
		Not    []int       `json:"not_relaxed"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	n := len(in.Parent) + 1
	parent := make([]int, n) // vertex = number - 1
	parent[n-1] = -1
	for id, p := range in.Parent {
		if id < 1 || id >= n || p < 1 || p > n {
			return nil, fmt.Errorf("parent of %d is %d; numbers are 1 to %d, the root %d", id, p, n, n)
		}
		parent[id-1] = p - 1
	}
	for i := range in.Cross {
		in.Cross[i][0]--
		in.Cross[i][1]--
	}
	u, err := topology.NewUpDownTree(parent, in.Cross)
	if err != nil {
		return nil, err
	}
	if n < 4 || len(in.Chain) == 0 || in.Chain[0] < 1 || in.Chain[0] > n {
		return nil, fmt.Errorf("the chain %v does not start at one of %d vertices, or there is no vertex 4", in.Chain, n)
	}
	byNumber := make(map[int]int, n)
	for v, p := range u.Parent {
		if p >= 0 {
			byNumber[u.ID[v]] = u.ID[p]
		}
	}
	var relaxed [][]int
	for _, path := range u.Relaxed(0, 3) {
		relaxed = append(relaxed, numbers(u, path))
	}
	if slices.ContainsFunc(relaxed, func(path []int) bool { return slices.Equal(path, in.Not) }) {
		c.problems = append(c.problems, fmt.Sprintf("%v is a relaxed path", in.Not))
	}
	r := multicast.Request{Source: noc.NodeID(in.Chain[0])} // a broadcast among the numbers themselves
	for id := range n {
		r.Destinations = append(r.Destinations, noc.NodeID(id+1))
	}
	chain := multicast.RotatedChain(r)
	steps := schedule(multicast.Doubling(chain, multicast.WithSender, func(_, _ noc.NodeID) []noc.NodeID { return []noc.NodeID{} }), 0)
	for _, row := range in.Named {
		if !slices.Contains(steps, row) {
			c.problems = append(c.problems, fmt.Sprintf("the schedule lacks %v", row))
		}
	}
	return object{"parent_by_id": byNumber, "chain": chain, "schedule": steps, "strict_1_to_4": numbers(u, u.Strict(0, 3)), "relaxed_1_to_4": relaxed}, nil
}

// numbers calls vertices by their postorder numbers.
func numbers(u *topology.UpDown, path []int) (list []int) {
	for _, v := range path {
		list = append(list, u.ID[v])
	}
	return list
}

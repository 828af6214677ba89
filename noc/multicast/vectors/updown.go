package vectors

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// treeCase compares trees, paths and recursive doubling of irregular networks. Processor i is
// written as vertex switches+i.
type treeCase struct {
	ID        string   `json:"id"`
	Note      string   `json:"note"`
	Switches  int      `json:"switches"`
	Links     [][2]int `json:"links"`
	At        []int    `json:"processor_switch"`
	Root      int      `json:"root"`
	Parent    []int    `json:"parent"`
	Level     []int    `json:"level"`
	Postorder []int    `json:"postorder_id"`
	Source    int      `json:"source"`
	Dests     []int    `json:"dests"`
	Chain     []int    `json:"chain"`
	Schedule  [][3]int `json:"schedule"`
	Paths     []struct {
		From     int     `json:"from"`
		To       int     `json:"to"`
		Strict   []int   `json:"strict"`
		Relaxed  [][]int `json:"relaxed"`
		Selected []int   `json:"selected"`
	} `json:"paths"`
	LatencyNS int64 `json:"latency_ns"`
}

func (k *treeCase) check(c *comparison) error {
	g := topology.Graph{Name: "links", Switches: k.Switches, Links: k.Links, Processors: k.At, Root: k.Root}
	if err := g.Validate(); err != nil {
		return err
	}
	u, err := topology.NewUpDown(g, k.Root)
	if err != nil {
		return err
	}
	c.equal("parent", u.Parent, k.Parent)
	c.equal("level", u.Level, k.Level)
	c.equal("postorder_id", u.ID, k.Postorder)
	r, err := k.request(len(u.ID))
	if err != nil {
		return err
	}
	p := multicast.Doubling(multicast.PostorderChain(u, r), multicast.WithSender, u.Route)
	w := g.Wiring()
	c.valid("plan", p.Check(w, r))
	c.equal("chain", vertices(u, multicast.PostorderChain(u, r)), k.Chain)
	list := schedule(p)
	for i := range list {
		list[i][1] += k.Switches
		list[i][2] += k.Switches
	}
	c.equal("schedule", list, sortedSchedule(k.Schedule))
	for _, path := range k.Paths {
		if min(path.From, path.To) < 0 || max(path.From, path.To) >= len(u.ID) {
			return fmt.Errorf("path from %d to %d: vertices are 0 to %d", path.From, path.To, len(u.ID)-1)
		}
		name := fmt.Sprintf("from %d to %d: ", path.From, path.To)
		c.equal(name+"strict", u.Strict(path.From, path.To), path.Strict)
		c.equal(name+"relaxed", sortedPaths(u.Relaxed(path.From, path.To)), sortedPaths(path.Relaxed))
		c.equal(name+"selected", u.Selected(path.From, path.To), path.Selected)
	}
	latency, err := p.Latency(w, multicast.PostorderTiming(128))
	c.equal("latency_ns", latency, k.LatencyNS)
	return err
}

// request turns vertices into processors.
func (k *treeCase) request(vertices int) (multicast.Request, error) {
	var r multicast.Request
	for i, v := range append([]int{k.Source}, k.Dests...) {
		if v < k.Switches || v >= vertices {
			return r, fmt.Errorf("vertex %d is not a processor; those are %d to %d", v, k.Switches, vertices-1)
		}
		if n := noc.NodeID(v - k.Switches); i == 0 {
			r.Source = n
		} else {
			r.Destinations = append(r.Destinations, n)
		}
	}
	return r, nil
}

func vertices(u *topology.UpDown, processors []noc.NodeID) []int {
	var list []int
	for _, p := range processors {
		list = append(list, u.Vertex(p))
	}
	return list
}

func sortedPaths(list [][]int) [][]int {
	slices.SortFunc(list, slices.Compare)
	return list
}

// figureCase compares figure 1 of Libeskind-Hadas, Mazzoni and Rajagopalan, whose vertices are
// called by their postorder numbers.
type figureCase struct {
	ID       string      `json:"id"`
	Note     string      `json:"note"`
	Parent   map[int]int `json:"parent_by_id"`
	Cross    [][2]int    `json:"cross"`
	Chain    []int       `json:"chain"`
	Named    [][3]int    `json:"schedule_steps_named_in_text"`
	Schedule [][3]int    `json:"schedule"`
	Strict   []int       `json:"strict_1_to_4"`
	Relaxed  [][]int     `json:"relaxed_1_to_4"`
	Not      []int       `json:"not_relaxed"`
}

func (k *figureCase) check(c *comparison) error {
	n := len(k.Parent) + 1
	parent := make([]int, n) // vertex = number - 1
	parent[n-1] = -1
	for id, p := range k.Parent {
		if id < 1 || id >= n || p < 1 || p > n {
			return fmt.Errorf("parent of %d is %d; numbers are 1 to %d, the root %d", id, p, n, n)
		}
		parent[id-1] = p - 1
	}
	cross := make([][2]int, len(k.Cross))
	for i, link := range k.Cross {
		cross[i] = [2]int{link[0] - 1, link[1] - 1}
	}
	u, err := topology.NewUpDownTree(parent, cross)
	if err != nil {
		return err
	}
	for v, id := range u.ID {
		c.equal("number", id, v+1)
	}
	if n < 4 || len(k.Chain) == 0 || k.Chain[0] < 1 || k.Chain[0] > n {
		return fmt.Errorf("the chain %v does not start at one of %d vertices, or there is no vertex 4", k.Chain, n)
	}
	strict, relaxed := numbers(u.Strict(0, 3)), [][]int{}
	for _, path := range u.Relaxed(0, 3) {
		relaxed = append(relaxed, numbers(path))
	}
	c.equal("strict_1_to_4", strict, k.Strict)
	c.equal("relaxed_1_to_4", sortedPaths(relaxed), sortedPaths(k.Relaxed))
	if slices.ContainsFunc(relaxed, func(path []int) bool { return slices.Equal(path, k.Not) }) {
		c.problems = append(c.problems, fmt.Sprintf("%v is a relaxed path", k.Not))
	}
	r := multicast.Request{Source: noc.NodeID(k.Chain[0])} // a broadcast among the numbers themselves
	for id := range n {
		r.Destinations = append(r.Destinations, noc.NodeID(id+1))
	}
	chain := multicast.RotatedChain(r)
	c.equal("chain", chain, k.Chain)
	p := multicast.Doubling(chain, multicast.WithSender, func(_, _ noc.NodeID) []noc.NodeID { return []noc.NodeID{} })
	got := schedule(p)
	c.equal("schedule", got, sortedSchedule(k.Schedule))
	for _, row := range k.Named {
		if !slices.Contains(got, row) {
			c.problems = append(c.problems, fmt.Sprintf("the schedule lacks %v", row))
		}
	}
	return nil
}

// numbers calls vertices by their postorder numbers.
func numbers(path []int) []int {
	list := slices.Clone(path)
	for i := range list {
		list[i]++
	}
	return list
}

package vectors

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// network is the input that cases on direct networks share: a mesh or a labelled graph.
type network struct {
	ID     string        `json:"id"`
	Note   string        `json:"note"`
	Dims   []int         `json:"dims"`
	Adj    [][]int       `json:"adj"`
	Labels []int         `json:"labels"`
	Source noc.NodeID    `json:"source"`
	Dests  []noc.NodeID  `json:"dests"`
	grid   topology.Grid // of Dims
}

// open builds the network with its labels.
func (n *network) open() (*multicast.Labelled, error) {
	if n.Adj == nil {
		n.grid = topology.Mesh(n.Dims...)
		nodes := 1
		for _, k := range n.Dims {
			if k < 1 || nodes*k > topology.MaxNodes {
				return nil, fmt.Errorf("dims %v: sides are at least 1, with at most %d nodes in all", n.Dims, topology.MaxNodes)
			}
			nodes *= k
		}
		if len(n.Dims) == 0 {
			return nil, fmt.Errorf(`neither "dims" nor "adj" is given`)
		}
		return multicast.NewLabelled(n.grid.Wiring(), multicast.SnakeLabels(n.grid))
	}
	g := topology.Graph{Name: "adj", Switches: len(n.Adj)}
	for a, list := range n.Adj {
		for _, b := range list {
			if b >= 0 && b < len(n.Adj) && !slices.Contains(n.Adj[b], a) {
				return nil, fmt.Errorf("adj: %d lists %d but not the other way round", a, b)
			}
			if a <= b || b < 0 {
				g.Links = append(g.Links, [2]int{a, b})
			}
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return multicast.NewLabelled(g.Wiring(), n.Labels)
}

// openRequest builds the network and checks the source and destinations.
func (n *network) openRequest() (*multicast.Labelled, multicast.Request, error) {
	r := multicast.Request{Source: n.Source, Destinations: n.Dests}
	l, err := n.open()
	if err != nil {
		return nil, r, err
	}
	return l, r, r.Validate(l.Wiring.Nodes())
}

// openMesh does so for a network that has to be a mesh.
func (n *network) openMesh() (*multicast.Labelled, multicast.Request, error) {
	if n.Adj != nil {
		return nil, multicast.Request{}, fmt.Errorf(`"adj" is given; this kind of case needs a mesh, "dims"`)
	}
	return n.openRequest()
}

// worm is one worm as cases write it: the nodes from the sender on, and for each stop its node and
// the number of channels before it.
type worm struct {
	Route []noc.NodeID    `json:"route"`
	Stops [][2]noc.NodeID `json:"stops"`
	Rep   *noc.NodeID     `json:"rep,omitempty"` // the representative that sends it
}

// worms writes a valid plan the way cases do, in the order of their routes, which makes the order
// in which a scheme lists its worms irrelevant.
func worms(p multicast.Plan, second bool) []worm {
	var list []worm
	for _, m := range p {
		w := worm{Route: append([]noc.NodeID{m.From}, m.Path...)}
		at := 0
		for _, s := range m.Stops {
			for w.Route[at] != s {
				at++
			}
			w.Stops = append(w.Stops, [2]noc.NodeID{s, noc.NodeID(at)})
		}
		if second {
			w.Rep = &m.From
		}
		list = append(list, w)
	}
	return sorted(list)
}

func sorted(list []worm) []worm {
	slices.SortFunc(list, func(a, b worm) int { return slices.Compare(a.Route, b.Route) })
	return list
}

// labelCase compares labels and routes of the function R.
type labelCase struct {
	network
	Routes []struct {
		From      noc.NodeID   `json:"from"`
		To        noc.NodeID   `json:"to"`
		Path      []noc.NodeID `json:"path"`
		D         int          `json:"d"`
		Manhattan *int         `json:"manhattan"`
	} `json:"routes"`
}

func (k *labelCase) check(c *comparison) error {
	l, err := k.open()
	if err != nil {
		return err
	}
	if k.Adj == nil {
		labels := multicast.SnakeLabels(k.grid)
		c.equal("labels", labels[:min(len(k.Labels), len(labels))], k.Labels)
	}
	for _, r := range k.Routes {
		if err := (multicast.Request{Source: r.From, Destinations: []noc.NodeID{r.To}}).Validate(l.Wiring.Nodes()); err != nil {
			return err
		}
		name := fmt.Sprintf("from %d to %d: ", r.From, r.To)
		c.equal(name+"path", l.Route([]noc.NodeID{r.From}, r.From, r.To), r.Path)
		c.equal(name+"d", l.Distance(r.From, r.To), r.D)
		if r.Manhattan != nil {
			c.equal(name+"manhattan", k.grid.Distance(r.From, r.To), *r.Manhattan)
		}
	}
	return nil
}

// pathCase compares dual-path, multi-path and column-path.
type pathCase struct {
	network
	Dual       []worm `json:"dual"`
	Multi      []worm `json:"multi"`
	Column     []worm `json:"column"`
	MaxLen     [3]int `json:"max_len"`
	Channels   [3]int `json:"channels"`
	Additional [3]int `json:"additional_traffic"`
	Equation10 int64  `json:"eq10_DP_Ts33_L32"`
	Equation11 int64  `json:"eq11_MP_Ts33_L32"`
}

func (k *pathCase) check(c *comparison) error {
	l, r, err := k.openMesh()
	if err != nil {
		return err
	}
	column, err := multicast.ColumnPath(k.grid, r, 4)
	if err != nil {
		return err
	}
	plans := [3]multicast.Plan{multicast.DualPath(l, r), multicast.MultiPath(l, &k.grid, r), column}
	var longest, channels, additional [3]int
	for i, want := range [3][]worm{k.Dual, k.Multi, k.Column} {
		name := [3]string{"dual", "multi", "column"}[i]
		c.valid(name, plans[i].Check(l.Wiring, r))
		c.equal(name, worms(plans[i], false), sorted(want))
		m, err := plans[i].Measure()
		c.valid(name, err)
		longest[i], channels[i], additional[i] = m.Longest, m.Channels, m.Additional
	}
	c.equal("max_len", longest, k.MaxLen)
	c.equal("channels", channels, k.Channels)
	c.equal("additional_traffic", additional, k.Additional)
	for i, want := range [2]int64{k.Equation10, k.Equation11} {
		latency, err := plans[i].Latency(l.Wiring, multicast.GroupTiming(32))
		c.valid("latency", err)
		c.equal([2]string{"eq10_DP_Ts33_L32", "eq11_MP_Ts33_L32"}[i], latency, want)
	}
	return nil
}

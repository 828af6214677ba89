package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Wiring is any network as tables: the channels between its routers, and where each node is
// attached.
//
// In a direct network (a grid) router r and node r are the same place. In an indirect one routers
// are switches with numbers of their own, several nodes may share a switch, and a node may send
// into one switch and receive from another (a unidirectional multistage network).
type Wiring struct {
	Name    string // what Open reads, such as mesh:8x8
	Routers int
	// Channels are the unidirectional channels between routers, ordered by From, then Out.
	Channels []Channel
	// Entry is the router and input port that each node sends into; Exit the router and output port
	// that it receives from.
	Entry, Exit []Place

	first []int32 // index in Channels of each router's first channel, and one past the last
	ports int
}

// Channel leads from output port Out of router From to input port In of router To.
type Channel struct {
	From, To noc.NodeID
	Out, In  uint16
	Link     *Link `json:",omitempty"` // nil for a link like all others of its network
}

// Cycles returns the latency of the channel: its own, or that of the other links of its network.
func (c Channel) Cycles(others int) int {
	if c.Link != nil && c.Link.Cycles > 0 {
		return c.Link.Cycles
	}
	return others
}

// Place is one port of a router.
type Place struct {
	Router noc.NodeID
	Port   uint16
}

// NewWiring returns the tables of a network: the channels between its routers, and the router and
// port that each node sends into and receives from. It reports a place that is not there, and two
// that share a port.
func NewWiring(name string, routers int, channels []Channel, entry, exit []Place) (*Wiring, error) {
	if name == "" || routers < 1 || routers > MaxNodes || len(entry) < 2 || len(entry) > MaxNodes || len(exit) != len(entry) {
		return nil, fmt.Errorf("topology %q: there are %d routers, and %d nodes send and %d receive; a name, 1 to %d routers and 2 to %d nodes that send and receive are needed",
			name, routers, len(entry), len(exit), MaxNodes, MaxNodes)
	}
	type end struct {
		Place
		enters bool // a router
	}
	taken := map[end]string{}
	claim := func(at Place, enters bool, who string) error {
		if int(at.Router) >= routers {
			return fmt.Errorf("topology %s: %s is at router %d; routers are 0 to %d", name, who, at.Router, routers-1)
		}
		if other := taken[end{at, enters}]; other != "" {
			return fmt.Errorf("topology %s: %s and %s share port %d of router %d; each needs a port of its own", name, other, who, at.Port, at.Router)
		}
		taken[end{at, enters}] = who
		return nil
	}
	for i, c := range channels {
		if err := cmp.Or(claim(Place{c.From, c.Out}, false, fmt.Sprintf("the start of channel %d", i)), claim(Place{c.To, c.In}, true, fmt.Sprintf("the end of channel %d", i))); err != nil {
			return nil, err
		}
	}
	for n := range entry {
		if err := cmp.Or(claim(entry[n], true, fmt.Sprintf("the entry of node %d", n)), claim(exit[n], false, fmt.Sprintf("the exit of node %d", n))); err != nil {
			return nil, err
		}
	}
	return newWiring(name, routers, slices.Clone(channels), slices.Clone(entry), slices.Clone(exit)), nil
}

// newWiring sorts the channels and builds the index. The channels of a router must leave by
// different ports and no two may enter by the same port: a mistake of the caller, which panics.
func newWiring(name string, routers int, channels []Channel, entry, exit []Place) *Wiring {
	slices.SortStableFunc(channels, func(a, b Channel) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Out, b.Out)) })
	w := &Wiring{Name: name, Routers: routers, Channels: channels, Entry: entry, Exit: exit, first: make([]int32, routers+1)}
	next := int32(0)
	for r := range routers {
		w.first[r] = next
		for int(next) < len(channels) && int(channels[next].From) == r {
			next++
		}
	}
	w.first[routers] = next
	for _, c := range channels {
		w.ports = max(w.ports, int(c.Out)+1, int(c.In)+1)
	}
	for n := range entry {
		w.ports = max(w.ports, int(entry[n].Port)+1, int(exit[n].Port)+1)
	}
	if int(next) != len(channels) {
		panic(fmt.Sprintf("topology %s: a channel leaves router %d of %d", name, channels[next].From, routers))
	}
	return w
}

// Complete reports whether the wiring was made with [NewWiring], which also makes its index.
func (w *Wiring) Complete() bool { return len(w.first) == w.Routers+1 }

// Nodes returns the number of nodes that send and receive.
func (w *Wiring) Nodes() int { return len(w.Entry) }

// Out lists the channels that leave a router, in port order. The slice belongs to the wiring.
func (w *Wiring) Out(router noc.NodeID) []Channel {
	return w.Channels[w.first[router]:w.first[router+1]]
}

// Channel returns the index in Channels of the channel between two routers with the lowest output
// port, or -1 when there is none.
func (w *Wiring) Channel(from, to noc.NodeID) int {
	for i := w.first[from]; i < w.first[from+1]; i++ {
		if w.Channels[i].To == to {
			return int(i)
		}
	}
	return -1
}

// Ports returns the number of ports of the router that has most: those of channels and nodes, one
// more than the largest number. All routers of a grid have [Grid.Ports], with a channel or not.
func (w *Wiring) Ports() int { return w.ports }

// Distances returns a function that finds how many channels a shortest route has from each router to one, -1 where
// there is none. Its result is good until the next call.
func (w *Wiring) Distances() func(to noc.NodeID) []int {
	into, distance := make([][]noc.NodeID, w.Routers), make([]int, w.Routers)
	for _, c := range w.Channels {
		into[c.To] = append(into[c.To], c.From)
	}
	return func(to noc.NodeID) []int {
		for r := range distance {
			distance[r] = -1
		}
		distance[to] = 0
		for queue := []noc.NodeID{to}; len(queue) > 0; queue = queue[1:] {
			for _, r := range into[queue[0]] {
				if distance[r] < 0 {
					distance[r] = distance[queue[0]] + 1
					queue = append(queue, r)
				}
			}
		}
		return distance
	}
}

// NodeDistances returns, from a table, the number of channels on a shortest route between the routers of two nodes, 0
// from a node to itself. It is for checks.
func (w *Wiring) NodeDistances() func(from, to noc.NodeID) int {
	nodes, distances := noc.NodeID(w.Nodes()), w.Distances()
	table := make([]int, nodes*nodes)
	for to, exit := range w.Exit {
		list := distances(exit.Router)
		for from, entry := range w.Entry {
			if from != to {
				table[from*w.Nodes()+to] = list[entry.Router]
			}
		}
	}
	return func(from, to noc.NodeID) int { return table[from*nodes+to] }
}

// Direct reports whether every router is the place of exactly one node with the same number.
func (w *Wiring) Direct() bool {
	if len(w.Entry) != w.Routers {
		return false
	}
	for n := range w.Entry {
		if int(w.Entry[n].Router) != n || int(w.Exit[n].Router) != n {
			return false
		}
	}
	return true
}

// BothWays reports whether for each channel another leads back, as links do.
func (w *Wiring) BothWays() bool {
	return !slices.ContainsFunc(w.Channels, func(c Channel) bool { return w.Channel(c.To, c.From) < 0 })
}

// Wiring returns the grid as tables. Ports are the grid's; nodes enter and leave by port Local.
func (g Grid) Wiring() *Wiring {
	var channels []Channel
	places := make([]Place, g.Nodes())
	for n := range noc.NodeID(g.Nodes()) {
		places[n] = Place{n, Local}
		for port := 1; port < g.Ports(); port++ {
			if peer, in, ok := g.Neighbour(n, port); ok {
				channels = append(channels, Channel{n, peer, uint16(port), uint16(in), nil})
			}
		}
	}
	w := newWiring(g.String(), g.Nodes(), channels, places, places)
	w.ports = g.Ports()
	return w
}

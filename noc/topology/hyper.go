package topology

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Hyper is a network whose routers have coordinates and several nodes each: a concentrated mesh, or, where the
// routers along each dimension are all linked to each other (Full), a flattened butterfly or a fully
// connected network. Packets correct dimension 0 first, then dimension 1 and so on.
//
// Routers are numbered as those of a [Grid], nodes Concentration*router and so on. The ports of a router are
// those of its nodes, and then those of its neighbours in ascending order.
type Hyper struct {
	Grid          Grid // of routers; a mesh
	Full          bool
	Concentration int // nodes of a router
}

// Graph returns the network as switches and links.
func (h Hyper) Graph(name string) Graph {
	g := Graph{Name: name, Switches: h.Grid.Nodes(), Processors: repeated(h.Grid.Nodes(), h.Concentration)}
	for a := range g.Switches {
		stride := 1
		for d, k := range h.Grid.Radix {
			for x := h.Grid.Coordinate(noc.NodeID(a), d) + 1; x < k; x++ {
				g.addLink(a, a+(x-h.Grid.Coordinate(noc.NodeID(a), d))*stride, [2]*Link{})
				if !h.Full {
					break
				}
			}
			stride *= k
		}
	}
	return g
}

// Next returns the router that follows another on the way to a third.
func (h Hyper) Next(at, to noc.NodeID) noc.NodeID {
	stride := 1
	for d, k := range h.Grid.Radix {
		offset := h.Grid.Coordinate(to, d) - h.Grid.Coordinate(at, d)
		if !h.Full {
			offset = max(-1, min(offset, 1))
		}
		if offset != 0 {
			return noc.NodeID(int(at) + offset*stride)
		}
		stride *= k
	}
	return at
}

// Dragonfly is a network of groups of fully linked routers. (Kim, Dally, Scott and Abts, ISCA 2008.) Each of the
// Routers of a group has Nodes nodes, a link to each other router of the group, and Global links to other groups.
// There are Routers*Global+1 groups, so that each group has one link to each other.
//
// Routers are numbered group by group, and nodes router by router. Global link k of a group, which is link k mod
// Global of its router k / Global, leads to group k, or to group k+1 if k is not below its own number. A packet
// takes at most one link in its own group, one between groups, and one in the last.
type Dragonfly struct{ Nodes, Routers, Global int }

// Groups returns the number of groups.
func (d Dragonfly) Groups() int { return d.Routers*d.Global + 1 }

// Group returns the group of a router.
func (d Dragonfly) Group(router noc.NodeID) int { return int(router) / d.Routers }

// gate returns the router of a group with the link to another group.
func (d Dragonfly) gate(group, other int) int {
	if other > group {
		other--
	}
	return group*d.Routers + other/d.Global
}

// Graph returns the network as switches and links. Links within groups and those between them may have
// latencies of their own.
func (d Dragonfly) Graph(name string, local, global int) Graph {
	groups := d.Groups()
	g := Graph{Name: name, Switches: groups * d.Routers, Processors: repeated(groups*d.Routers, d.Nodes)}
	join := func(a, b, cycles int) {
		var kind *Link
		if cycles > 0 {
			kind = &Link{Cycles: cycles}
		}
		g.addLink(a, b, [2]*Link{kind, kind})
	}
	for i := range groups {
		for a := i * d.Routers; a < (i+1)*d.Routers; a++ {
			for b := a + 1; b < (i+1)*d.Routers; b++ {
				join(a, b, local)
			}
		}
		for j := i + 1; j < groups; j++ {
			join(d.gate(i, j), d.gate(j, i), global)
		}
	}
	return g
}

// Next returns the router that follows another on the way to a third.
func (d Dragonfly) Next(at, to noc.NodeID) noc.NodeID {
	here, there := d.Group(at), d.Group(to)
	gate := noc.NodeID(d.gate(here, there))
	switch {
	case here == there:
		return to
	case gate == at:
		return noc.NodeID(d.gate(there, here))
	}
	return gate
}

// repeated returns the switch of each processor, of which every switch has as many.
func repeated(switches, processors int) []int {
	list := make([]int, switches*processors)
	for p := range list {
		list[p] = p / processors
	}
	return list
}

// Chiplets returns a mesh of dies, each a mesh of routers: links between dies are of class [DieToDie], with the
// latency [DieToDieCycles]. Nodes are numbered as in the whole mesh, over all dies.
func Chiplets(name string, dies, die Grid) Layout {
	g := Grid{}
	for d := range dies.Radix {
		g.Radix = append(g.Radix, dies.Radix[d]*die.Radix[d])
	}
	l := g.Layout()
	l.Wiring.Name = name
	for i := range l.Wiring.Channels {
		c := &l.Wiring.Channels[i]
		for d, every := range die.Radix {
			if g.cut(*c, d, every) {
				c.Link = &Link{Cycles: DieToDieCycles, Class: DieToDie}
			}
		}
	}
	return l
}

// DieToDieCycles is the latency of a link between chiplets, unless network.link.d2d.cycles gives another.
const DieToDieCycles = 4

// The forms of named networks with sizes, and the number of sizes that may be left out.
var named = map[string]struct {
	form     string
	least    int
	optional int
}{
	"ring":      {"ring:N with N routers, such as ring:16", 1, 0},
	"full":      {"full:N or full:N:C with N routers of C nodes each, such as full:8", 1, 1},
	"fattree":   {"fattree:K:N with K^N nodes and N stages of switches with K ports up and down, such as fattree:4:3", 2, 0},
	"flatfly":   {"flatfly:K:D:C with K routers along each of D dimensions and C nodes each, such as flatfly:4:2:4", 3, 0},
	"dragonfly": {"dragonfly:P:A:H or dragonfly:P:A:H:L:G with P nodes of a router, A routers of a group, H links of a router to other groups, and links of L and G cycles within and between groups, such as dragonfly:2:4:2", 3, 2},
}

// openNamed opens a network by name and sizes.
func openNamed(spec, kind string, parts []string) (Layout, error) {
	n := named[kind]
	sizes, err := wholeNumbers(parts)
	if err == nil && (len(sizes) < n.least || len(sizes) > n.least+n.optional || kind == "dragonfly" && len(sizes) == 4) {
		err = fmt.Errorf("want %s", n.form)
	}
	for i, s := range sizes {
		if err == nil && (s < 1 || s > MaxNodes) {
			err = fmt.Errorf("size %d is %d; 1 to %d are allowed: %s", i+1, s, MaxNodes, n.form)
		}
	}
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	switch kind {
	case "ring":
		g := Torus(sizes[0])
		if err := g.Validate(); err != nil {
			return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
		}
		return g.Layout(), nil
	case "fattree":
		m := Multistage{Bidirectional: true, Arity: sizes[0]}
		nodes := 1
		for range min(sizes[1], 17) {
			nodes = min(nodes*m.Arity, MaxNodes+1)
		}
		if m, err = NewMultistage(true, nodes, m.Arity); err != nil {
			return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
		}
		l := m.Layout()
		l.Wiring.Name, l.FatTree = spec, true
		return l, nil
	case "full":
		return openHyper(spec, Hyper{Mesh(sizes[0]), true, append(sizes, 1)[1]})
	case "flatfly":
		h := Hyper{Full: true, Concentration: sizes[2]}
		for range min(sizes[1], 8) {
			h.Grid.Radix = append(h.Grid.Radix, sizes[0])
		}
		return openHyper(spec, h)
	}
	d := Dragonfly{sizes[0], sizes[1], sizes[2]}
	if d.Groups() > MaxNodes || d.Groups()*d.Routers > MaxNodes || d.Groups()*d.Routers*d.Nodes > MaxNodes {
		return Layout{}, fmt.Errorf("topology %q: %d groups of %d routers with %d nodes each; at most %d nodes are allowed", spec, d.Groups(), d.Routers, d.Nodes, MaxNodes)
	}
	sizes = append(sizes, 0, 0)
	l, err := openWhole(spec, d.Graph(spec, sizes[3], sizes[4]))
	l.Dragonfly = &d
	return l, err
}

// openHyper makes a network of routers with coordinates.
func openHyper(spec string, h Hyper) (Layout, error) {
	if err := h.Grid.Validate(); err != nil {
		return Layout{}, fmt.Errorf("topology %q: the routers are %w", spec, err)
	}
	if h.Concentration < 1 || h.Concentration*h.Grid.Nodes() > MaxNodes {
		return Layout{}, fmt.Errorf("topology %q: %d routers with %d nodes each; 1 or more, and %d nodes in all, are allowed", spec, h.Grid.Nodes(), h.Concentration, MaxNodes)
	}
	l, err := openWhole(spec, h.Graph(spec))
	l.Hyper = &h
	return l, err
}

// openWhole checks a graph and wires it.
func openWhole(spec string, g Graph) (Layout, error) {
	if err := g.Validate(); err != nil {
		return Layout{}, err
	}
	g.Name = spec
	return Layout{Wiring: g.Wiring(), Graph: &g}, nil
}

// openConcentrated opens a mesh of routers with several nodes each.
func openConcentrated(spec string, parts []string) (Layout, error) {
	const form = "cmesh:AxB:C with AxB routers of C nodes each, such as cmesh:4x4:4"
	if len(parts) != 2 {
		return Layout{}, fmt.Errorf("topology %q: want %s", spec, form)
	}
	g, err := Parse("mesh:" + parts[0])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	sizes, err := wholeNumbers(parts[1:])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	return openHyper(spec, Hyper{Grid: g, Concentration: sizes[0]})
}

// openChiplets opens a mesh of meshes.
func openChiplets(spec string, parts []string) (Layout, error) {
	const form = "chiplets:AxB:mesh:CxD with AxB dies of CxD routers each, such as chiplets:2x2:mesh:4x4"
	if len(parts) != 3 || parts[1] != "mesh" {
		return Layout{}, fmt.Errorf("topology %q: want %s", spec, form)
	}
	die, err := ParseMesh(parts[2])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	dies, err := ParseMesh(parts[0])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	if len(dies.Radix) != len(die.Radix) || dies.Nodes() > MaxNodes/die.Nodes() {
		return Layout{}, fmt.Errorf("topology %q: dies and routers need the same number of dimensions, and at most %d nodes in all: %s", spec, MaxNodes, form)
	}
	return Chiplets(spec, dies, die), nil
}

// ParseMesh reads the sizes of a mesh, such as 2x2, which may be one router.
func ParseMesh(size string) (Grid, error) {
	g, err := Parse("mesh:" + size)
	if err != nil && len(g.Radix) > 0 && g.Nodes() == 1 && len(g.Radix) <= 7 {
		err = nil
	}
	return g, err
}

package topology

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Layout is a topology by name: its wiring and what it was made from. At most one of Grid, UniTorus,
// Multistage and Graph is set; none is for a topology of another module. Beside Graph, Hyper or Dragonfly
// tells how it is routed.
type Layout struct {
	Wiring     *Wiring
	Grid       *Grid
	UniTorus   *UniTorus
	Multistage *Multistage
	Graph      *Graph
	Hyper      *Hyper
	Dragonfly  *Dragonfly
	FatTree    bool // beside Multistage: packets climb by random ports
}

// Layout returns the grid as a topology by name.
func (g Grid) Layout() Layout { return Layout{Wiring: g.Wiring(), Grid: &g} }

// Layout returns the network as a topology by name.
func (m Multistage) Layout() Layout { return Layout{Wiring: m.Wiring(), Multistage: &m} }

// Nodes returns the number of nodes.
func (l Layout) Nodes() int { return l.Wiring.Nodes() }

// String returns the name that Open reads.
func (l Layout) String() string { return l.Wiring.Name }

// Coordinates returns the grid that numbers the nodes, if there is one.
func (l Layout) Coordinates() (Grid, bool) {
	switch {
	case l.Grid != nil:
		return *l.Grid, true
	case l.UniTorus != nil:
		return l.UniTorus.Grid(), true
	}
	return Grid{}, false
}

// Direction returns the way that a router's network port leads, such as "x+" to larger coordinates
// along x, and "" where nodes have no coordinates.
func (l Layout) Direction(port int) string {
	var dim, sign int
	switch {
	case l.Grid != nil:
		dim, sign = l.Grid.Direction(port)
	case l.UniTorus != nil:
		if dim, sign = port-1, 1; l.UniTorus.Down[dim] {
			sign = -1
		}
	default:
		return ""
	}
	return fmt.Sprintf("%c%c", dimensionNames[dim], "-+"[(sign+1)/2])
}

// MarshalJSON writes what the network was made from, whole: a graph with all its links, because the name
// of its file says nothing, and the tables of a topology of another module. It serves digests.
func (l Layout) MarshalJSON() ([]byte, error) {
	wiring := l.Wiring
	if (l.Grid != nil || l.Multistage != nil || l.Graph != nil || l.UniTorus != nil) && !wiring.Special() {
		wiring = nil
	}
	return json.Marshal(struct {
		Name       string
		Grid       *Grid       `json:",omitempty"`
		Multistage *Multistage `json:",omitempty"`
		Graph      *Graph      `json:",omitempty"`
		UniTorus   *UniTorus   `json:",omitempty"`
		Wiring     *Wiring     `json:",omitempty"`
	}{l.Wiring.Name, l.Grid, l.Multistage, l.Graph, l.UniTorus, wiring})
}

// Forms lists what Open reads, with an explanation of each.
var Forms = []struct{ Form, Doc string }{
	{"torus:AxB", "torus of any number of dimensions, such as torus:8x8"},
	{"mesh:AxB", "mesh of any number of dimensions, such as mesh:4x4x4"},
	{"utorus:AxB", "torus with unidirectional rings, such as utorus:10x12; utorus:10x12:-y-x routes along y first, to smaller coordinates"},
	{"min:baseline:N:B", "unidirectional multistage network of N nodes and BxB switches, such as min:baseline:64:4"},
	{"min:butterfly:N:B", "unidirectional butterfly of N nodes and BxB switches, such as min:butterfly:64:4"},
	{"bimin:butterfly:N:B", "bidirectional butterfly of N nodes and BxB switches, such as bimin:butterfly:64:8"},
	{"bimin:two-sided:N:B", "the same with half of the N nodes at each side, routed up*/down*, such as bimin:two-sided:32:4"},
	{"lattice:N:SEED", "N switches at random points of a lattice, such as lattice:64:1; lattice:N:SEED:SIDE:P:PORTS also sets the lattice's side, processors per switch (default 1) and ports per switch (default 8)"},
	{"ring:N", "torus:N"},
	{"full:N:C", "N routers, all linked to each other, of C nodes each (default 1)"},
	{"cmesh:AxB:C", "mesh of routers with C nodes each, such as cmesh:4x4:4"},
	{"flatfly:K:D:C", "flattened butterfly: K routers along each of D dimensions, all linked to each other, of C nodes each, such as flatfly:4:2:4"},
	{"fattree:K:N", "K-ary N-tree, such as fattree:4:3: a bidirectional butterfly of K^N nodes whose packets climb by random ports"},
	{"dragonfly:P:A:H", "groups of A routers, all linked to each other, with P nodes and H links to other groups each, such as dragonfly:2:4:2; dragonfly:P:A:H:L:G also sets the latency of links within and between groups"},
	{"chiplets:AxB:mesh:CxD", "mesh of dies, each a mesh of routers, with links of class d2d between dies, such as chiplets:2x2:mesh:4x4"},
	{"graph:FILE", "switches, links and processors from a file"},
	{"anynet:FILE", "routers, nodes and latencies from a network file of BookSim2"},
}

// Open reads the name of any topology. An error of a graph file keeps the error of the file system.
func Open(spec string) (Layout, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	parts := strings.Split(rest, ":")
	switch kind {
	case "torus", "mesh":
		g, err := Parse(spec)
		if err != nil {
			return Layout{}, err
		}
		return g.Layout(), nil
	case "utorus":
		u, err := ParseUniTorus(spec)
		if err != nil {
			return Layout{}, err
		}
		return Layout{Wiring: u.Wiring(), UniTorus: &u}, nil
	case "min", "bimin":
		return openMultistage(spec, kind, parts)
	case "lattice":
		return openLattice(spec, parts)
	case "graph":
		return openGraph(rest)
	case "anynet":
		return openAnynet(rest)
	case "cmesh":
		return openConcentrated(spec, parts)
	case "chiplets":
		return openChiplets(spec, parts)
	}
	if _, known := named[kind]; known {
		return openNamed(spec, kind, parts)
	}
	var forms []string
	for _, f := range Forms {
		forms = append(forms, f.Form)
	}
	return Layout{}, fmt.Errorf("topology %q: choose from %s", spec, strings.Join(forms, ", "))
}

// OfFile reports whether a topology by name is read from a file.
func OfFile(spec string) bool {
	return strings.HasPrefix(spec, "graph:") || strings.HasPrefix(spec, "anynet:")
}

// GridOf returns the grid of a torus, a mesh or chiplets by name, whose nodes have coordinates on a map.
func GridOf(spec string) (Grid, bool) {
	if g, err := Parse(spec); err == nil {
		return g, true
	}
	if strings.HasPrefix(spec, "chiplets:") {
		if l, err := Open(spec); err == nil {
			return *l.Grid, true
		}
	}
	return Grid{}, false
}

func openMultistage(spec, kind string, parts []string) (Layout, error) {
	family := map[string]string{"min": "baseline", "bimin": "butterfly"}[kind]
	if kind == "bimin" && parts[0] == "two-sided" {
		family = parts[0]
	}
	if len(parts) != 3 || parts[0] != family && parts[0] != "butterfly" {
		return Layout{}, fmt.Errorf("topology %q: want %s:%s:N:B with N nodes and BxB switches, such as %s:%s:64:4", spec, kind, family, kind, family)
	}
	numbers, err := wholeNumbers(parts[1:])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	if family == "two-sided" {
		if numbers[0]%2 == 1 {
			return Layout{}, fmt.Errorf("topology %q: %d nodes are not two equal sides; use an even number", spec, numbers[0])
		}
		numbers[0] /= 2
	}
	m, err := NewMultistage(kind == "bimin", numbers[0], numbers[1])
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	if parts[0] == "two-sided" {
		g := m.twoSided(spec)
		return Layout{Wiring: g.Wiring(), Graph: &g}, nil
	}
	m.Butterfly = kind == "min" && parts[0] == "butterfly"
	return m.Layout(), nil
}

func openLattice(spec string, parts []string) (Layout, error) {
	if len(parts) < 2 || len(parts) > 5 {
		return Layout{}, fmt.Errorf("topology %q: want lattice:N:SEED, or lattice:N:SEED:SIDE:P:PORTS with SIDE, P and PORTS as far as they are needed, such as lattice:64:1", spec)
	}
	seed, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: the seed %q is not a whole number from 0 to 2^64-1", spec, parts[1])
	}
	sizes, err := wholeNumbers(append([]string{parts[0]}, parts[2:]...))
	if err != nil {
		return Layout{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	var g Graph
	switch len(sizes) {
	case 1:
		g, err = Lattice(sizes[0], seed)
	default:
		sizes = append(sizes, []int{0, 0, 1, LatticePorts}[len(sizes):]...)
		g, err = LatticeOfSide(sizes[0], sizes[1], sizes[2], sizes[3], seed)
	}
	if err == nil {
		err = g.Validate()
	}
	if err != nil {
		return Layout{}, err
	}
	g.Name = spec
	return Layout{Wiring: g.Wiring(), Graph: &g}, nil
}

func openGraph(path string) (Layout, error) {
	content, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return Layout{}, fmt.Errorf("topology graph:%s: %w", path, err)
	}
	g, err := ReadGraph(path, bytes.NewReader(content))
	if err != nil {
		return Layout{}, err
	}
	return Layout{Wiring: g.Wiring(), Graph: &g}, nil
}

// wholeNumbers reads sizes.
func wholeNumbers(texts []string) ([]int, error) {
	numbers := make([]int, len(texts))
	for i, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not a whole number from 0 on", text)
		}
		numbers[i] = n
	}
	return numbers, nil
}

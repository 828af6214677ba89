package topology

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Graph is an irregular network: switches joined by links, each link a channel in both
// directions, and processors at switches. In a graph without a list of processors every switch
// has one with its own number, so that the network is direct.
type Graph struct {
	Name     string
	Switches int
	// Links joins two switches each; several may join the same two. Kinds says what the channels of each have of
	// their own, that from its first switch first; nil stands for none.
	Links [][2]int
	Kinds [][2]*Link `json:",omitempty"`
	// Processors names the switch of each processor; several may share one.
	Processors []int
	Root       int // switch at the root of the tree for up*/down* routing
	// Labels numbers the switches along a Hamiltonian path, for label-ordered multicast; nil where
	// none is given.
	Labels []int
}

// mostRoutes bounds irregular networks, whose routing tables have an entry for each switch and
// processor; mostSide bounds the sides of lattices.
const (
	mostSide   = 1 << 12
	mostRoutes = mostSide * mostSide
)

// Validate tells which entry cannot be built.
func (g Graph) Validate() error {
	if g.Switches < 1 || g.Switches > MaxNodes {
		return fmt.Errorf("topology %s: %d switches; 1 to %d are allowed", g.Name, g.Switches, MaxNodes)
	}
	if len(g.Processors) > MaxNodes {
		return fmt.Errorf("topology %s: %d processors; at most %d are allowed", g.Name, len(g.Processors), MaxNodes)
	}
	if g.Switches*len(g.Processors) > mostRoutes {
		return fmt.Errorf("topology %s: %d switches and %d processors have too many routes for a table; at most %d are allowed, such as %d of each",
			g.Name, g.Switches, len(g.Processors), mostRoutes, mostSide)
	}
	if g.Kinds != nil && len(g.Kinds) != len(g.Links) {
		return fmt.Errorf("topology %s: %d kinds for %d links", g.Name, len(g.Kinds), len(g.Links))
	}
	for i, link := range g.Links {
		a, b := min(link[0], link[1]), max(link[0], link[1])
		switch {
		case a < 0 || b >= g.Switches:
			return fmt.Errorf("topology %s: link %d joins %d and %d; switches are 0 to %d", g.Name, i, link[0], link[1], g.Switches-1)
		case a == b:
			return fmt.Errorf("topology %s: link %d joins switch %d to itself", g.Name, i, a)
		}
		for _, kind := range g.kinds(i) {
			if kind != nil && kind.Validate() != nil {
				return fmt.Errorf("topology %s: link %d: %w", g.Name, i, kind.Validate())
			}
		}
	}
	if g.Root < 0 || g.Root >= g.Switches {
		return fmt.Errorf("topology %s: root %d; switches are 0 to %d", g.Name, g.Root, g.Switches-1)
	}
	if g.Labels != nil && len(g.Labels) != g.Switches {
		return fmt.Errorf("topology %s: %d labels for %d switches", g.Name, len(g.Labels), g.Switches)
	}
	at := make([]int, len(g.Labels)) // switch of each position, plus 1
	for s, position := range g.Labels {
		switch {
		case position < 0 || position >= g.Switches:
			return fmt.Errorf("topology %s: labels: switch %d has position %d; positions are 0 to %d", g.Name, s, position, g.Switches-1)
		case at[position] > 0:
			return fmt.Errorf("topology %s: labels: switches %d and %d both have position %d", g.Name, at[position]-1, s, position)
		}
		at[position] = s + 1
	}
	for i, s := range g.Processors {
		if s < 0 || s >= g.Switches {
			return fmt.Errorf("topology %s: processor %d is at switch %d; switches are 0 to %d", g.Name, i, s, g.Switches-1)
		}
	}
	return nil
}

// Nodes returns the number of processors.
func (g Graph) Nodes() int {
	if g.Processors == nil {
		return g.Switches
	}
	return len(g.Processors)
}

// Switch returns the switch of a processor.
func (g Graph) Switch(n noc.NodeID) int {
	if g.Processors == nil {
		return int(n)
	}
	return g.Processors[n]
}

// kinds returns what the channels of a link have of their own.
func (g Graph) kinds(link int) (own [2]*Link) {
	if g.Kinds != nil {
		own = g.Kinds[link]
	}
	return own
}

// Neighbours lists the switches linked to each switch, each once, ascending.
func (g Graph) Neighbours() [][]int {
	near := make([][]int, g.Switches)
	for _, link := range g.Links {
		near[link[0]] = append(near[link[0]], link[1])
		near[link[1]] = append(near[link[1]], link[0])
	}
	for s, list := range near {
		slices.Sort(list)
		near[s] = slices.Compact(list)
	}
	return near
}

// Wiring returns the graph as tables. At each switch ports start with those of its processors,
// ascending, and go on with those of its links, ascending by the neighbour and then in the order of the links.
func (g Graph) Wiring() *Wiring {
	ports := make([]int, g.Switches)
	places := make([]Place, g.Nodes())
	for n := range places {
		s := g.Switch(noc.NodeID(n))
		places[n] = Place{noc.NodeID(s), uint16(ports[s])}
		ports[s]++
	}
	order := make([]int, 2*len(g.Links)) // both directions of link i are 2i and 2i+1
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.Links[a/2][1-a%2] - g.Links[b/2][1-b%2] })
	port := make([]uint16, len(order)) // of the switch from which a direction leads
	for _, i := range order {
		from := g.Links[i/2][i%2]
		port[i] = uint16(ports[from])
		ports[from]++
	}
	var channels []Channel
	for i := range order {
		link := g.Links[i/2]
		channels = append(channels, Channel{noc.NodeID(link[i%2]), noc.NodeID(link[1-i%2]), port[i], port[i^1], g.kinds(i / 2)[i%2]})
	}
	return newWiring(g.Name, g.Switches, channels, places, places)
}

// maxGraphLine is the longest line of a graph file, in bytes; a line of labels is the longest.
const maxGraphLine = 1 << 20

// ReadGraph reads a graph file: one statement per line, empty lines and what follows # ignored.
//
//	switches 5             # numbered 0 to 4; comes first
//	link 0 1               # a channel in both directions; two switches may have several
//	link 1 2 latency=4 width=64 length=2.5 class=d2d   # in cycles, bits and mm; link 1 2 4 has the latency alone
//	processors 0 0 3       # the switch of each processor; may be repeated to add more
//	root 4                 # of the tree for up*/down* routing; 0 unless given
//	labels 0 4 1 2 3       # position of each switch on a Hamiltonian path, for label-ordered schemes
//
// Without processors every switch has one of its own. Errors name the file and the line.
func ReadGraph(name string, r io.Reader) (Graph, error) {
	g := Graph{Name: "graph:" + name}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxGraphLine)
	line, given := 0, map[string]int{} // given has the line of what may come once
	for scanner.Scan() {
		line++
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if before := given[words[0]]; before > 0 {
			return Graph{}, fmt.Errorf("%s: line %d: %s again, after line %d; remove one of the two", name, line, words[0], before)
		}
		if err := g.statement(words[0], words[1:]); err != nil {
			return Graph{}, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		if words[0] != "link" && words[0] != "processors" {
			given[words[0]] = line
		}
	}
	if err := scanner.Err(); err != nil {
		return Graph{}, fmt.Errorf("%s: line %d: %w", name, line+1, err)
	}
	if g.Switches == 0 {
		return Graph{}, fmt.Errorf("%s: there is no line with switches, such as: switches 5", name)
	}
	if err := g.Validate(); err != nil {
		return Graph{}, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// statement takes one line of a graph file.
func (g *Graph) statement(word string, rest []string) error {
	if words := []string{"switches", "link", "processors", "root", "labels"}; !slices.Contains(words, word) {
		return fmt.Errorf("%q is not one of %s", word, strings.Join(words, ", "))
	}
	var own []string // what a link has of its own
	if word == "link" && len(rest) > 2 {
		rest, own = rest[:2], rest[2:]
	}
	numbers, err := wholeNumbers(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	wanted := map[string]int{"switches": 1, "link": 2, "root": 1}[word]
	if wanted > 0 && len(numbers) != wanted {
		return fmt.Errorf("%s takes %d numbers, but there are %d", word, wanted, len(numbers))
	}
	if word != "switches" && g.Switches == 0 {
		return fmt.Errorf("%s comes before the line with the number of switches", word)
	}
	if ofSwitches := word == "link" || word == "processors" || word == "root"; ofSwitches && len(numbers) > 0 && slices.Max(numbers) >= g.Switches {
		return fmt.Errorf("switch %d: switches are 0 to %d", slices.Max(numbers), g.Switches-1)
	}
	switch word {
	case "switches":
		if g.Switches = numbers[0]; g.Switches < 1 || g.Switches > MaxNodes {
			return fmt.Errorf("%d switches; 1 to %d are allowed", g.Switches, MaxNodes)
		}
	case "link":
		if numbers[0] == numbers[1] {
			return fmt.Errorf("link joins switch %d to itself", numbers[0])
		}
		kind, err := parseLink(own)
		if err != nil {
			return err
		}
		g.addLink(numbers[0], numbers[1], [2]*Link{kind, kind})
	case "processors":
		if len(numbers) == 0 {
			return errors.New("processors takes the switch of one or more, but there are 0")
		}
		g.Processors = append(g.Processors, numbers...)
	case "root":
		g.Root = numbers[0]
	case "labels":
		g.Labels = numbers
	}
	return nil
}

// addLink joins two switches.
func (g *Graph) addLink(a, b int, own [2]*Link) {
	if own != [2]*Link{} && g.Kinds == nil {
		g.Kinds = make([][2]*Link, len(g.Links))
	}
	if g.Links = append(g.Links, [2]int{a, b}); g.Kinds != nil {
		g.Kinds = append(g.Kinds, own)
	}
}

// LatticePorts is the number of ports of a switch in the paper's runs: room for four links and as
// many processors.
const LatticePorts = 8

// Lattice returns an irregular network of switches at random points of a square lattice, linked to
// their neighbours on it: at most four links each, and one processor, as in the paper's runs.
// (Libeskind-Hadas, Mazzoni and Rajagopalan, section 4.)
//
// The paper gives neither the side of its lattice nor how points are drawn so that they are
// connected. Here a cluster grows from a random point: each further switch takes one of the free
// points next to it, all with the same probability. The default side leaves about half of the
// points free. Switches are numbered by rows of the lattice, and the root is switch 0.
func Lattice(switches int, seed uint64) (Graph, error) {
	side := 1
	for side*side < 2*min(switches, MaxNodes) {
		side++
	}
	return LatticeOfSide(switches, side, 1, LatticePorts, seed)
}

// LatticeOfSide returns a Lattice on side x side points with a number of processors at each switch,
// whose ports must have room for them beside four links; processor p is at switch p / processors.
func LatticeOfSide(switches, side, processors, ports int, seed uint64) (Graph, error) {
	g := Graph{Name: fmt.Sprintf("lattice:%d:%d", switches, seed), Switches: switches}
	if switches < 1 || switches > MaxNodes {
		return g, fmt.Errorf("topology %s: %d switches; 1 to %d are allowed", g.Name, switches, MaxNodes)
	}
	if side < 1 || side > mostSide || side*side < switches {
		return g, fmt.Errorf("topology %s: %d x %d points; they must have room for %d switches and be at most %d x %d", g.Name, side, side, switches, mostSide, mostSide)
	}
	const links = 4
	if ports <= links || ports > MaxNodes {
		return g, fmt.Errorf("topology %s: switches of %d ports; %d to %d are allowed, for %d links and a processor at least", g.Name, ports, links+1, MaxNodes, links)
	}
	if processors < 1 || processors > ports-links {
		return g, fmt.Errorf("topology %s: %d processors per switch; 1 to %d are possible with %d ports", g.Name, processors, ports-links, ports)
	}
	taken := make([]bool, side*side)
	waiting := make([]bool, side*side)
	counter := random.Stream(seed)
	edge := []int{counter.Below(side * side)} // free points next to the cluster, in the order of their discovery
	for range switches {
		i := counter.Below(len(edge))
		point := edge[i]
		edge = slices.Delete(edge, i, i+1)
		taken[point] = true
		for _, next := range around(point, side) {
			if !taken[next] && !waiting[next] {
				waiting[next] = true
				edge = append(edge, next)
			}
		}
	}
	number := make([]int, side*side)
	count := 0
	for point, is := range taken {
		if is {
			number[point] = count
			count++
		}
	}
	for point, is := range taken {
		for _, next := range around(point, side) {
			if is && next > point && taken[next] {
				g.Links = append(g.Links, [2]int{number[point], number[next]})
			}
		}
	}
	g.Processors = make([]int, switches*processors)
	for p := range g.Processors {
		g.Processors[p] = p / processors
	}
	return g, nil
}

// around lists the lattice points next to one.
func around(point, side int) []int {
	var list []int
	x, y := point%side, point/side
	if y > 0 {
		list = append(list, point-side)
	}
	if x > 0 {
		list = append(list, point-1)
	}
	if x < side-1 {
		list = append(list, point+1)
	}
	if y < side-1 {
		list = append(list, point+side)
	}
	return list
}

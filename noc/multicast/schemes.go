package multicast

import (
	"fmt"
	"slices"
	"strings"
)

// Options are the choices that the papers leave open, for all schemes.
type Options struct {
	Ports  PortRule     // of ocms and otms
	Groups GroupOptions // of qg
	// Injection is how many worms the source sends at a time in unicast and column-path; 0 takes
	// the network's number.
	Injection int
	// Consumption is the number of consumption channels per node in atbm: 1, or the ports of a
	// switch.
	Consumption int
}

// DefaultOptions are the papers' own choices where they have one.
func DefaultOptions() Options { return Options{Groups: DefaultGroupOptions(), Consumption: 1} }

// Way is how the worms of a scheme go, which says what unicasts may share channels with them.
type Way int

// The ways.
const (
	ByNetwork    Way = iota // unicasts, which the network may route by itself
	ByLabels                // label-ordered, with several stops
	ByDimensions            // dimension-ordered, with several stops
	ByTree                  // replicated by routers
)

// Scheme is one way to plan multicasts.
type Scheme struct {
	Name string
	Doc  string // one line
	Way  Way
	// Worms makes the plan of a request that fits the network.
	Worms func(n *Network, r Request, o Options) (Plan, error)
}

// Schemes lists the schemes.
var Schemes = []Scheme{
	{"unicast", "a separate message to each destination, over the network's own routes", ByNetwork, planCopies},
	{"tree", "one worm, replicated along dimension-ordered routes of a mesh or torus", ByTree, planTree},
	{"dual-path", "two label-ordered worms, one to higher labels and one to lower labels", ByLabels, planDual},
	{"multi-path", "dual-path, with the destinations of each worm divided among the neighbours of the source", ByLabels, planMulti},
	{"column-path", "dimension-ordered worms, at most two for each column of a mesh", ByDimensions, planColumns},
	{"qg", "Qualified Groups: to representatives of balanced groups, then inside the groups", ByLabels, planGroups},
	{"ocms", "label-ordered star with the fewest channels", ByLabels, planOCMS},
	{"otms", "label-ordered star whose longest worm is shortest", ByLabels, planOTMS},
	{"atbm", "asynchronous tree worm in a multistage network; tokens prevent deadlock between worms", ByTree, planTreeWorm},
	{"umin", "recursive doubling by unicasts in a bidirectional multistage network", ByNetwork, planUMIN},
	{"cmin", "recursive doubling by unicasts in a unidirectional multistage network", ByNetwork, planCMIN},
	{"postorder-doubling", "recursive doubling without contention over up*/down* routing of an irregular network", ByNetwork, planPostorder},
	{"random-doubling", "recursive doubling by unicasts in random order, as a reference", ByNetwork, planRandom},
}

// Forwards reports whether nodes that receive a message of a scheme pass it on, each time with a
// startup.
func Forwards(scheme string) bool {
	return slices.Contains([]string{"qg", "umin", "cmin", "postorder-doubling", "random-doubling"}, scheme)
}

// SchemeNames lists the names in the order of the table, and those of further schemes.
func SchemeNames(more ...Scheme) (names []string) {
	for _, s := range slices.Concat(Schemes, more) {
		names = append(names, s.Name)
	}
	return names
}

// LookupScheme finds a scheme by name in the table and among further schemes.
func LookupScheme(name string, more ...Scheme) (Scheme, error) {
	for _, s := range slices.Concat(Schemes, more) {
		if s.Name == name {
			return s, nil
		}
	}
	return Scheme{}, fmt.Errorf("no multicast scheme is called %q: there are %s", name, strings.Join(SchemeNames(more...), ", "))
}

// Plan plans one multicast. The plan of a request without destinations is empty.
func (s Scheme) Plan(n *Network, r Request, o Options) (Plan, error) {
	if err := r.Validate(n.Wiring.Nodes()); err != nil {
		return nil, err
	}
	if o.Injection == 0 {
		o.Injection = n.injection()
	}
	p, err := s.Worms(n, r, o)
	if err != nil {
		return nil, fmt.Errorf("scheme %s: %w", s.Name, err)
	}
	return p, nil
}

func planCopies(n *Network, r Request, o Options) (Plan, error) {
	route, err := n.Route()
	if err != nil {
		return nil, err
	}
	return Copies(r, o.Injection, route)
}

func planTree(n *Network, r Request, _ Options) (Plan, error) {
	g, err := n.grid()
	if err != nil {
		return nil, err
	}
	return DimensionTree(g, r), nil
}

func planDual(n *Network, r Request, _ Options) (Plan, error) {
	l, err := n.Labelled()
	if err != nil {
		return nil, err
	}
	return DualPath(l, r), nil
}

func planMulti(n *Network, r Request, _ Options) (Plan, error) {
	l, err := n.Labelled()
	if err != nil {
		return nil, err
	}
	return MultiPath(l, n.Grid, r), nil
}

func planColumns(n *Network, r Request, o Options) (Plan, error) {
	g, err := n.mesh()
	if err != nil {
		return nil, err
	}
	return ColumnPath(g, r, o.Injection)
}

func planGroups(n *Network, r Request, o Options) (Plan, error) {
	g, err := n.mesh()
	if err != nil {
		return nil, err
	}
	q, err := QualifiedGroups(g, r, o.Groups)
	if err != nil {
		return nil, err
	}
	l, err := n.Labelled()
	if err != nil {
		return nil, err
	}
	return q.Plan(l, n.Grid, r, o.Groups), nil
}

func planOCMS(n *Network, r Request, o Options) (Plan, error) {
	return planStar(n, r, o, func(l *Labelled) (Star, error) { return l.OCMS(r, o.Ports) })
}

func planOTMS(n *Network, r Request, o Options) (Plan, error) {
	return planStar(n, r, o, func(l *Labelled) (Star, error) { return l.OTMS(r, o.Ports) })
}

func planStar(n *Network, r Request, o Options, solve func(*Labelled) (Star, error)) (Plan, error) {
	l, err := n.Labelled()
	if err != nil {
		return nil, err
	}
	star, err := solve(l)
	if err != nil {
		return nil, err
	}
	return star.Plan(l, r.Source), nil
}

func planTreeWorm(n *Network, r Request, o Options) (Plan, error) {
	m, err := n.multistage()
	if err != nil {
		return nil, err
	}
	groups, err := n.Groups(o.Consumption)
	if err != nil {
		return nil, err
	}
	return TreeWorm(m, groups, r), nil
}

func planUMIN(n *Network, r Request, _ Options) (Plan, error) { return planChain(n, r, true) }

func planCMIN(n *Network, r Request, _ Options) (Plan, error) { return planChain(n, r, false) }

func planChain(n *Network, r Request, bidirectional bool) (Plan, error) {
	m, err := n.multistage()
	if err != nil {
		return nil, err
	}
	if m.Bidirectional != bidirectional {
		other := map[bool]string{true: "umin", false: "cmin"}[m.Bidirectional]
		return nil, fmt.Errorf("is not for %s; there it is called %s", m, other)
	}
	return Doubling(RotatedChain(r), WithReceiver, m.Route), nil
}

func planPostorder(n *Network, r Request, _ Options) (Plan, error) {
	u, err := n.Tree()
	if err != nil {
		return nil, err
	}
	return Doubling(PostorderChain(u, r), WithSender, u.Route), nil
}

func planRandom(n *Network, r Request, _ Options) (Plan, error) {
	route, err := n.Route()
	if err != nil {
		return nil, err
	}
	return Doubling(RandomChain(r), WithSender, route), nil
}

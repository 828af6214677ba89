package multicast

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
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

// Way is how the worms of a scheme are routed, which determines the unicasts that may share
// channels with them.
type Way int

// The values of Way.
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
	{"unicast", "a separate message to each destination, over the network's own routes", ByNetwork, with((*Network).Route, planCopies)},
	{"tree", "one worm, replicated along dimension-ordered routes of a mesh or torus", ByTree, with((*Network).grid, planTree)},
	{"dual-path", "two label-ordered worms, one to higher labels and one to lower labels", ByLabels, with((*Network).Labelled, planDual)},
	{"multi-path", "dual-path, with the destinations of each worm divided among the neighbours of the source", ByLabels, with((*Network).Labelled, planMulti)},
	{"column-path", "dimension-ordered worms, at most two for each column of a mesh", ByDimensions, with((*Network).mesh, planColumns)},
	{"qg", "Qualified Groups: to representatives of balanced groups, then inside the groups", ByLabels, with((*Network).grid, planGroups)},
	{"qg-unicast", "Qualified Groups whose two steps are unicasts, which any routing may take", ByNetwork, with((*Network).grid, planGroupUnicasts)},
	{"ocms", "label-ordered star with the fewest channels", ByLabels, with((*Network).Labelled, starBy((*Labelled).OCMS))},
	{"otms", "label-ordered star whose longest worm is as short as possible", ByLabels, with((*Network).Labelled, starBy((*Labelled).OTMS))},
	{"atbm", "asynchronous tree worm in a multistage network; tokens prevent deadlock between worms", ByTree, with((*Network).multistage, planTreeWorm)},
	{"atbm-multiple", "the same in a bidirectional network, turning round at several stages; one token for all switches", ByTree, with((*Network).multistage, planTurningTree)},
	{"umin", "recursive doubling by unicasts in a bidirectional multistage network", ByNetwork, with((*Network).multistage, planDoubling(true, "cmin"))},
	{"cmin", "recursive doubling by unicasts in a unidirectional multistage network", ByNetwork, with((*Network).multistage, planDoubling(false, "umin"))},
	{"postorder-doubling", "recursive doubling without contention over up*/down* routing of an irregular network", ByNetwork, with((*Network).Tree, planPostorder)},
	{"random-doubling", "recursive doubling by unicasts in random order, as a reference", ByNetwork, with((*Network).Route, planRandom)},
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

// with plans with a part that the network must have.
func with[T any](part func(*Network) (T, error), plan func(T, *Network, Request, Options) (Plan, error)) func(*Network, Request, Options) (Plan, error) {
	return func(n *Network, r Request, o Options) (Plan, error) {
		has, err := part(n)
		if err != nil {
			return nil, err
		}
		return plan(has, n, r, o)
	}
}

func planCopies(route Route, _ *Network, r Request, o Options) (Plan, error) {
	return Copies(r, o.Injection, route)
}

func planTree(g topology.Grid, _ *Network, r Request, _ Options) (Plan, error) {
	return DimensionTree(g, r), nil
}

func planDual(l *Labelled, _ *Network, r Request, _ Options) (Plan, error) {
	return DualPath(l, r), nil
}

func planMulti(l *Labelled, n *Network, r Request, _ Options) (Plan, error) {
	return MultiPath(l, n.Grid, r), nil
}

func planColumns(g topology.Grid, _ *Network, r Request, o Options) (Plan, error) {
	return ColumnPath(g, r, o.Injection)
}

func planGroups(g topology.Grid, n *Network, r Request, o Options) (Plan, error) {
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

// planGroupUnicasts leaves the routes to the network: worms with several stops on routes such as
// those of a turn model would wait for each other in a circle.
func planGroupUnicasts(g topology.Grid, n *Network, r Request, o Options) (Plan, error) {
	q, err := QualifiedGroups(g, r, o.Groups)
	if err != nil {
		return nil, err
	}
	route, err := n.Route()
	if err != nil {
		return nil, err
	}
	copies := func(r Request) (p Plan) {
		if err == nil {
			p, err = Copies(r, o.Injection, route)
		}
		return p
	}
	return q.send(r, copies, copies), err
}

// starBy plans the star that a method finds.
func starBy(find func(*Labelled, Request, PortRule) (Star, error)) func(*Labelled, *Network, Request, Options) (Plan, error) {
	return func(l *Labelled, _ *Network, r Request, o Options) (Plan, error) {
		star, err := find(l, r, o.Ports)
		return star.Plan(l, r.Source), err
	}
}

func planTreeWorm(m topology.Multistage, n *Network, r Request, o Options) (Plan, error) {
	groups, err := n.Groups(o.Consumption)
	if err != nil {
		return nil, err
	}
	return TreeWorm(m, groups, r), nil
}

func planTurningTree(m topology.Multistage, _ *Network, r Request, _ Options) (Plan, error) {
	return TurningTree(m, r)
}

// planDoubling plans on one kind of multistage network; on the other the scheme has another name.
func planDoubling(bidirectional bool, other string) func(topology.Multistage, *Network, Request, Options) (Plan, error) {
	return func(m topology.Multistage, _ *Network, r Request, _ Options) (Plan, error) {
		if m.Bidirectional != bidirectional {
			return nil, fmt.Errorf("is not for %s; there it is called %s", m, other)
		}
		return Doubling(RotatedChain(r), WithReceiver, m.Route), nil
	}
}

func planPostorder(u *topology.UpDown, _ *Network, r Request, _ Options) (Plan, error) {
	return Doubling(PostorderChain(u, r), WithSender, u.Route), nil
}

func planRandom(route Route, _ *Network, r Request, _ Options) (Plan, error) {
	return Doubling(RandomChain(r), WithSender, route), nil
}

// Planner is a scheme on a network, as the interfaces of an engine use it. Unicasts of its plans
// leave their route to the routing of the engine, which may have choices that a plan for an idle
// network knows nothing of.
type Planner struct {
	Scheme  Scheme
	Network *Network
	Options Options
}

// NewPlanner prepares a scheme, or tells why the network does not suit it.
func NewPlanner(s Scheme, l topology.Layout, o Options) (Planner, error) {
	p := Planner{s, NewNetwork(l), o}
	_, err := p.Plan(Request{Source: 0, Destinations: []noc.NodeID{noc.NodeID(l.Nodes() - 1)}})
	return p, err
}

// Plan plans one multicast.
func (p Planner) Plan(r Request) (Plan, error) {
	plan, err := p.Scheme.Plan(p.Network, r, p.Options)
	if p.OneStop() {
		for i := range plan {
			plan[i].Path = nil
		}
	}
	return plan, err
}

// OneStop tells that all worms are unicasts, for which one ejection channel per node is enough.
func (p Planner) OneStop() bool { return p.Scheme.Way == ByNetwork }

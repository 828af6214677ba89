package multicast

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Request asks for one message to be brought from a source to every destination.
type Request struct {
	Source noc.NodeID
	// Destinations may be in any order, with repetitions, and may contain the source.
	Destinations []noc.NodeID
}

// Targets are the destinations that a plan has to reach: ascending, each once, without the source,
// which has the message already and costs the network nothing. Every scheme starts from them.
func (r Request) Targets() []noc.NodeID {
	list := slices.Clone(r.Destinations)
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(n noc.NodeID) bool { return n == r.Source })
}

// Validate reports whether the request fits a network of the given number of nodes.
func (r Request) Validate(nodes int) error {
	if int(r.Source) >= nodes {
		return fmt.Errorf("source %d: the network has nodes 0 to %d", r.Source, nodes-1)
	}
	for _, d := range r.Destinations {
		if int(d) >= nodes {
			return fmt.Errorf("destination %d: the network has nodes 0 to %d", d, nodes-1)
		}
	}
	return nil
}

// Worm carries one copy of a message from a node along a path or a tree of routers, and hands it
// over at its stops.
//
// One of Path and Tree gives the route. A worm with neither is routed by the network itself, from
// stop to stop in their order. Both leave out the router at which From is attached, where every
// worm begins; a worm that stays in that router has an empty Path that is not nil.
type Worm struct {
	From noc.NodeID
	// Stops are the nodes that get the message: in the order of the visit along a path, ascending
	// for a tree. A path may pass other nodes without serving them.
	Stops []noc.NodeID
	// Path lists every router after the first, in order. It ends where the last stop is attached.
	Path []noc.NodeID
	// Tree lists the visits of a worm that the routers replicate, parents before children. A router
	// may be visited twice: on the way up and on the way down of a bidirectional multistage
	// network.
	Tree []Visit
	// Tokens are needed where a tree branches in a network that grants one tree operation per group
	// of switches at a time; none elsewhere.
	Tokens []Token
	// After is the index of the worm whose delivery at From lets this one start; -1: From is the
	// source of the message and starts at once. It is smaller than the index of this worm.
	After int
	// Round orders what one node sends. All worms of a node with the same round leave together,
	// after one startup. The startup of the next round begins when those worms have left the node.
	Round int
}

// Visit is one router of a tree: the worm enters it from the router of visit Parent, or from the
// first router when Parent is -1.
type Visit struct {
	Parent int32
	Router noc.NodeID
}

// Token is the right to replicate at one visit of a tree, -1 being the first router. Group names
// the switches that share the token, and Size is their number, which sets the time until it comes
// round.
type Token struct {
	Visit, Group, Size int32
}

// Plan is how one message reaches its destinations: a forest of worms.
type Plan []Worm

// Check reports whether the plan serves the request on the network: every destination exactly once
// and no other node, along channels that exist, and nothing sent before it was received. Worms that
// the network routes itself are checked for their stops only.
func (p Plan) Check(w *topology.Wiring, r Request) error {
	if err := r.Validate(w.Nodes()); err != nil {
		return err
	}
	served := make([]int, w.Nodes()) // by which worm, + 1
	for i := range p {
		if err := p.checkOrder(i, r.Source, served); err != nil {
			return fmt.Errorf("worm %d: %w", i, err)
		}
		for _, s := range p[i].Stops {
			if int(s) >= w.Nodes() {
				return fmt.Errorf("worm %d: stop %d: the network has nodes 0 to %d", i, s, w.Nodes()-1)
			}
			if served[s] != 0 {
				return fmt.Errorf("worm %d: node %d is served by worm %d already", i, s, served[s]-1)
			}
			served[s] = i + 1
		}
		if err := p[i].checkWay(w); err != nil {
			return fmt.Errorf("worm %d: %w", i, err)
		}
	}
	for _, d := range r.Targets() {
		if served[d] == 0 {
			return fmt.Errorf("destination %d is not served", d)
		}
		served[d] = 0
	}
	for n, by := range served {
		if by != 0 {
			return fmt.Errorf("worm %d: node %d is served but is not a destination", by-1, n)
		}
	}
	return p.checkRounds()
}

// checkOrder checks that the sender of a worm has the message by then.
func (p Plan) checkOrder(i int, source noc.NodeID, served []int) error {
	m := p[i]
	switch {
	case len(m.Stops) == 0:
		return fmt.Errorf("no stops")
	case m.After < -1 || m.After >= i:
		return fmt.Errorf("it starts after worm %d; -1 to %d are possible", m.After, i-1)
	case m.After == -1 && m.From != source:
		return fmt.Errorf("it starts at once from node %d, which is not the source %d", m.From, source)
	case m.After >= 0 && (int(m.From) >= len(served) || served[m.From] != m.After+1):
		return fmt.Errorf("it starts when worm %d reaches node %d, which that worm does not serve", m.After, m.From)
	}
	return nil
}

// checkRounds checks that the rounds of every sender are 0, 1, 2 ... without a gap.
func (p Plan) checkRounds() error {
	type round struct {
		from   noc.NodeID
		number int
	}
	has := map[round]bool{}
	for _, m := range p {
		has[round{m.From, m.Round}] = true
	}
	for i, m := range p {
		if before := max(m.Round-1, 0); m.Round < 0 || m.Round > 0 && !has[round{m.From, before}] {
			return fmt.Errorf("worm %d: node %d has round %d but no round %d", i, m.From, m.Round, before)
		}
	}
	return nil
}

// checkWay checks that a path or tree follows channels and that it ends where stops are.
func (m Worm) checkWay(w *topology.Wiring) error {
	visits, err := m.visits()
	if err != nil || visits == nil {
		return err
	}
	start := w.Entry[m.From].Router
	inner := make([]bool, len(visits)) // something follows, or a stop is made
	for _, v := range visits {
		from := start
		if v.Parent >= 0 {
			from = visits[v.Parent].Router
			inner[v.Parent] = true
		}
		if int(v.Router) >= w.Routers || w.Channel(from, v.Router) < 0 {
			return fmt.Errorf("no channel leads from router %d to router %d", from, v.Router)
		}
	}
	at, err := m.stopVisits(w, visits)
	if err != nil {
		return err
	}
	for _, v := range at {
		if v >= 0 {
			inner[v] = true
		}
	}
	for i := range visits {
		if !inner[i] {
			return fmt.Errorf("it ends at router %d, where it has no stop", visits[i].Router)
		}
	}
	return nil
}

// visits is the route as a tree, also of a path; nil when the network routes the worm.
func (m Worm) visits() ([]Visit, error) {
	switch {
	case m.Path != nil && m.Tree != nil:
		return nil, fmt.Errorf("it has both a path and a tree")
	case m.Tree != nil:
		for i, v := range m.Tree {
			if v.Parent < -1 || int(v.Parent) >= i {
				return nil, fmt.Errorf("visit %d of its tree has parent %d; -1 to %d are possible", i, v.Parent, i-1)
			}
		}
		return m.Tree, nil
	case m.Path == nil:
		return nil, nil
	}
	visits := make([]Visit, len(m.Path))
	for i, r := range m.Path {
		visits[i] = Visit{int32(i - 1), r}
	}
	return visits, nil
}

// stopVisits finds at which visit each stop is made; -1 is the first router. On a path stops follow
// in their order, at the first visit of their router after the stop before; in a tree a stop is
// made at the last listed visit of its router, which is the one on the way down.
func (m Worm) stopVisits(w *topology.Wiring, visits []Visit) ([]int, error) {
	at := make([]int, len(m.Stops))
	last := map[noc.NodeID]int{} // visit of each router of a tree
	if m.Tree != nil {
		last[w.Entry[m.From].Router] = -1
		for v := range visits {
			last[visits[v].Router] = v
		}
	}
	next := -1
	for i, s := range m.Stops {
		found := true
		if m.Tree != nil {
			at[i], found = last[w.Exit[s].Router]
		} else {
			next, found = m.pass(w, next, w.Exit[s].Router)
			at[i] = next
		}
		if !found {
			return nil, fmt.Errorf("it does not pass stop %d in its turn", s)
		}
	}
	return at, nil
}

// pass is the first place of a path, from the given one on, that is the router; -1 is the first
// router.
func (m Worm) pass(w *topology.Wiring, from int, router noc.NodeID) (int, bool) {
	if from == -1 && w.Entry[m.From].Router == router {
		return -1, true
	}
	for v := max(from, 0); v < len(m.Path); v++ {
		if m.Path[v] == router {
			return v, true
		}
	}
	return 0, false
}

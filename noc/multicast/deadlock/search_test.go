// Package deadlock decides by exhaustive search whether multicast worms of a multistage network can
// wait for each other for ever. It is a test of the switch groups of package multicast: a [Search]
// holds a network and whether its groups' tokens are used, and a [Result] reports whether a deadlock
// can be reached and, if so, who holds and awaits what in one.
//
// The model is that of very long messages. A worm takes the channels of its tree one at a time, in
// any order that the tree allows and with any delays, and gives nothing back before its headers
// have taken the consumption channels of all its destinations; then it drains and is gone. A switch
// whose worm branches may need the token of its group first, and keeps it until all headers below
// it have arrived. Worms go up a bidirectional network by the lowest ports.
//
// The loop is in [Search.Run]: depth first over the sets of places taken, each state once. What
// nobody else ever wants is taken at once: that can neither cause nor prevent anything, and keeps
// small networks within a few thousand states.
package deadlock

import (
	"errors"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Search is a question.
type Search struct {
	Network topology.Multistage
	// Consumption is the number of consumption channels per node: 1, or the ports of a switch, in
	// which case nobody waits for one.
	Consumption int
	Tokens      bool // whether branches need the tokens of switch groups
	// Limit bounds the number of states; 0 takes DefaultLimit.
	Limit int
}

// DefaultLimit is the largest number of states that a search visits unless it says otherwise.
const DefaultLimit = 5_000_000

// ErrTooLarge tells that a search gave up at its limit.
var ErrTooLarge = errors.New("too many states")

// Result is an answer.
type Result struct {
	Deadlock bool
	States   int // visited
	// Waits tells, for a deadlock, what each stuck worm holds and awaits.
	Waits []Wait
}

// Wait is one wish of a stuck worm.
type Wait struct {
	Message int
	For     string // the place it needs next
	Holder  int    // the message that has it
}

// place is one thing that a worm takes: a channel, a token or a consumption channel.
type place struct {
	resource int
	parent   int // place that comes before; -1 for the first
	// until marks the places that have to be taken before a token is given back; 0 for other
	// places, which are kept until the worm is done.
	until uint64
}

// worm is what one message takes in all.
type worm struct {
	places []place
	all    uint64 // every place
}

// state holds the places that each message has taken; all of them means that it is done.
type state [maxMessages]uint64

const maxMessages = 4

// Run searches for a deadlock of the messages.
func (s Search) Run(messages []multicast.Request) (Result, error) {
	if len(messages) > maxMessages {
		return Result{}, fmt.Errorf("%d messages; the search takes up to %d", len(messages), maxMessages)
	}
	e := &explorer{names: nil, index: map[string]int{}, seen: map[state]bool{}, limit: s.Limit}
	if e.limit == 0 {
		e.limit = DefaultLimit
	}
	groups, err := multicast.NewSwitchGroups(s.Network, s.Consumption)
	if err != nil {
		return Result{}, err
	}
	for i, m := range messages {
		if err := m.Validate(s.Network.Nodes()); err != nil {
			return Result{}, fmt.Errorf("message %d: %w", i, err)
		}
		w, err := s.lay(e, groups, m)
		if err != nil {
			return Result{}, fmt.Errorf("message %d: %w", i, err)
		}
		e.worms = append(e.worms, w)
	}
	e.users = make([]int, len(e.names))
	for _, w := range e.worms {
		for _, p := range w.places {
			e.users[p.resource]++
		}
	}
	stuck, err := e.explore()
	result := Result{Deadlock: stuck != nil, States: len(e.seen)}
	if stuck != nil {
		result.Waits = e.explain(*stuck)
	}
	return result, err
}

// lay lists the places of one message's tree.
func (s Search) lay(e *explorer, groups *multicast.SwitchGroups, r multicast.Request) (worm, error) {
	plan := multicast.TreeWorm(s.Network, groups, r)
	if len(plan) == 0 {
		return worm{}, nil
	}
	m := plan[0]
	wiring := s.Network.Wiring()
	b := builder{explorer: e, at: make([]int, len(m.Tree)+1)}
	b.at[0] = b.take(fmt.Sprintf("injection channel of node %d", m.From), -1)
	router := func(visit int32) noc.NodeID {
		if visit < 0 {
			return wiring.Entry[m.From].Router
		}
		return m.Tree[visit].Router
	}
	token := map[int32]int{} // place of the token at a visit
	enter := func(visit int32) int {
		if p, ok := token[visit]; ok {
			return p
		}
		i := slices.IndexFunc(m.Tokens, func(t multicast.Token) bool { return t.Visit == visit })
		if !s.Tokens || i < 0 {
			return b.at[visit+1]
		}
		token[visit] = b.take(fmt.Sprintf("token of group %d", m.Tokens[i].Group), b.at[visit+1])
		return token[visit]
	}
	for v, visit := range m.Tree {
		b.at[v+1] = b.take(fmt.Sprintf("channel from switch %d to %d", router(visit.Parent), visit.Router), enter(visit.Parent))
	}
	last := map[noc.NodeID]int32{router(-1): -1}
	for v := range m.Tree {
		last[router(int32(v))] = int32(v) // the visit on the way down comes last
	}
	for _, d := range m.Stops {
		name := fmt.Sprintf("consumption channel of node %d", d)
		if s.Consumption > 1 {
			name += fmt.Sprintf(" for node %d", m.From)
		}
		b.take(name, enter(last[wiring.Exit[d].Router]))
	}
	if len(b.worm.places) > 64 {
		return worm{}, fmt.Errorf("its tree takes %d places; the search holds up to 64", len(b.worm.places))
	}
	b.finish(token)
	return b.worm, nil
}

// builder collects the places of one worm.
type builder struct {
	explorer *explorer
	worm     worm
	at       []int // place by which each visit is entered; entry 0 is the first router
}

func (b *builder) take(name string, parent int) int {
	e := b.explorer
	resource, known := e.index[name]
	if !known {
		resource = len(e.names)
		e.index[name] = resource
		e.names = append(e.names, name)
	}
	b.worm.places = append(b.worm.places, place{resource: resource, parent: parent})
	return len(b.worm.places) - 1
}

// finish notes for each token the places below it: with all of them taken, all its headers have
// arrived.
func (b *builder) finish(token map[int32]int) {
	b.worm.all = 1<<len(b.worm.places) - 1
	for i := range b.worm.places {
		for at := b.worm.places[i].parent; at >= 0; at = b.worm.places[at].parent {
			for _, t := range token {
				if t == at {
					b.worm.places[t].until |= 1 << i
				}
			}
		}
	}
}

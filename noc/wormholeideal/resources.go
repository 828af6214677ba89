package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Resources are what headers queue for in a network, as tables: channels, of which one worm has
// each at a time, and tokens. The channels of the wiring come first, in its order.
type Resources struct {
	Channels []Channel
	Queues   []Queue
	Entries  int32   // channel of the first node's first injection port; all others follow
	Exits    []int32 // per node: queue for its ejection channels
	Outputs  []int32 // per router and port: channel of the wiring
	Ports    int     // of a router, in Outputs
	Tokens   []int32 // per switch: queue for its group's token, or None
	Locals   []int32 // per switch: queue for its own token, or None
}

// None is no channel, no queue and no router.
const None = int32(-1)

// Channel is a link with the buffer behind it, an injection or ejection channel, or a token.
type Channel struct {
	From, To int32 // routers; None at the end of a node, and for tokens
	In       int32 // input port at To
	Queue    int32
}

// Queue is where headers wait for one of some channels, which follow each other.
type Queue struct {
	Kind         Kind
	First, Count int32 // channels
	Node         noc.NodeID
	Passes       noc.Cycle // time of a free token to a header
}

// Kind says what headers queue for.
type Kind uint8

// The kinds.
const (
	Link      Kind = iota // a channel between routers, or one of several
	Injection             // the channel from a node into its router
	Ejection              // the channels from a router into a node
	Token
)

// newResources returns the resources of a network without tokens. Channels that leave a router one
// after the other may have one queue together.
func newResources(w *topology.Wiring, c Config, together func(before, c topology.Channel) bool) Resources {
	r := Resources{Ports: w.Ports(), Outputs: slices.Repeat([]int32{None}, w.Routers*w.Ports()),
		Tokens: slices.Repeat([]int32{None}, w.Routers), Locals: slices.Repeat([]int32{None}, w.Routers)}
	for i, l := range w.Channels {
		r.Outputs[int(l.From)*r.Ports+int(l.Out)] = int32(i)
		if i == 0 || w.Channels[i-1].From != l.From || !together(w.Channels[i-1], l) {
			r.addQueue(Queue{Kind: Link})
		}
		r.addChannel(Channel{From: int32(l.From), To: int32(l.To), In: int32(l.In)})
	}
	r.Entries = int32(len(r.Channels))
	for node, entry := range w.Entry {
		for range c.InjectionPorts {
			r.addQueue(Queue{Kind: Injection, Node: noc.NodeID(node)})
			r.addChannel(Channel{From: None, To: int32(entry.Router), In: int32(entry.Port)})
		}
	}
	for node, exit := range w.Exit {
		r.Exits = append(r.Exits, r.addQueue(Queue{Kind: Ejection, Node: noc.NodeID(node)}))
		for range c.EjectionChannels {
			r.addChannel(Channel{From: int32(exit.Router), To: None})
		}
	}
	return r
}

// addTokens adds a token for each group of switches, and one for each switch of the first stage of
// a bidirectional network that belongs to none.
func (r *Resources) addTokens(c Config, m topology.Multistage) error {
	if !c.Tree.Tokens {
		return nil
	}
	groups, err := multicast.NewSwitchGroups(m, c.EjectionChannels)
	if err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	add := func(passes noc.Cycle) int32 {
		q := r.addQueue(Queue{Kind: Token, Passes: passes})
		r.addChannel(Channel{From: None, To: None})
		return q
	}
	queues := map[int32]int32{}
	for router := range r.Tokens {
		g := groups.Of(noc.NodeID(router))
		if g < 0 {
			if stage, _ := m.Place(noc.NodeID(router)); m.Bidirectional && stage == 0 && c.Tree.LocalTokens {
				r.Locals[router] = add(0)
			}
			continue
		}
		if _, known := queues[g]; !known {
			queues[g] = add(c.Tree.passes(groups.Size(g)))
		}
		r.Tokens[router] = queues[g]
	}
	return nil
}

func (r *Resources) addQueue(q Queue) int32 {
	q.First = int32(len(r.Channels))
	r.Queues = append(r.Queues, q)
	return int32(len(r.Queues) - 1)
}

// addChannel adds a channel to the queue that was added last.
func (r *Resources) addChannel(c Channel) {
	c.Queue = int32(len(r.Queues) - 1)
	r.Queues[c.Queue].Count++
	r.Channels = append(r.Channels, c)
}

// Injection returns the channel of an injection port of a node.
func (s *Setup) Injection(node noc.NodeID, port int32) int32 {
	return s.Entries + int32(node)*int32(s.Config.InjectionPorts) + port
}

// Router returns the router that gives the channels of a queue away.
func (r *Resources) Router(queue int32) int32 {
	c := &r.Channels[r.Queues[queue].First]
	if c.From != None {
		return c.From
	}
	return c.To
}

// Name names a channel or a token.
func (r *Resources) Name(c int32) string {
	ch := &r.Channels[c]
	switch {
	case ch.From != None && ch.To != None:
		return fmt.Sprintf("channel %d-%d", ch.From, ch.To)
	case ch.To != None:
		return fmt.Sprintf("injection channel of router %d", ch.To)
	case ch.From != None:
		return fmt.Sprintf("ejection channel of router %d", ch.From)
	}
	if group := slices.Index(r.Tokens, ch.Queue); group >= 0 {
		return fmt.Sprintf("token of the group of switch %d", group)
	}
	return fmt.Sprintf("token of switch %d", slices.Index(r.Locals, ch.Queue))
}

package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// resources are what headers queue for in a network, as tables: channels, of which one worm has
// each at a time, and tokens. The channels of the wiring come first, in its order.
type resources struct {
	channels []channel
	queues   []queue
	entries  int32   // channel of the first node's first injection port; all others follow
	exits    []int32 // per node: queue for its ejection channels
	outputs  []int32 // per router and port: channel of the wiring
	ports    int     // of a router, in outputs
	tokens   []int32 // per switch: queue for its group's token, or none
	locals   []int32 // per switch: queue for its own token, or none
}

// none is no channel, no queue and no router.
const none = int32(-1)

// channel is a link with the buffer behind it, an injection or ejection channel, or a token.
type channel struct {
	from, to int32 // routers; none at the end of a node, and for tokens
	in       int32 // input port at To
	queue    int32
}

// queue is where headers wait for one of some channels, which follow each other.
type queue struct {
	kind         kind
	first, count int32 // channels
	node         noc.NodeID
	passes       noc.Cycle // time of a free token to a header
}

// kind says what headers queue for.
type kind uint8

// The kinds.
const (
	link      kind = iota // a channel between routers, or one of several
	injection             // the channel from a node into its router
	ejection              // the channels from a router into a node
	token
)

// newResources returns the resources of a network without tokens. Channels that leave a router one
// after the other may have one queue together.
func newResources(w *topology.Wiring, c Config, together func(before, c topology.Channel) bool) resources {
	r := resources{ports: w.Ports(), outputs: slices.Repeat([]int32{none}, w.Routers*w.Ports()),
		tokens: slices.Repeat([]int32{none}, w.Routers), locals: slices.Repeat([]int32{none}, w.Routers)}
	for i, l := range w.Channels {
		r.outputs[int(l.From)*r.ports+int(l.Out)] = int32(i)
		if i == 0 || w.Channels[i-1].From != l.From || !together(w.Channels[i-1], l) {
			r.addQueue(queue{kind: link})
		}
		r.addChannel(channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	r.entries = int32(len(r.channels))
	for node, entry := range w.Entry {
		for range c.InjectionPorts {
			r.addQueue(queue{kind: injection, node: noc.NodeID(node)})
			r.addChannel(channel{from: none, to: int32(entry.Router), in: int32(entry.Port)})
		}
	}
	for node, exit := range w.Exit {
		r.exits = append(r.exits, r.addQueue(queue{kind: ejection, node: noc.NodeID(node)}))
		for range c.EjectionChannels {
			r.addChannel(channel{from: int32(exit.Router), to: none})
		}
	}
	return r
}

// addTokens adds a token for each group of switches, and one for each switch of the first stage of
// a bidirectional network that belongs to none.
func (r *resources) addTokens(c Config, m topology.Multistage) error {
	if !c.Tree.Tokens {
		return nil
	}
	groups, err := multicast.NewSwitchGroups(m, c.EjectionChannels)
	if err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	add := func(passes noc.Cycle) int32 {
		q := r.addQueue(queue{kind: token, passes: passes})
		r.addChannel(channel{from: none, to: none})
		return q
	}
	queues := map[int32]int32{}
	for router := range r.tokens {
		g := groups.Of(noc.NodeID(router))
		if g < 0 {
			if stage, _ := m.Place(noc.NodeID(router)); m.Bidirectional && stage == 0 {
				r.locals[router] = add(0)
			}
			continue
		}
		if _, known := queues[g]; !known {
			queues[g] = add(c.Tree.passes(groups.Size(g)))
		}
		r.tokens[router] = queues[g]
	}
	return nil
}

func (r *resources) addQueue(q queue) int32 {
	q.first = int32(len(r.channels))
	r.queues = append(r.queues, q)
	return int32(len(r.queues) - 1)
}

// addChannel adds a channel to the queue that was added last.
func (r *resources) addChannel(c channel) {
	c.queue = int32(len(r.queues) - 1)
	r.queues[c.queue].count++
	r.channels = append(r.channels, c)
}

// injectionChannel returns the channel of an injection port of a node.
func (s *setup) injectionChannel(node noc.NodeID, port int32) int32 {
	return s.entries + int32(node)*int32(s.config.InjectionPorts) + port
}

// giver returns the router that gives the channels of a queue away.
func (r *resources) giver(queue int32) int32 {
	c := &r.channels[r.queues[queue].first]
	if c.from != none {
		return c.from
	}
	return c.to
}

// name names a channel or a token.
func (r *resources) name(c int32) string {
	ch := &r.channels[c]
	switch {
	case ch.from != none && ch.to != none:
		return fmt.Sprintf("channel %d-%d", ch.from, ch.to)
	case ch.to != none:
		return fmt.Sprintf("injection channel of router %d", ch.to)
	case ch.from != none:
		return fmt.Sprintf("ejection channel of router %d", ch.from)
	}
	if group := slices.Index(r.tokens, ch.queue); group >= 0 {
		return fmt.Sprintf("token of the group of switch %d", group)
	}
	return fmt.Sprintf("token of switch %d", slices.Index(r.locals, ch.queue))
}

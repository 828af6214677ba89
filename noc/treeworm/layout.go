package treeworm

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// lay makes the places of the network.
func (n *Network) lay() error {
	m, w := n.of, n.wiring
	n.upwards, n.tokens, n.locals = fill(w.Routers), fill(w.Routers), fill(w.Routers)
	n.outputs, n.links = fill(w.Routers*m.Arity), fill(len(w.Channels))
	for i, c := range w.Channels { // ordered by switch and port: the channels up from a switch follow each other
		p := none
		switch {
		case int(c.Out) >= m.Arity:
			if n.upwards[c.From] == none {
				n.upwards[c.From] = n.addPlace(upward, none)
			}
			p = n.upwards[c.From]
		default:
			p = n.addPlace(link, none)
			n.outputs[int(c.From)*m.Arity+int(c.Out)] = p
		}
		n.links[i] = n.addChannel(p, channel{from: int32(c.From), to: int32(c.To), in: int32(c.In)})
	}
	for node := range w.Nodes() {
		entry := w.Entry[node]
		n.entries = append(n.entries, n.addPlace(injection, int32(node)))
		n.addChannel(n.entries[node], channel{from: none, to: int32(entry.Router), in: int32(entry.Port)})
	}
	for node := range w.Nodes() {
		n.exits = append(n.exits, n.addPlace(consumption, int32(node)))
		for range n.config.Consumption {
			n.addChannel(n.exits[node], channel{from: int32(w.Exit[node].Router), to: none})
		}
	}
	return n.layTokens()
}

// layTokens makes the tokens: one for each group, and one for each switch of the first stage of a
// bidirectional network that belongs to none.
func (n *Network) layTokens() error {
	if !n.config.Tokens {
		return nil
	}
	groups, err := multicast.NewSwitchGroups(n.of, n.config.Consumption)
	if err != nil {
		return err
	}
	of := map[int32]int32{}
	for r := range n.wiring.Routers {
		router := noc.NodeID(r)
		g := groups.Of(router)
		if g < 0 {
			if stage, _ := n.of.Place(router); n.of.Bidirectional && stage == 0 && n.config.LocalTokens {
				n.locals[r] = n.addToken(1)
			}
			continue
		}
		if _, known := of[g]; !known {
			of[g] = n.addToken(groups.Size(g))
		}
		n.tokens[r] = of[g]
	}
	return nil
}

// addToken adds the token of a group of switches. It is waited for half a round, in whole cycles; the token of
// one switch is there at once.
func (n *Network) addToken(size int32) int32 {
	p := n.addPlace(token, none)
	if size > 1 {
		n.places[p].passes = (int32(n.config.TokenHop)*size + 1) / 2
	}
	n.addChannel(p, channel{from: none, to: none})
	return p
}

// slowestToken is the longest time that a free token takes.
func (n *Network) slowestToken() int {
	slowest := int32(0)
	for i := range n.places {
		slowest = max(slowest, n.places[i].passes)
	}
	return int(slowest)
}

func (n *Network) addPlace(k kind, node int32) int32 {
	n.places = append(n.places, place{kind: k, queue: none, first: int32(len(n.channels)), node: node, served: ownWay - 1})
	return int32(len(n.places) - 1)
}

// addChannel adds a channel to the place that was added last.
func (n *Network) addChannel(p int32, c channel) int32 {
	at := &n.places[p]
	c.place, c.holder, c.member = p, none, uint8(int32(len(n.channels))-at.first)
	at.free |= 1 << c.member
	n.channels = append(n.channels, c)
	return int32(len(n.channels) - 1)
}

// fill is a table of none.
func fill(size int) []int32 {
	list := make([]int32, size)
	for i := range list {
		list[i] = none
	}
	return list
}

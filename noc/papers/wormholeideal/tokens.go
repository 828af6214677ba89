package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// addTokens adds a token for each group of switches, and one for each switch of the first stage of
// a bidirectional network that belongs to none.
func (r *resources) addTokens(c Config, m topology.Multistage) error {
	if !c.Tree.Tokens {
		return nil
	}
	add := func(passes noc.Cycle) int32 {
		q := r.addQueue(queue{kind: token, passes: passes})
		r.addChannel(channel{from: none, to: none})
		return q
	}
	if c.Tree.Multiple {
		all := add(c.Tree.passes(int32(len(r.tokens))))
		for router := range r.tokens {
			r.tokens[router] = all
		}
		return nil
	}
	groups, err := multicast.NewSwitchGroups(m, c.EjectionChannels)
	if err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
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

// passes returns the time of a free token to a switch of a group of that size: half a round, in
// whole cycles. The token of a single switch is there at once.
func (t *Tree) passes(size int32) noc.Cycle {
	if size < 2 {
		return 0
	}
	return noc.Cycle((int32(t.TokenHop)*size + 1) / 2)
}

// Releases counts the worms that got their first token, and the cycles that these waited for others
// to give it back, and the tokens that were given back: those whose headers had all arrived, and
// under the rule Flits those for which enough flits had been forwarded. Of these Early had been
// forwarded before the headers arrived, which would be too soon.
type Releases struct{ Given, Waited, Arrived, Counted, Early uint64 }

// Releases counts tokens since the network was built.
func (n *Network) Releases() Releases { return n.releases }

// giveToken gives a token to a header. It comes after its passing time, and the header then asks
// for its outputs.
func (n *Network) giveToken(g grant, t noc.Cycle) {
	p := n.positions.at(g.position)
	w, passes := &n.worms[p.worm], n.queues[n.channels[g.channel].queue].passes
	p.token = g.channel
	if w.branched && n.config.Tree.TokenTime == Once {
		passes = 0
	}
	if !w.branched {
		n.releases.Given++
		n.releases.Waited += uint64(t - g.since)
	}
	w.branched = true
	if n.countsFlits(p) {
		w.counting = append(w.counting, g.position)
	}
	n.calendar.Add(t+passes, tokenComes, g.position)
}

// countsFlits reports whether a position gives its token back by the number of flits that are
// forwarded, not when the headers have arrived (rule 9).
func (n *Network) countsFlits(p *position) bool {
	return n.config.Tree.Release == Flits && int(p.phits) > n.enough(p.router)
}

// headerArrives notes that a header has reached its node, and gives back the tokens that waited
// for that.
func (n *Network) headerArrives(at int32, t noc.Cycle) {
	for k := at; k != none; {
		p := n.positions.at(k)
		if p.owed--; p.owed == 0 && p.token != none && !n.countsFlits(p) {
			n.releases.Arrived++
			n.giveTokenBack(p, t)
		}
		k = p.parent
	}
}

// countFlits finds the tokens of a worm for which it is decided when enough flits have been
// forwarded.
func (n *Network) countFlits(w *worm, t noc.Cycle) {
	w.counting = slices.DeleteFunc(w.counting, func(k int32) bool {
		p, latest := n.positions.at(k), noc.Cycle(0)
		enough := int32(n.enough(p.router))
		for c := p.child; c != none; c = n.positions.at(c).sibling {
			at, known := n.crossing(c, enough)
			if !known {
				return false
			}
			latest = max(latest, at)
		}
		n.calendar.Add(latest, flitsPassed, k)
		return true
	})
}

// flitsPassed gives back a token for which enough flits have been forwarded.
func (n *Network) flitsPassed(k int32, t noc.Cycle) {
	p := n.positions.at(k)
	n.releases.Counted++
	if p.owed > 0 {
		n.releases.Early++
	}
	n.giveTokenBack(p, t)
}

// giveTokenBack gives back the token of a position in cycle t; it can be given again in the next
// one.
func (n *Network) giveTokenBack(p *position, t noc.Cycle) {
	n.giveBack(p.token, t+1, t)
	p.token = none
}

// enough returns the number of forwarded flits beyond which the token of a switch is given back:
// what the buffers from there to the nodes hold, by the paper's count.
func (s *setup) enough(router int32) int {
	stage, _ := s.stages.Place(noc.NodeID(router))
	if s.config.Tree.Multiple { // the token is taken in the first switch
		return s.config.BufferPhits * 2 * s.stages.Stages
	}
	if s.stages.Bidirectional {
		return s.config.BufferPhits * (stage + 1)
	}
	return s.config.BufferPhits * (s.stages.Stages - stage)
}

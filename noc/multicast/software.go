package multicast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Copies sends every destination a message of its own along route, as many at a time as the source
// has injection channels, each round with its own startup: separate addressing, the baseline of
// software multicast. The route lists the routers after the source's.
func Copies(r Request, injection int, route Route) (Plan, error) {
	if injection < 1 {
		return nil, fmt.Errorf("%d injection channels; at least 1 is needed", injection)
	}
	var p Plan
	for i, d := range r.Targets() {
		p = append(p, Worm{From: r.Source, Stops: []noc.NodeID{d}, Path: route(r.Source, d), After: -1, Round: i / injection})
	}
	return p, nil
}

// Middle says which half keeps the middle of a chain of odd length when it is divided. The number
// of steps is the same.
type Middle int

// The rules.
const (
	// WithSender is the rule of Libeskind-Hadas, Mazzoni and Rajagopalan (section 3.2): of m nodes
	// the sender keeps ceil(m/2).
	WithSender Middle = iota
	// WithReceiver is that of the U-mesh family, to which UMIN and CMIN belong: the sender keeps
	// floor(m/2). The farthest part of the chain, which is served last, is then the largest, and
	// the latency rises by a whole step as soon as a step is added.
	WithReceiver
)

// split returns how many of m nodes the sender keeps.
func (h Middle) split(m int) int {
	if h == WithReceiver {
		return m / 2
	}
	return (m + 1) / 2
}

// Doubling multicasts by unicasts in ceil(log2(d+1)) steps for d destinations, which is the fewest
// possible. The holder of a chain, its first node, keeps the first half and sends to the first node
// of the second, which then holds that. Every send is a round with its own startup.
//
// The chain starts with the source. Its order decides whether the unicasts can meet: see
// [RotatedChain] and [PostorderChain]. The route lists the routers after the sender's; nil leaves
// the ways to the network.
func Doubling(chain []noc.NodeID, middle Middle, route Route) Plan {
	type holder struct {
		chain        []noc.NodeID
		after, round int
	}
	var p Plan
	holders := []holder{{chain, -1, 0}}
	for busy := true; busy; {
		busy = false
		for i, h := range holders { // those found in this step send in the next one
			m := len(h.chain)
			if m < 2 {
				continue
			}
			busy = true
			to := middle.split(m)
			w := Worm{From: h.chain[0], Stops: []noc.NodeID{h.chain[to]}, After: h.after, Round: h.round}
			if route != nil {
				w.Path = route(h.chain[0], h.chain[to])
			}
			p = append(p, w)
			holders[i] = holder{h.chain[:to], h.after, h.round + 1}
			holders = append(holders, holder{h.chain[to:], len(p) - 1, 0})
		}
	}
	return p
}

// RotatedChain is the source, the destinations with larger numbers, then those with smaller ones,
// both ascending: the chain of CMIN and UMIN, the software schemes that Varavithya and Mohapatra
// compare with. In the bidirectional butterfly its unicasts never meet; in the unidirectional
// baseline network no chain avoids that.
func RotatedChain(r Request) []noc.NodeID {
	return rotated(r, func(n noc.NodeID) int { return int(n) })
}

// PostorderChain is the same by the postorder numbers of up*/down* routing. Its unicasts cannot
// meet, however long any of them is delayed and whichever relaxed paths they take.
// (Libeskind-Hadas, Mazzoni and Rajagopalan, theorem 2.)
func PostorderChain(u *topology.UpDown, r Request) []noc.NodeID {
	return rotated(r, func(n noc.NodeID) int { return u.ID[u.Vertex(n)] })
}

// RandomChain orders the destinations by numbers that have nothing to do with the network, the same
// for every message. It is a control: the unicasts of the other chains keep out of each other's way
// for a reason.
func RandomChain(r Request) []noc.NodeID {
	return rotated(r, func(n noc.NodeID) int {
		z := (uint64(n) + 1) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd: no two nodes are alike
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		return int((z ^ z>>27) >> 1)
	})
}

func rotated(r Request, id func(noc.NodeID) int) []noc.NodeID {
	chain := append(r.Targets(), r.Source)
	slices.SortFunc(chain, func(a, b noc.NodeID) int { return cmp.Or(cmp.Compare(id(a), id(b)), cmp.Compare(a, b)) })
	at := slices.Index(chain, r.Source)
	return slices.Concat(chain[at:], chain[:at])
}

// Precedes reports whether worm b of the plan can only come behind worm a in a channel that both
// use, whatever the delays: b's sender, or the sender of the worm that brought b's sender the
// message, and so on, got it from a, or sent a in an earlier round. (McKinley's conditions as
// section 3.1 of Libeskind-Hadas, Mazzoni and Rajagopalan quotes them, but for channels that are
// not shared.)
func (p Plan) Precedes(a, b int) bool {
	for ; b >= 0; b = p[b].After {
		if p[b].After == a || p[b].From == p[a].From && p[b].Round > p[a].Round {
			return true
		}
	}
	return false
}

// Contending lists the pairs of worms that use a common channel between routers although neither
// has to precede the other: those that delays can bring together.
func (p Plan) Contending(w *topology.Wiring) ([][2]int, error) {
	channels := make([]map[int]bool, len(p))
	for i, m := range p {
		if _, err := p.way(i); err != nil {
			return nil, err
		}
		channels[i] = map[int]bool{}
		m.Visit(w, func(from, to noc.NodeID) { channels[i][w.Channel(from, to)] = true })
	}
	var pairs [][2]int
	for b := range p {
		for a := range b {
			shared := maps.Clone(channels[a])
			maps.DeleteFunc(shared, func(c int, _ bool) bool { return !channels[b][c] })
			if len(shared) > 0 && !p.Precedes(a, b) && !p.Precedes(b, a) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs, nil
}

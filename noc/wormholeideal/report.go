package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network. PhitHops includes flits that follow a header that
// has crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.hops, n.buffered()
	return t
}

// buffered returns the number of flits in buffers: at each position those that have come in and
// not gone to all children.
func (n *Network) buffered() (sum uint64) {
	for _, w := range n.worms {
		for k := 1; k < len(w.positions); k++ {
			p := &w.positions[k]
			if p.node != None {
				continue
			}
			gone := len(p.crossed)
			for _, c := range w.children(p) {
				gone = min(gone, len(c.crossed))
			}
			if p.many == 0 {
				gone = 0
			}
			sum += uint64(len(p.crossed) - gone)
		}
	}
	return sum
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for r, a := range n.activity {
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-n.busy[r]
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i, c := range n.Wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.channels[i].phits})
	}
	return into
}

// Explain lists the headers that wait and the packets at the head of source queues.
func (n *Network) Explain() []noc.Stuck { return n.standing().Explain() }

// Deadlock finds headers that wait for each other in a circle and can never move.
func (n *Network) Deadlock() []noc.Stuck { return n.standing().Deadlock() }

// standing draws up where worms stand.
func (n *Network) standing() *Standing {
	d := NewStanding(n.Setup, &n.Interfaces)
	worms, first := slices.Clone(n.worms), map[*worm]int32{}
	slices.SortFunc(worms, func(a, b *worm) int { return int(a.id - b.id) })
	for _, w := range worms {
		first[w] = int32(len(d.Places))
		for k := range w.positions {
			p := &w.positions[k]
			at := Place{Worm: w.id, Parent: None, Channel: p.channel, Router: p.router}
			if k > 0 {
				at.Parent = first[w] + p.parent
			}
			d.Places = append(d.Places, at)
		}
	}
	for c, ch := range n.channels {
		if ch.held {
			d.Holders[c] = first[ch.holder] + ch.position
		}
	}
	waiting := map[int32]Header{} // by place to be crossed into
	for q := range n.queues {
		for _, r := range n.queues[q].requests {
			waiting[first[r.worm]+r.position] = Header{first[r.worm] + n.stands(int32(q), &r), int32(q), r.channel, r.since}
		}
	}
	for _, w := range worms {
		w.list(0, func(k int32) {
			if h, waits := waiting[first[w]+k]; waits {
				d.Waiting = append(d.Waiting, h)
			}
		})
	}
	return d
}

// list visits a position and all behind it.
func (w *worm) list(at int32, visit func(int32)) {
	visit(at)
	for k := range w.positions[at].many {
		w.list(w.positions[at].child+k, visit)
	}
}

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, and each channel and token is held by exactly the worm that stretches over it.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	held := 0
	for _, w := range n.worms {
		for k := range w.positions {
			p := &w.positions[k]
			held += len(p.copies)
			if p.left {
				held -= len(p.copies)
			}
			if p.token != None {
				held++
			}
			if p.channel == None || p.left {
				continue
			}
			held++
			if ch := &n.channels[p.channel]; ch.holder != w || ch.position != int32(k) {
				return fmt.Errorf("wormholeideal: cycle %d: a worm of node %d stretches over %s, which it does not hold",
					n.Clock, n.Dispatch.At(w.id).From, n.Name(p.channel))
			}
		}
	}
	for c := range n.channels {
		if n.channels[c].held {
			held--
		}
	}
	if held != 0 {
		return fmt.Errorf("wormholeideal: cycle %d: %d channels are held by no worm that stretches over them", n.Clock, -held)
	}
	return nil
}

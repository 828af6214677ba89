package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// links are those of a network in which some have delays of their own.
type links struct {
	net    *Network
	delays []wormhole.Delays // by port index of the output
	idle   []noc.Cycle       // by port index: from which on a narrow link can take a flit
	busy   []uint32          // narrow links that a flit occupies
	lands  []globalVC        // scratch: where the flits of a cycle go
}

func newLinks(n *Network) *links {
	x := &links{net: n, delays: make([]wormhole.Delays, len(n.routers)*n.layout.ports), idle: make([]noc.Cycle, len(n.routers)*n.layout.ports)}
	for i := range x.delays {
		x.delays[i] = n.config.DelaysOf(nil)
	}
	for _, c := range n.Wiring.Channels {
		x.delays[n.layout.portAt(int(c.From), int(c.Out))] = n.config.DelaysOf(c.Link)
	}
	return x
}

// block takes the credits from the channels that lead to busy links, so that they do not ask for the switch in
// cycle t, and gives them back where links have become idle.
func (x *links) block(t noc.Cycle) {
	n, kept := x.net, x.busy[:0]
	for _, port := range x.busy {
		router, first := int(port)/n.layout.ports, globalVC(int(port)/n.layout.ports)<<6
		word, idle := &n.switches.words[router], x.idle[port] <= t
		for v := range word.active.All() {
			if ch := first | globalVC(v); n.channel[ch].out == port {
				word.credited.Add(v)
				word.credited = without(word.credited, v, !idle || n.upstream[n.front[ch].to()].credits == 0)
			}
		}
		if !idle {
			kept = append(kept, port)
		}
	}
	x.busy = kept
}

// send is transfer.send with the delays of each link.
func (x *links) send(t noc.Cycle) {
	n := x.net
	granted := n.switches.granted
	for _, ch := range granted {
		c := &n.channel[ch]
		if d := &x.delays[c.out]; d.Parts > 1 {
			x.idle[c.out] = t + noc.Cycle(d.Parts)
			x.busy = append(x.busy, c.out)
		}
		credit := n.transfer.credit
		if feeder := n.sources[c.base+uint32(c.input)].feeder; feeder != none {
			credit = x.delays[feeder].Credit
		}
		back := n.schedule.On(t + noc.Cycle(credit))
		back.freed = append(back.freed, ch)
	}
	heads, tails := n.transfer.heads[:len(granted)], n.transfer.tails[:len(granted)]
	headed, tailed := leave(granted, n.front, heads, tails)
	for len(x.lands) < len(granted) {
		x.lands = append(x.lands, 0)
	}
	use(granted, x.lands[:len(granted)], n.front, n.upstream, n.switches.words)
	for i, ch := range granted {
		at := n.schedule.On(t + noc.Cycle(x.delays[n.channel[ch].out].Flit))
		at.landing = append(at.landing, x.lands[i])
	}
	for _, ch := range heads[:headed] {
		if to := n.transfer.departHeader(ch, t); to != n.noChannel {
			at := n.schedule.On(t + noc.Cycle(x.delays[n.channel[ch].out].Flit))
			at.arrivals = append(at.arrivals, arrival{to, n.channel[ch].worm})
		}
	}
	n.transfer.release(tails[:tailed], t)
	n.upstream[n.noChannel].credits = math.MaxInt32
	n.switches.granted = granted[:0]
}

package wormhole

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// stage is what a node's station does.
type stage uint8

const (
	idle      stage = iota
	preparing       // a message, until the startup is over
	sending         // the worms of a round, as injection ports fall free
	clearing        // waiting until the worms of a round have left the node
)

// station is the sending side of a node. It serves one message after the other, in the order in which
// they became ready: messages of its own, and those that it received in order to forward them.
type station struct {
	stage   stage
	listed  bool   // in serve
	free    uint32 // injection ports, as bits
	ofRound uint32 // ports that send a worm of the current round
	message int32
	after   int32 // the worm that brought the message; none for one of its own
	round   int32
	looked  int32     // worm of the message to be looked at next in this round
	until   noc.Cycle // of preparing
	overlap bool      // the startup began in the cycle before, in which the header came
	forward []errand  // messages to be forwarded
	first   int32     // of forward
}

// errand is a message that a worm brought to be forwarded.
type errand struct {
	message, after int32
	ready          noc.Cycle
}

// wakeStation lets a node's station be served in this cycle.
func (n *Network) wakeStation(node int32) {
	if s := &n.stations[node]; !s.listed {
		s.listed = true
		n.serve = append(n.serve, node)
	}
}

// freePort lets a port send again.
func (n *Network) freePort(node, port int32) {
	s := &n.stations[node]
	s.free |= 1 << port
	s.ofRound &^= 1 << port
	n.wakeStation(node)
}

// serveStations serves those with something to do.
func (n *Network) serveStations(t noc.Cycle) {
	for _, node := range n.serve {
		n.stations[node].listed = false
		for n.serveStation(noc.NodeID(node), t) {
		}
	}
	n.serve = n.serve[:0]
}

// serveStation takes one step of a node's station and tells whether there may be another in this cycle.
func (n *Network) serveStation(node noc.NodeID, t noc.Cycle) bool {
	s := &n.stations[node]
	switch s.stage {
	case idle:
		if s.free&^(1<<loopback) == 0 || !n.nextMessage(node, t) {
			return false
		}
		s.stage, s.round, s.ofRound, s.until = preparing, 0, 0, t+noc.Cycle(n.config.Startup)
		s.looked = n.messages[s.message].first
		if s.overlap && n.config.Startup > 0 {
			s.until--
		}
		if s.after == none {
			s.until += noc.Cycle(n.config.Preparation)
		}
		if s.until > t {
			n.calendar.add(s.until, stationWakes, int32(node))
		}
	case preparing:
		if s.until > t {
			return false
		}
		s.stage = sending
	case sending:
		if !n.sendRound(node, t) {
			return false
		}
		switch {
		case !n.hasRound(node, s.round+1):
			s.stage = idle
		case n.config.Startup == 0 || n.config.CutThrough:
			n.nextRound(node, t)
		default:
			s.stage = clearing
		}
	case clearing:
		if s.ofRound != 0 {
			return false
		}
		n.nextRound(node, t)
	}
	return true
}

// nextRound begins the startup of the following round.
func (n *Network) nextRound(node noc.NodeID, t noc.Cycle) {
	s := &n.stations[node]
	s.round++
	s.stage, s.until, s.ofRound = preparing, t+noc.Cycle(n.config.Startup), 0
	s.looked = n.messages[s.message].first
	if s.until > t {
		n.calendar.add(s.until, stationWakes, int32(node))
	}
}

// nextMessage takes the next message of a node: the one that has been ready longest, one to be forwarded
// before one of its own, the highest class first.
func (n *Network) nextMessage(node noc.NodeID, t noc.Cycle) bool {
	s := &n.stations[node]
	ready := noc.Never
	if int(s.first) < len(s.forward) {
		ready = s.forward[s.first].ready
	}
	class, oldest := -1, ready
	for m := n.sources.Ready(node); m != 0; m &= m - 1 {
		c := bits.TrailingZeros8(m)
		if at := n.packets.At(n.sources.Head(node, noc.Class(c))).Offered; at < oldest || at == oldest && class >= 0 {
			class, oldest = c, at
		}
	}
	switch {
	case class >= 0:
		s.message, s.after, s.overlap = int32(n.sources.Pop(node, noc.Class(class))), none, false
		n.plan(s.message, t)
	case ready <= t:
		e := s.forward[s.first]
		s.message, s.after, s.overlap = e.message, e.after, n.config.CutThrough && e.ready == t
		if s.first++; int(s.first) == len(s.forward) {
			s.forward, s.first = s.forward[:0], 0
		}
	default:
		return false
	}
	return true
}

// sendRound gives the worms of the current round to free ports and tells whether all have one.
func (n *Network) sendRound(node noc.NodeID, t noc.Cycle) bool {
	s := &n.stations[node]
	for ; s.looked != none; s.looked = n.worms[s.looked].sibling {
		w := &n.worms[s.looked]
		if w.from != node || w.after != s.after || w.round != s.round {
			continue
		}
		free := s.free &^ (1 << loopback)
		if len(w.stops) == 1 && w.stops[0] == node {
			free = s.free & (1 << loopback)
		}
		if free == 0 {
			return false
		}
		port := bits.TrailingZeros32(free)
		s.free &^= 1 << port
		s.ofRound |= 1 << port
		entry := n.wiring.Entry[node]
		w.launched, w.port, w.router, w.in = true, int32(port), int32(entry.Router), entry.Port
		n.advance(s.looked, t)
	}
	return true
}

// hasRound tells whether the message that a node serves has worms of a round to be sent from there.
func (n *Network) hasRound(node noc.NodeID, round int32) bool {
	s := &n.stations[node]
	for k := n.messages[s.message].first; k != none; k = n.worms[k].sibling {
		if w := &n.worms[k]; w.from == node && w.after == s.after && w.round == round {
			return true
		}
	}
	return false
}

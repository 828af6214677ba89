package dispatch

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
)

// stage is what a station does.
type stage uint8

const (
	idle      stage = iota
	preparing       // a message, until the startup is over
	sending         // the worms of a round, as ports fall free
	clearing        // waiting until the worms of a round have left the node
)

// station is the sending side of a node, or of one class of a node. It serves messages one at a
// time, in the order in which they became ready: its own messages, and those that it forwards.
type station struct {
	stage    stage
	listed   bool // in serve
	overlap  bool // the startup began in the cycle before, in which the header came
	packet   fabric.PacketID
	ofRound  uint32 // ports that send a worm of the current round
	after    int32  // index of the worm that brought the message; None for one of the node's own
	round    int32
	nextWorm int32     // of the message, to be looked at in this round
	until    noc.Cycle // of preparing
	sent     noc.Cycle // the cycle after it got a port last
	forward  queue.FIFO[forwardTask]
}

// forwardTask is a message to be forwarded.
type forwardTask struct {
	packet fabric.PacketID
	after  int32
	ready  noc.Cycle
}

// Serve does all steps that the nodes can do in cycle now and returns the worms to launch, each
// with its port. The next call reuses the list.
func (d *Dispatcher) Serve(now noc.Cycle) []int32 {
	if d.calendar.Next(now) == now {
		for i := d.calendar.Take(now, 0); i >= 0; i = d.calendar.Take(now, 0) {
			d.wake(int(i))
		}
		d.calendar.Finish(now)
	}
	if d.shared {
		slices.SortFunc(d.serve, d.compare)
	}
	d.launch = d.launch[:0]
	for _, i := range d.serve {
		d.stations[i].listed = false
		d.serveStation(int(i), now)
	}
	d.serve = d.serve[:0]
	return d.launch
}

// compare orders stations, so that the order in which they were woken has no effect. Of one node,
// the station that got a port least recently comes first, so that stations that share ports do not
// starve; then the higher class.
func (d *Dispatcher) compare(a, b int32) int {
	lanes := int32(d.lanes)
	return cmp.Or(cmp.Compare(a/lanes, b/lanes), cmp.Compare(d.stations[a].sent, d.stations[b].sent), cmp.Compare(b, a))
}

// Next returns the first cycle from now on in which Serve has something to do, or noc.Never.
func (d *Dispatcher) Next(now noc.Cycle) noc.Cycle {
	if len(d.serve) > 0 {
		return now
	}
	return d.calendar.Next(now)
}

// FreePort reports that a port of a node can send again in the cycle of the next Serve.
func (d *Dispatcher) FreePort(node noc.NodeID, port int32) {
	d.freePorts[node] |= 1 << (port & 31)
	for set := d.lanesOf[port&31]; set != 0; set &= set - 1 {
		lane := bits.TrailingZeros8(set)
		i := int(node)*d.lanes + lane
		s := &d.stations[i]
		s.ofRound &^= 1 << (port & 31)
		if s.stage != idle || d.hasMessage(s, node, lane) { // otherwise the next message wakes it
			d.wake(i)
		}
	}
}

// stationOf returns the index of the station that sends a node's packets of a class.
func (d *Dispatcher) stationOf(node noc.NodeID, class noc.Class) int {
	if d.lanes == 1 {
		return int(node)
	}
	return int(node)*d.lanes + int(class)
}

// wake lets a station be served.
func (d *Dispatcher) wake(i int) {
	if s := &d.stations[i]; !s.listed {
		s.listed = true
		d.serve = append(d.serve, int32(i))
	}
}

// serveStation lets a station take all steps that it can take in cycle now.
func (d *Dispatcher) serveStation(i int, now noc.Cycle) {
	s := &d.stations[i]
	node, lane := noc.NodeID(i/d.lanes), i%d.lanes
	for {
		if s.stage == idle {
			if d.freePorts[node]&d.config.PortsOf[lane] == 0 || !d.hasMessage(s, node, lane) || !d.nextMessage(i, now) {
				return
			}
			d.prepare(i, now)
		}
		if s.stage == preparing {
			if s.until > now {
				return
			}
			s.stage = sending
		}
		if s.stage == sending {
			if !d.sendRound(s, node, lane, now) {
				return
			}
			switch {
			case !d.hasRound(s, node, s.round+1):
				s.stage = idle
				if s.after == None {
					d.sources.Leave(s.packet)
				}
			case d.config.Startup == 0 || d.config.CutThrough:
				d.nextRound(i, now)
			default:
				s.stage = clearing
			}
		}
		if s.stage == clearing {
			if s.ofRound != 0 {
				return
			}
			d.nextRound(i, now)
		}
	}
}

// hasMessage reports whether a message of a station waits, or may become ready.
func (d *Dispatcher) hasMessage(s *station, node noc.NodeID, lane int) bool {
	return d.waitingIn(node, lane) != 0 || s.forward.Len() > 0
}

// waitingIn returns the classes of which packets of a node's own wait for a station.
func (d *Dispatcher) waitingIn(node noc.NodeID, lane int) uint8 {
	waiting := d.sources.Ready(node)
	if d.lanes > 1 {
		waiting &= 1 << lane
	}
	return waiting
}

// prepare begins the startup of a message's first round.
func (d *Dispatcher) prepare(i int, now noc.Cycle) {
	s := &d.stations[i]
	s.stage, s.round, s.ofRound, s.until = preparing, 0, 0, now+noc.Cycle(d.config.Startup)
	s.nextWorm = d.messages[s.packet].first
	if s.overlap && d.config.Startup > 0 {
		s.until--
	}
	if s.after == None && d.packets.Only(s.packet) < 0 {
		s.until += noc.Cycle(d.config.Preparation)
	}
	if s.until > now {
		d.calendar.Add(s.until, 0, int32(i))
	}
}

// nextRound begins the startup of the following round.
func (d *Dispatcher) nextRound(i int, now noc.Cycle) {
	s := &d.stations[i]
	s.round++
	s.stage, s.until, s.ofRound = preparing, now+noc.Cycle(d.config.Startup), 0
	s.nextWorm = d.messages[s.packet].first
	if s.until > now {
		d.calendar.Add(s.until, 0, int32(i))
	}
}

// nextMessage takes the next message of a station: the one that has been ready longest. Of equals,
// a message to forward comes before the node's own, and a higher class before a lower one.
func (d *Dispatcher) nextMessage(i int, now noc.Cycle) bool {
	s := &d.stations[i]
	node := noc.NodeID(i / d.lanes)
	ready := noc.Never
	if s.forward.Len() > 0 {
		ready = s.forward.Front().ready
	}
	class, oldest := -1, ready
	for waiting := d.waitingIn(node, i%d.lanes); waiting != 0; waiting &= waiting - 1 {
		c := bits.TrailingZeros8(waiting)
		if at := d.packets.At(d.sources.Head(node, noc.Class(c))).Offered; at < oldest || at == oldest && class >= 0 {
			class, oldest = c, at
		}
	}
	switch {
	case class >= 0:
		s.packet, s.after, s.overlap = d.sources.Take(node, noc.Class(class)), None, false
		d.plan(s.packet, now)
	case ready <= now:
		task := s.forward.Pop()
		s.packet, s.after, s.overlap = task.packet, task.after, d.config.CutThrough && task.ready == now
	default:
		return false
	}
	return true
}

// sendRound gives the worms of the current round to free ports and reports whether all have one.
func (d *Dispatcher) sendRound(s *station, node noc.NodeID, lane int, now noc.Cycle) bool {
	for ; s.nextWorm != None; s.nextWorm = d.worms[s.nextWorm].sibling {
		w := &d.worms[s.nextWorm]
		if w.From != node || w.after != s.after || w.round != s.round {
			continue
		}
		ports := d.config.PortsOf[lane]
		if d.config.OwnWay && len(w.Stops) == 1 && w.Stops[0] == node {
			ports = 1 << Loopback
		}
		free := d.freePorts[node] & ports
		if free == 0 {
			return false
		}
		w.Port = int32(bits.TrailingZeros32(free))
		d.freePorts[node] &^= 1 << w.Port
		s.ofRound |= 1 << w.Port
		s.sent = now + 1
		d.launch = append(d.launch, s.nextWorm)
	}
	return true
}

// hasRound reports whether the message of a station has worms of a round to be sent from the node.
func (d *Dispatcher) hasRound(s *station, node noc.NodeID, round int32) bool {
	for k := d.messages[s.packet].first; k != None; k = d.worms[k].sibling {
		if w := &d.worms[k]; w.From == node && w.after == s.after && w.round == round {
			return true
		}
	}
	return false
}

// messageOf returns the message that a packet becomes.
func (d *Dispatcher) messageOf(id fabric.PacketID) *message {
	for int(id) >= len(d.messages) {
		d.messages = append(d.messages, message{first: None})
	}
	return &d.messages[id]
}

package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants is rule 14. It implements [noc.Checker].
func (n *Network) CheckInvariants() error {
	if owed := n.Packets.Destinations(); owed != n.Owed() {
		return fmt.Errorf("buffered: cycle %d: packets have %d destinations, %d are owed", n.Clock, owed, n.Owed())
	}
	for i := range n.routers {
		r := &n.routers[i]
		for port := range r.outputs {
			o := &r.outputs[port]
			for class := range o.credits {
				if o.peer < 0 {
					continue
				}
				taken, slots, returned := n.taken(r, port, class), n.config.SpaceOf(class).Slots, 0
				for _, c := range o.returned {
					if c.class == class {
						returned++
					}
				}
				if o.credits[class] < 0 || o.credits[class]+returned+taken != slots {
					return fmt.Errorf("buffered: cycle %d, node %d: %d credits for output %s class %d, %d on their way, %d of %d slots taken",
						n.Clock, i, o.credits[class], n.grid.PortName(port), class, returned, taken, slots)
				}
			}
		}
	}
	return n.checkRings()
}

// taken returns how many slots behind an output packets hold: those whose header has been granted
// the output, or sent by the interface, and has not left the channel behind.
func (n *Network) taken(r *router, port, class int) (slots int) {
	o := &r.outputs[port]
	in := &n.routers[o.peer].inputs[o.entry]
	if s := &in.stream; s.active() && s.leaving && s.class == class && s.next > 0 {
		slots-- // its header has left
	}
	slots += len(in.channels[class].entries)
	headers := []phit{in.wire}
	if port == topology.Local {
		headers = append(headers, r.sender.sending)
	} else {
		headers = append(append(headers, o.crossed), o.link...)
		for i := range r.inputs {
			if s := &r.inputs[i].stream; s.active() && s.output == port {
				headers = append(headers, phit{s.packet, s.next})
			}
		}
	}
	for _, f := range headers {
		if f.present() && f.index == 0 && f.packet.class == class {
			slots++
		}
	}
	return slots
}

// checkRings reports a ring of a torus in which no packet can go on because free slots are
// missing. The slot of a packet that is leaving is free.
func (n *Network) checkRings() error {
	if !n.grid.Wrap || !n.config.Bubble {
		return nil
	}
	for i := range n.routers {
		for port := 1; port < n.grid.Ports(); port++ {
			if dim, _ := n.grid.Direction(port); n.grid.Coordinate(noc.NodeID(i), dim) != 0 {
				continue
			}
			for class := range n.config.Classes {
				if n.mostFree(i, port, class) < n.config.SpaceOf(class).Ahead {
					return fmt.Errorf("buffered: cycle %d: the ring of class %d through output %s of node %d is full",
						n.Clock, class, n.grid.PortName(port), i)
				}
			}
		}
	}
	return nil
}

// mostFree returns the free slots of that channel which has most of them in the ring that an
// output belongs to.
func (n *Network) mostFree(start, port, class int) (most int) {
	for at := start; ; {
		r := &n.routers[at]
		o := &r.outputs[port]
		free := n.config.SpaceOf(class).Slots - n.taken(r, port, class)
		in := &n.routers[o.peer].inputs[o.entry]
		if s := &in.stream; s.active() && s.leaving && s.class == class && s.next == 0 {
			free++
		}
		most = max(most, free)
		if at = o.peer; at == start {
			return most
		}
	}
}

// Mirror shows the state of an engine as plain routers, so that what packets wait for and what
// must hold are stated once. The engine fills it whenever it is asked to explain itself or to
// check its laws; it cannot be stepped.
type Mirror struct{ net *Network }

// Standing is a packet in a channel, or on its way there.
type Standing struct {
	Packet  fabric.PacketID
	Phits   int
	Written noc.Cycle // when its header is written into the channel
	// Branches are the outputs that it still has to take, as bits; none before it may ask for the
	// switch.
	Branches uint16
}

// NewMirror makes an empty mirror. It panics when the configuration is not valid.
func NewMirror(g topology.Grid, c Config) *Mirror {
	n, err := New(g, c)
	if err != nil {
		panic(err)
	}
	return &Mirror{n}
}

// Begin forgets all packets, and shows the interfaces of a network as they are.
func (m *Mirror) Begin(x fabric.Interfaces) {
	m.net.Interfaces = x
	for i := range m.net.routers {
		for port := range m.net.routers[i].inputs {
			channels := m.net.routers[i].inputs[port].channels
			for class := range channels {
				channels[class].entries = channels[class].entries[:0]
			}
			m.net.routers[i].outputs[port].returned = m.net.routers[i].outputs[port].returned[:0]
		}
	}
}

// Put appends a packet to a channel of a router's input.
func (m *Mirror) Put(router, port, class int, s Standing) {
	e := entry{packet: packet{id: s.Packet, phits: s.Phits, class: class}, written: s.Written, routed: noc.Never}
	if s.Branches != 0 {
		e.routed, e.branches = 0, s.Branches
	}
	ch := &m.net.routers[router].inputs[port].channels[class]
	ch.entries = append(ch.entries, e)
}

// Output shows the credits that an output has for a channel behind it, and those that are on their
// way there.
func (m *Mirror) Output(router, port, class, credits, returning int) {
	o := &m.net.routers[router].outputs[port]
	o.credits[class] = credits
	for range returning {
		o.returned = append(o.returned, credit{class: class})
	}
}

// Explain is Explain of the network that is shown.
func (m *Mirror) Explain() []noc.Stuck { return m.net.Explain() }

// CheckInvariants verifies the laws of the network that is shown.
func (m *Mirror) CheckInvariants() error { return m.net.CheckInvariants() }

package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Mirror shows the state of an engine as plain routers, so that what packets wait for and what must
// hold are stated once. The engine fills it whenever it is asked to explain itself or to check its
// laws; it cannot be stepped.
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
	o.credits[class], o.returned[class] = credits, returning
}

// Explain is Explain of the network that is shown.
func (m *Mirror) Explain() []noc.Stuck { return m.net.Explain() }

// CheckInvariants verifies the laws of the network that is shown.
func (m *Mirror) CheckInvariants() error { return m.net.CheckInvariants() }

// Package network lets components of Akita exchange messages over a network of Carousel.
//
// A [Connection] takes the place of a direct connection, or of a mesh of Akita. Each port plugs in at a node, where it may
// have company. A message leaves its port as packets: each has a phit of header and as many phits of payload as its bytes
// need. It is delivered when the last packet is there, in the order in which its source port has sent messages to its
// destination port, also on networks whose packets overtake each other. Payload stays in Akita; the network carries
// lengths.
//
// Back-pressure: a port keeps a message until the source queue of its node has taken all packets of it. Packets for a port
// that is full stay in the sink of their node. A sink has a limit, so they hold the network back.
//
// The loop is [Connection.Tick]. It follows the time of Akita's engine, cycle by cycle while packets are
// under way. Otherwise it sleeps, and the network skips the cycles between. A connection cannot be saved
// in a checkpoint.
package network

import (
	"fmt"

	"github.com/sarchlab/akita/v5/messaging"
	"github.com/sarchlab/akita/v5/modeling"
	"github.com/sarchlab/akita/v5/timing"

	"github.com/carousel-sim/carousel/noc"
)

// Config says how messages become packets.
type Config struct {
	Freq        timing.Freq // of the network
	PacketPhits int         // longest packet, header included; at most what the network carries
	SinkPackets int         // packets of a class that a node holds before the network has to wait; 0: no limit
	Classes     int         // message classes of the network
	// Class is the class of a message; nil puts all messages into class 0. A message of class c may
	// wait for those above c to be received, and never for those below.
	Class func(messaging.Msg) noc.Class
}

// Connection is a network of Carousel between ports of Akita; it implements messaging.Connection.
type Connection struct {
	*modeling.TickingComponent
	network   noc.Network
	config    Config
	phitBytes int
	ports     []*port
	named     map[messaging.RemotePort]*port
	sent      []*message // by tag
	unused    []noc.Tag
}

// port is a port of Akita at its node.
type port struct {
	messaging.Port
	node    noc.NodeID
	set     noc.NodeSet          // the node alone
	sending *message             // whose packets leave; it is still in the port
	arrived []*message           // per packet in the sink of the node
	ready   []messaging.Msg      // messages that have arrived and may be delivered
	from    map[*port][]*message // messages to this port by source, as they were sent
}

// message is a message on its way.
type message struct {
	messaging.Msg
	from, to *port
	tag      noc.Tag
	class    noc.Class
	payload  int // phits that have not left the port
	packets  int // that have left and have not been received
}

// New makes a connection of a network, which is still at cycle 0 and stays the caller's to close.
func New(reg modeling.Registrar, name string, network noc.Network, c Config) (*Connection, error) {
	bytes := network.Hardware().PhitBits / 8
	if c.PacketPhits < 2 || c.Classes < 1 || c.SinkPackets < 0 || c.Freq == 0 || bytes < 1 || network.Now() != 0 {
		return nil, fmt.Errorf("network: %+v with phits of %d bytes, at cycle %d; a fresh network, a frequency, phits of a byte, packets of 2 phits and a class are needed",
			c, bytes, network.Now())
	}
	n := &Connection{network: network, config: c, phitBytes: bytes, named: map[messaging.RemotePort]*port{}}
	// Like other connections it follows what components do in the same cycle.
	n.TickingComponent = modeling.NewSecondaryTickingComponent(name, reg.GetEngine(), c.Freq, n)
	reg.RegisterConnection(n)
	return n, nil
}

// PlugIn plugs a port in at the next node: the first port at node 0, and after the last node at node 0 again.
func (c *Connection) PlugIn(p messaging.Port) {
	c.PlugInAt(p, noc.NodeID(len(c.ports)%c.network.Nodes()))
}

// PlugInAt plugs a port in at a node.
func (c *Connection) PlugInAt(p messaging.Port, node noc.NodeID) {
	if int(node) >= c.network.Nodes() {
		panic(fmt.Sprintf("%s: port %s cannot be at node %d of %d", c.Name(), p.Name(), node, c.network.Nodes()))
	}
	one := &port{Port: p, node: node, set: noc.SetOf(c.network.Nodes(), node), from: map[*port][]*message{}}
	c.ports, c.named[p.AsRemote()] = append(c.ports, one), one
	for class := range c.config.Classes {
		if c.config.SinkPackets > 0 {
			c.network.LimitSink(node, noc.Class(class), c.config.SinkPackets)
		}
	}
	p.SetConnection(c)
}

// Unplug panics: a packet for the port may be under way.
func (c *Connection) Unplug(p messaging.Port) {
	panic(fmt.Sprintf("%s: port %s cannot be unplugged", c.Name(), p.Name()))
}

// NotifyAvailable is called when a port that was full has room.
func (c *Connection) NotifyAvailable(messaging.Port) { c.TickNow() }

// NotifySend is called when a port has a message.
func (c *Connection) NotifySend() { c.TickNow() }

// Tick simulates the cycle of the engine's time, and reports whether the next one has something to do.
func (c *Connection) Tick() bool {
	now := noc.Cycle(c.config.Freq.Cycle(c.CurrentTime()))
	if c.network.Now() > now {
		return true // this cycle has been simulated
	}
	c.network.Step(now) // nothing was under way
	for _, d := range c.network.Deliveries() {
		m := c.sent[d.Tag]
		m.to.arrived = append(m.to.arrived, m)
	}
	for i := range c.ports {
		p := c.ports[(i+int(now))%len(c.ports)] // ports of a node take turns
		c.receive(p)
		c.send(p)
	}
	c.network.Step(now + 1)
	return c.network.InFlight() > 0
}

// receive takes packets out of the sink of a port's node and delivers messages, until the port is full.
func (c *Connection) receive(p *port) {
	for {
		for len(p.ready) > 0 && p.CanDeliver() {
			p.Deliver(p.ready[0])
			p.ready = p.ready[1:]
		}
		if len(p.ready) > 0 || len(p.arrived) == 0 {
			return
		}
		m := p.arrived[0]
		p.arrived = p.arrived[1:]
		if c.config.SinkPackets > 0 {
			c.network.FreeSink(p.node, m.class)
		}
		if m.packets--; m.packets > 0 || m.payload > 0 {
			continue
		}
		c.unused = append(c.unused, m.tag)
		list := p.from[m.from]
		for ; len(list) > 0 && list[0].packets == 0; list = list[1:] {
			p.ready = append(p.ready, list[0].Msg)
		}
		p.from[m.from] = list
	}
}

// send offers packets of the messages of a port, until the source queue is full.
func (c *Connection) send(p *port) {
	for {
		if p.sending == nil {
			msg := p.PeekOutgoing()
			if msg == nil {
				return
			}
			p.sending = c.start(p, msg)
		}
		m := p.sending
		for first := m.packets == 0; m.payload > 0 || first; first = false {
			phits := min(m.payload, c.config.PacketPhits-1)
			if !c.network.Offer(noc.Packet{Src: p.node, Dst: m.to.set, Tag: m.tag, Phits: uint16(1 + phits), Class: m.class}) {
				return
			}
			m.payload -= phits
			m.packets++
		}
		m.to.from[p] = append(m.to.from[p], m)
		p.RetrieveOutgoing()
		p.sending = nil
	}
}

// start makes the packets' common part of a message at the head of a port.
func (c *Connection) start(p *port, msg messaging.Msg) *message {
	to, known := c.named[msg.Meta().Dst]
	if !known {
		panic(fmt.Sprintf("%s: port %s sends to %s, which is not plugged in", c.Name(), p.Name(), msg.Meta().Dst))
	}
	m := &message{Msg: msg, from: p, to: to, payload: (msg.Meta().TrafficBytes + c.phitBytes - 1) / c.phitBytes}
	if c.config.Class != nil {
		m.class = c.config.Class(msg)
	}
	if len(c.unused) == 0 {
		c.unused = append(c.unused, noc.Tag(len(c.sent)))
		c.sent = append(c.sent, nil)
	}
	m.tag = c.unused[len(c.unused)-1]
	c.unused = c.unused[:len(c.unused)-1]
	c.sent[m.tag] = m
	return m
}

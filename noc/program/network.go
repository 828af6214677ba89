package program

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Setup says which program to start, and the network that it is to be.
type Setup struct {
	Path       string
	Arguments  []string // those of Config, apart
	Nodes      int
	Topology   string         // its name
	Grid       *topology.Grid // nil for other topologies
	Classes    int
	ClassPhits [noc.MaxClasses]int // longest packet of each class; 0 is that of Config
	Seed       uint64
	EveryCycle bool // call the program in every cycle; same results, slower
	Config     Config
}

// Network is a network that is a program; it implements noc.Network, noc.Checker and io.Closer. Its
// methods panic with a *noc.Failure if the program breaks the rules.
type Network struct {
	fabric.Interfaces
	far   *child
	twin  *child // is asked the same as far in the first runs
	runs  int
	shape shape
	setup Setup
	wires *topology.Wiring

	shown   []uint8 // per node: classes of which the program is offered a packet, as bits
	offered int     // packets that it is offered
	fresh   []byte  // those of which it has not been told
	news    uint32  // how many these are

	known   []entry // packets that the program is offered or has, by the number that it knows
	unused  queue.FIFO[uint32]
	inside  int       // copies that it has
	longest noc.Cycle // time inside of a copy that has arrived
	blocked noc.Cycle // last cycle in which a sink was found full
	looked  noc.Cycle // for packets that are lost

	changed []int32               // sinks whose room has changed
	noted   []bool                // those listed in changed
	waits   []queue.FIFO[outside] // per sink
	waiting int                   // copies that wait for sinks

	hops, taken, eaten uint64 // phits over links, into the network, out of it
	inject, eject      []uint64
	idle               noc.Cycle
	sums               []uint64 // counters of the program
	summed             int      // calls when they were read
}

// entry is a number by which the program knows a packet.
type entry struct {
	packet fabric.PacketID
	tag    noc.Tag // of the packet, also after its end
	src    noc.NodeID
	class  noc.Class
	state  state
}

// state says where the packet of a number is.
type state uint8

const (
	never   state = iota // the number has had no packet
	offered              // in a source queue
	inside               // in the program
	gone                 // it has arrived
)

// outside is a copy that waits for a sink, in front of it.
type outside struct {
	noc.Delivery
	phits uint16
}

// numbersAtFirst is how many numbers packets have at least: a number is used again as late as possible,
// so that a second arrival of a packet is recognised.
const numbersAtFirst = 1024

// New starts a program and returns its network.
func New(s Setup) (*Network, error) {
	if err := cmp.Or(s.Config.Validate(), fabric.CheckRange("classes", s.Classes, 1, noc.MaxClasses)); err != nil {
		return nil, fmt.Errorf("program.%w", err)
	}
	far, err := start(s.Path, s.Arguments, s.Config.limit())
	if err != nil {
		return nil, err
	}
	n := &Network{far: far, setup: s,
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: s.Nodes, Classes: s.Classes, SourceQueue: s.Config.SourceQueue, MaxPhits: s.Config.Longest}),
		shown:      make([]uint8, s.Nodes), noted: make([]bool, s.Nodes*s.Classes), waits: make([]queue.FIFO[outside], s.Nodes*s.Classes),
		inject: make([]uint64, s.Nodes), eject: make([]uint64, s.Nodes), summed: -1}
	far.setup(s)
	body, err := far.ask("create", shapeTag)
	if err == nil {
		err = n.shape.decode(body, s)
	}
	if err == nil {
		n.wires, err = topology.NewWiring(s.Topology, int(n.shape.routers), n.shape.channels, n.shape.entry, n.shape.exit)
	}
	if err != nil {
		n.Close()
		return nil, n.failure(err)
	}
	for i := range numbersAtFirst {
		n.number(uint32(i))
	}
	n.Drive(fabric.Engine{Check: n.CheckInvariants, Room: n.roomChanged}, s.EveryCycle)
	return n, nil
}

// Prefix begins the name of a router that is a program.
const Prefix = "program:"

// number adds a number for packets.
func (n *Network) number(i uint32) {
	n.known = append(n.known, entry{})
	n.unused.Push(i)
}

// Close ends the program.
func (n *Network) Close() error {
	n.far.stop()
	if n.twin != nil {
		n.twin.stop()
	}
	return nil
}

// Hold lets calls cost less while only the calling goroutine makes them.
func (n *Network) Hold(held bool) { n.far.beside.hold(held) }

// Offer puts a packet into a source queue, and shows it to the program if it is the first.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Interfaces.Offer(p) {
		return false
	}
	if n.shown[p.Src]>>p.Class&1 == 0 {
		n.show(p.Src, p.Class)
	}
	return true
}

// show offers the program the next copy of the packet at the head of a queue.
func (n *Network) show(node noc.NodeID, class noc.Class) {
	if n.unused.Len() == 0 {
		n.number(uint32(len(n.known)))
	}
	id, head := n.unused.Pop(), n.Sources.Head(node, class)
	w := n.Packets.At(head)
	n.known[id] = entry{state: offered, tag: w.Tag, src: node, class: class}
	only, to := n.Packets.Only(head), uint32(0)
	switch {
	case only >= 0:
		to = uint32(only)
	case n.shape.has(takesSets):
		first, _ := n.Packets.Members(head).Next(0)
		to = uint32(first)
	default:
		to = uint32(fabric.NextAfter(n.Packets.Set(head), node))
	}
	little := binary.LittleEndian
	n.fresh = little.AppendUint32(little.AppendUint32(little.AppendUint32(n.fresh, id), uint32(node)), to)
	n.fresh = append(little.AppendUint16(n.fresh, w.Phits), byte(class), 0)
	if n.shape.has(takesSets) {
		for word := range noc.SetWords(n.Nodes()) {
			set := uint64(0)
			if only < 0 {
				set = n.Packets.Set(head)[word]
			} else if int(only)/64 == word {
				set = 1 << (only % 64)
			}
			n.fresh = little.AppendUint64(n.fresh, set)
		}
	}
	n.shown[node] |= 1 << class
	n.offered++
	n.news++
}

// Step simulates cycles up to until, or to the first one with something for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.Clock < until {
		n.letIn()
		limit := until
		if n.setup.EveryCycle || n.Sinks.Pending() > 0 || n.Sources.Receipts.Due() {
			limit = n.Clock + 1
		}
		if n.inside > 0 || n.offered > 0 || n.setup.EveryCycle || n.shape.has(everyCycle) {
			n.run(limit)
		} else {
			n.idle += limit - n.Clock
			n.Clock = limit
		}
		room, some := n.Sources.TakeRoomAgain(), n.Sinks.Due(n.Clock)
		if some {
			n.Sinks.Collect(n.Clock)
		}
		if some || room || n.Sources.Receipts.Due() {
			break
		}
	}
	return n.Clock
}

// run lets the program simulate cycles up to until, or to the first one in which it takes or delivers
// something.
func (n *Network) run(until noc.Cycle) {
	c := n.far
	c.begin(runTag)
	c.put64(uint64(n.Clock))
	c.put64(uint64(until))
	c.put32(n.news)
	c.put32(0)
	c.out = append(c.out, n.fresh...)
	n.fresh, n.news = n.fresh[:0], 0
	n.tellRoom()
	n.runs++
	twice := n.runs <= twinRuns && !n.setup.EveryCycle
	if twice {
		n.askTwin()
	}
	body, err := c.ask("run", doneTag)
	if err != nil {
		n.fail(err)
	}
	if twice {
		n.compare(body)
	}
	n.take(body, until)
}

// tellRoom appends the places of sinks that have changed to the message RUNC.
func (n *Network) tellRoom() {
	if !n.shape.has(heedsRoom) || len(n.changed) == 0 {
		return
	}
	c := n.far
	for _, i := range n.changed {
		n.noted[i] = false
		node, class := n.sink(i)
		c.put32(uint32(i))
		places := unlimited
		if free, bounded := n.Sinks.Places(node, class); bounded {
			places = uint32(max(free, 0))
		}
		c.put32(places)
	}
	binary.LittleEndian.PutUint32(c.out[header+20:], uint32(len(n.changed)))
	n.changed = n.changed[:0]
}

func (n *Network) sink(i int32) (noc.NodeID, noc.Class) {
	return noc.NodeID(int(i) / n.setup.Classes), noc.Class(int(i) % n.setup.Classes)
}

// roomChanged hears that the sink of a node and class may have more or less room.
func (n *Network) roomChanged(node noc.NodeID, class noc.Class) {
	if !n.Sinks.Room(node, class) {
		n.blocked = n.Clock
	}
	if i := int(node)*n.setup.Classes + int(class); !n.noted[i] {
		n.noted[i] = true
		n.changed = append(n.changed, int32(i))
	}
}

// letIn gives places of sinks to the copies that wait in front of them.
func (n *Network) letIn() {
	if n.shape.has(heedsRoom) {
		return
	}
	changed := n.changed
	n.changed = n.changed[:0]
	for _, i := range changed {
		n.noted[i] = false
		node, class := n.sink(i)
		for q := &n.waits[i]; q.Len() > 0 && n.Sinks.Room(node, class); n.waiting-- {
			w := q.Pop()
			n.accept(w.Delivery, w.phits)
		}
	}
}

// accept hands a copy to a node in the current cycle.
func (n *Network) accept(d noc.Delivery, phits uint16) {
	n.Sinks.Reserve(d.At, d.Class, n.Clock)
	d.Arrived = n.Clock + 1
	*n.Sinks.Arrival(d.Arrived, phits, n.Clock) = d
	n.eject[d.At] += uint64(phits)
	n.eaten += uint64(phits)
	if n.shape.has(heedsRoom) && n.Sinks.Bounded() {
		n.roomChanged(d.At, d.Class)
	}
}

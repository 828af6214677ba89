package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// network is one network with what a client in C cannot keep for itself.
type network struct {
	noc.Network
	classes, maxPhits int
	prices            power.Config
	wiring            *topology.Wiring

	inner   interfaces
	inOrder bool
	mark    traffic.Mark // where statistics begin

	to      noc.NodeSet             // of the packet in hand
	lines   queue.Lines[noc.Packet] // of packets of run that wait for room
	pending pending                 // packets that the caller has not seen arrive
	arrived queue.FIFO[noc.Delivery]
	running chan struct{} // closed when the step that the caller has begun ends
	failure string        // text of the last error
	broken  bool          // a panic has left it in an unknown state
}

// interfaces is what fabric.Interfaces know beside the methods of noc.Network.
type interfaces interface {
	NextWork() noc.Cycle
	TakenPlaces(noc.NodeID, noc.Class) (taken int, bounded bool)
}

// open makes a network from the text of a configuration.
func open(text []byte) (*network, error) {
	layer, err := config.Parse("configuration", text)
	if err != nil {
		return nil, err
	}
	c, err := config.New(layer)
	if err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(c.Routers) != 1 {
		return nil, fmt.Errorf("routers names %d models; name one, such as \"routers\": [\"mrr\"]", len(c.Routers))
	}
	model, err := models.Lookup(c.Routers[0])
	if err != nil {
		return nil, err
	}
	o := c.Network
	o.Classes, o.Seed = c.Traffic.Classes, c.Seed
	built, err := model.Build(o)
	if err != nil {
		return nil, fmt.Errorf("router %s: %w", model.Name, err)
	}
	layout, err := model.LayoutOf(o)
	if err != nil {
		return nil, fmt.Errorf("router %s: %w", model.Name, err)
	}
	longest, _ := model.MaxPhits(o)
	n := &network{Network: built, wiring: layout.Wiring, classes: o.Classes, maxPhits: longest, prices: c.Power.Effective(),
		inner: built.(interfaces), inOrder: model.InOrder,
		to: noc.NewNodeSet(built.Nodes()), lines: queue.NewLines[noc.Packet](built.Nodes(), noc.MaxClasses)}
	n.mark.Set(built)
	return n, nil
}

// packet is a carousel_packet.
type packet struct {
	cycle        noc.Cycle
	source, tag  uint32
	phits        uint16
	class        uint8
	unused       uint8
	destinations []uint32
}

// checkCount refuses a count of packets that no memory can hold, such as SIZE_MAX.
func checkCount(count uint64, size uintptr) error {
	if limit := uint64(math.MaxInt) / uint64(size); count > limit {
		return fmt.Errorf("count is %d; at most %d packets of %d bytes fit into memory", count, limit, size)
	}
	return nil
}

// check returns what is wrong with a packet. i is its place in the call.
func (n *network) check(i int, p *packet) error {
	switch {
	case int(p.source) >= n.Nodes():
		return fmt.Errorf("packet %d: source is %d; the network has nodes 0 to %d", i, p.source, n.Nodes()-1)
	case int(p.class) >= n.classes:
		return fmt.Errorf("packet %d: class is %d; there are classes 0 to %d (traffic.classes)", i, p.class, n.classes-1)
	case p.phits < 1 || int(p.phits) > n.maxPhits:
		return fmt.Errorf("packet %d: phits is %d; 1 to %d are allowed", i, p.phits, n.maxPhits)
	case p.unused != 0:
		return fmt.Errorf("packet %d: unused is %d; it must be 0", i, p.unused)
	case len(p.destinations) == 0:
		return fmt.Errorf("packet %d: there is no destination; give at least one", i)
	}
	n.to.Clear()
	for _, d := range p.destinations {
		if int(d) >= n.Nodes() {
			return fmt.Errorf("packet %d: destination %d; the network has nodes 0 to %d", i, d, n.Nodes()-1)
		}
		if n.to.Has(noc.NodeID(d)) {
			return fmt.Errorf("packet %d: destination %d is given twice; destinations are a set", i, d)
		}
		n.to.Add(noc.NodeID(d))
	}
	return nil
}

// checkUntil refuses a cycle that is no int64_t: the calls return the current cycle.
func checkUntil(until uint64) error {
	if until > math.MaxInt64 {
		return fmt.Errorf("until is %d; at most %d is allowed", until, math.MaxInt64)
	}
	return nil
}

// ready returns how many deliveries a call can take, and refuses a capacity without an address.
func (n *network) ready(missing bool, capacity uint64) (int, error) {
	if missing && capacity > 0 {
		return 0, fmt.Errorf("into is NULL, but capacity is %d", capacity)
	}
	return int(min(capacity, uint64(n.arrived.Len()))), nil
}

// header returns a packet that check has passed as the network takes it: its tag is a number among the
// pending packets. Its set is valid until the next one.
func (n *network) header(p *packet) noc.Packet {
	n.to.Clear()
	for _, d := range p.destinations {
		n.to.Add(noc.NodeID(d))
	}
	k := noc.Packet{Src: noc.NodeID(p.source), Dst: n.to, Tag: noc.Tag(p.tag), Phits: p.phits, Class: noc.Class(p.class)}
	k.Tag = n.pending.add(k)
	return k
}

// offer offers a packet of header to the network in the current cycle.
func (n *network) offer(p noc.Packet) bool {
	if !n.Offer(p) {
		return false
	}
	n.pending.packets[p.Tag].offered = n.Now()
	return true
}

// step simulates up to a cycle or an event, and keeps what arrived.
func (n *network) step(until noc.Cycle) noc.Cycle {
	now := n.Step(until)
	for _, d := range n.Deliveries() {
		n.arrived.Push(d)
	}
	return now
}

// run offers packets in their cycles and simulates up to a cycle. next returns the packets in
// order, and false behind the last one.
func (n *network) run(next func() (*packet, bool), until noc.Cycle) {
	p, more := next()
	for now := n.Now(); ; now = n.Now() {
		n.lines.Offer(func(_ int, p noc.Packet) bool { return n.offer(p) })
		for ; more && p.cycle <= now; p, more = next() {
			n.send(n.header(p))
		}
		if now >= until {
			return
		}
		end := until
		if more {
			end = min(end, p.cycle)
		}
		n.step(end)
	}
}

// send offers a packet to the network, or lets it wait for room and for others of its node and class.
func (n *network) send(p noc.Packet) {
	if !n.lines.Empty(int(p.Src), int(p.Class)) || !n.offer(p) {
		p.Dst = n.pending.packets[p.Tag].Dst
		n.lines.Push(int(p.Src), int(p.Class), p)
	}
}

// energy prices what has happened since the mark.
func (n *network) energy() (experiment.Energy, error) {
	links := n.mark.Links(n)
	return experiment.Price(n.Hardware(), n.prices, n.mark.Activity(n), links, n.wiring.Own(links), n.Now()-n.mark.Start)
}

// report describes the network's counters as JSON.
func (n *network) report() (string, error) {
	e, err := n.energy()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(struct {
		Cycles   noc.Cycle
		Hardware noc.Hardware
		Routers  []noc.Activity
		Links    []noc.Link
		Energy   []power.Breakdown // by router, in joules
	}{n.Now() - n.mark.Start, n.Hardware(), n.mark.Activity(n), n.mark.Links(n), e.Routers})
	return string(text), err
}

// explain describes the packets that cannot move, one per line.
func (n *network) explain() string {
	var b strings.Builder
	for _, s := range n.Explain() {
		fmt.Fprintf(&b, "packet %d of node %d, class %d, at node %d since cycle %d: holds %s, waits for %s of node %d\n",
			n.pending.packets[s.Tag].Tag, s.Src, s.Class, s.At, s.Since, s.Holds, s.Waits, s.For)
	}
	return b.String()
}

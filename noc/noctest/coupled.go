package noctest

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Coupled drives a network as a protocol with finite queues does: what a node receives of class k
// keeps its place in the sink until the node has put a packet of class k+1 into its source queue,
// which is finite as well. Packets of the highest class are consumed at once. All nodes start
// chains, in class 0, as fast as the network takes them, so every queue that may fill does.
//
// A network in which low classes can stand in the way of higher ones stops under it.
type Coupled struct {
	Network noc.Network
	// Delivered counts the copies that arrived, per class.
	Delivered [noc.MaxClasses]uint64

	traffic traffic.Config
	nodes   int
	random  random.Stream
	owed    [][]int // per node and class: deliveries whose answer has found no room yet
	tag     noc.Tag
}

// NewCoupled prepares coupled traffic with uniform destinations. Of tr, the packets' length and
// classes, the share and size of multicasts (of the first class), and the seed are used, as by
// [Drive]; places is the size of each sink.
func NewCoupled(net noc.Network, g topology.Grid, tr traffic.Config, places int) *Coupled {
	tr = completed(g, tr)
	c := &Coupled{Network: net, traffic: tr, nodes: g.Nodes(), random: random.Stream(tr.Seed)}
	for n := range noc.NodeID(c.nodes) {
		c.owed = append(c.owed, make([]int, tr.Classes))
		for class := range noc.Class(tr.Classes - 1) {
			net.LimitSink(n, class, places)
		}
	}
	return c
}

// Run simulates the given number of cycles.
func (c *Coupled) Run(cycles noc.Cycle) {
	for end := c.Network.Now() + cycles; c.Network.Now() < end; {
		for _, d := range c.Network.Deliveries() {
			c.Delivered[d.Class]++
			if int(d.Class) < c.traffic.Classes-1 {
				c.owed[d.At][d.Class]++
			}
		}
		for n := range noc.NodeID(c.nodes) {
			c.serve(n)
		}
		c.Network.Step(c.Network.Now() + 1)
	}
}

// serve sends the answers that a node owes, highest class first, and starts a chain.
func (c *Coupled) serve(n noc.NodeID) {
	for class := c.traffic.Classes - 2; class >= 0; class-- {
		for c.owed[n][class] > 0 && c.offer(n, noc.Class(class+1), false) {
			c.owed[n][class]--
			c.Network.FreeSink(n, noc.Class(class))
		}
	}
	c.offer(n, 0, c.random.Float64() < c.traffic.MulticastFraction)
}

// offer offers one packet to a random node, or to many.
func (c *Coupled) offer(n noc.NodeID, class noc.Class, many bool) bool {
	p := noc.Packet{Src: n, Class: class, Tag: c.tag, Phits: uint16(c.traffic.PacketPhits), Dst: noc.NewNodeSet(c.nodes)}
	left := 1
	if many {
		left = c.traffic.MulticastDestinations
	}
	for left > 0 {
		if to := noc.NodeID(c.random.Below(c.nodes)); to != n && !p.Dst.Has(to) {
			p.Dst.Add(to)
			left--
		}
	}
	if !c.Network.Offer(p) {
		return false
	}
	c.tag++
	return true
}

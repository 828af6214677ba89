package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Wires are all bundles of wires of a network, as [noc.Toggles] describes them, and what the
// packets hold that cross them. Nothing else looks at them, so they decide nothing.
//
// A packet is counted whole when it leaves the interface or is granted an output: on each bundle
// packets follow each other in that order, and none comes between the phits of another. Behind an
// output of the crossbar is the link, or the node, and behind the link the input port, so these
// have no counts of their own.
type Wires struct {
	*fabric.Contents
	ports, classes int
	inject         []fabric.Wires // by router: from the node into the local input port
	write, read    []fabric.Wires // by router, port and class: into a channel, and out of it
	input, output  []fabric.Wires // by router and port: into the crossbar, and out of it
	behind         []int          // by router and port of an output: the input across the link, or -1
}

// CountWires makes the wires of a network, for content as noc.ToggleCounter tells it.
func CountWires(g topology.Grid, c Config, x *fabric.Interfaces, content func(noc.Packet) []noc.Word) (*Wires, error) {
	contents, err := fabric.NewContents(x.Packets, c.PhitBits, c.Multicast == Tree, content)
	if err != nil {
		return nil, fmt.Errorf("buffered: %w", err)
	}
	x.Sources.Note(contents)
	links := g.Nodes() * g.Ports()
	w := &Wires{Contents: contents, ports: g.Ports(), classes: c.Classes, behind: make([]int, links), inject: make([]fabric.Wires, g.Nodes()),
		write: make([]fabric.Wires, links*c.Classes), read: make([]fabric.Wires, links*c.Classes),
		input: make([]fabric.Wires, links), output: make([]fabric.Wires, links)}
	for i := range w.behind {
		w.behind[i] = -1
		if i%w.ports == topology.Local {
			continue
		}
		if peer, entry, linked := g.Neighbour(noc.NodeID(i/w.ports), i%w.ports); linked {
			w.behind[i] = int(peer)*w.ports + entry
		}
	}
	return w, nil
}

// Inject counts a packet on its way from the node into a channel of the local input.
func (w *Wires) Inject(id fabric.WormID, router, class int) {
	w.Address(id)
	w.Cross(id, &w.inject[router])
	w.Cross(id, &w.write[router*w.ports*w.classes+class])
}

// Pass counts a packet on its way from a channel of an input through an output, up to the channel
// behind that.
func (w *Wires) Pass(id fabric.WormID, router, in, class, out int) {
	in, out = router*w.ports+in, router*w.ports+out
	w.Address(id)
	w.Cross(id, &w.read[in*w.classes+class])
	w.Cross(id, &w.input[in])
	w.Cross(id, &w.output[out])
	if there := w.behind[out]; there >= 0 {
		w.Cross(id, &w.write[there*w.classes+class])
	}
}

// Link returns the bits that have flipped on the link of an output.
func (w *Wires) Link(router, out int) uint64 { return w.output[router*w.ports+out].Flips }

// Toggles returns the bits that have flipped in a router.
func (w *Wires) Toggles(router int) (t noc.Toggles) {
	from, to := router*w.ports, (router+1)*w.ports
	t.Counted = true
	t.Arrived = w.inject[router].Flips
	for _, there := range w.behind[from:to] { // the links between two routers go both ways
		if there >= 0 {
			t.Arrived += w.output[there].Flips
		}
	}
	t.BufferWrites[noc.VirtualChannel] = fabric.FlipsOf(w.write[from*w.classes : to*w.classes])
	t.BufferReads[noc.VirtualChannel] = fabric.FlipsOf(w.read[from*w.classes : to*w.classes])
	t.CrossbarIn, t.CrossbarOut = fabric.FlipsOf(w.input[from:to]), fabric.FlipsOf(w.output[from:to])
	t.Eject = w.Link(router, topology.Local)
	t.Link = t.CrossbarOut - t.Eject
	return t
}

// Take takes what leaves a source queue that is not empty: its head, or under Replicate the next
// copy of that (rule 11). Wires, if there are any, count it.
func (c *Config) Take(x *fabric.Interfaces, w *Wires, node noc.NodeID, class noc.Class) (id fabric.WormID) {
	head := x.Sources.Head(node, class)
	switch {
	case c.Multicast == Tree || x.Packets.Only(head) >= 0:
		id = x.Sources.Pop(node, class)
	case c.CopyOrder == Ascending:
		id = x.Sources.PopCopy(node, class, noc.NodeID(x.Nodes()-1))
	default:
		id = x.Sources.PopCopy(node, class, node)
	}
	if w != nil {
		w.Share(head, id)
		w.Inject(id, int(node), int(class))
	}
	return id
}

// CountToggles implements [noc.ToggleCounter].
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) (err error) {
	n.wires, err = CountWires(n.grid, n.config, &n.Interfaces, content)
	return err
}

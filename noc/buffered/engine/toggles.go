package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.ToggleCounter = (*Network)(nil)

// toggles are the wires of all routers, as noc.Toggles describes them; there are none where
// flipped bits are not counted. Nothing else looks at them, so they decide nothing. A packet is
// counted whole when it is granted an output, or leaves the interface: on each of these wires
// packets follow each other in the order of their grants, and none comes between the phits of
// another. Behind an output of the crossbar is the link, or the node, and behind the link the
// input port, so these have no counts of their own.
type toggles struct {
	net      *Network
	contents *fabric.Contents
	inject   []fabric.Wires // per router: from the node into the local input port
	write    []fabric.Wires // per channel: into its FIFO
	read     []fabric.Wires // per channel: out of it
	input    []fabric.Wires // per link index of an input port: into the crossbar
	output   []fabric.Wires // per link index of an output: out of the crossbar
}

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) error {
	contents, err := fabric.NewContents(n.Packets, n.config.PhitBits, n.config.Multicast == buffered.Tree, content)
	if err != nil {
		return err
	}
	n.Sources.Note(contents)
	n.toggles = &toggles{net: n, contents: contents, inject: make([]fabric.Wires, n.nodes), write: make([]fabric.Wires, len(n.channels)),
		read: make([]fabric.Wires, len(n.channels)), input: make([]fabric.Wires, len(n.port)), output: make([]fabric.Wires, len(n.port))}
	return nil
}

// take is the network's, and counts what it takes on its way into the local port.
func (t *toggles) take(node noc.NodeID, class noc.Class) fabric.WormID {
	n := t.net
	head := n.Sources.Head(node, class)
	id := n.take(node, class)
	t.contents.Share(head, id)
	t.contents.Address(id)
	t.contents.Cross(id, &t.inject[node])
	t.contents.Cross(id, &t.write[int(node)*n.ports<<classBits|int(class)])
	return id
}

// split lets a copy hold what the worm holds that it was made of, and notes whom each of them owes.
func (t *toggles) split(original, copied fabric.WormID) {
	t.contents.Share(original, copied)
	t.contents.Address(original)
	t.contents.Address(copied)
}

// leave counts a worm on its way from a channel of a router through an output, up to the channel
// behind that.
func (t *toggles) leave(id fabric.WormID, x *router, spot, out uint) {
	n := t.net
	link := int(x.id) * n.ports
	t.contents.Cross(id, &t.read[link<<classBits+int(spot)])
	t.contents.Cross(id, &t.input[link+int(spot>>classBits)])
	t.contents.Cross(id, &t.output[link+int(out)])
	if out != topology.Local {
		t.contents.Cross(id, &t.write[n.channelIndex(n.port[link+int(out)].far)|int(spot)&(1<<classBits-1)])
	}
}

// flips returns the bits that have flipped in a router.
func (t *toggles) flips(r int) (a noc.Toggles) {
	n := t.net
	link, next := r*n.ports, (r+1)*n.ports
	a.Counted = true
	a.Arrived = t.inject[r].Flips
	for i := link + 1; i < next; i++ {
		if far := n.port[i].far; far >= 0 {
			a.Arrived += t.output[n.channelIndex(far)>>classBits].Flips
		}
	}
	a.BufferWrites[noc.VirtualChannel] = fabric.FlipsOf(t.write[link<<classBits : next<<classBits])
	a.BufferReads[noc.VirtualChannel] = fabric.FlipsOf(t.read[link<<classBits : next<<classBits])
	a.CrossbarIn, a.CrossbarOut = fabric.FlipsOf(t.input[link:next]), fabric.FlipsOf(t.output[link:next])
	a.Eject = t.output[link].Flips
	a.Link = a.CrossbarOut - a.Eject
	return a
}

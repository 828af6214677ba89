package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.ToggleCounter = (*Network)(nil)

// wires are one bundle of wires: the last word on it, and the bits that have flipped.
type wires struct {
	last  noc.Word
	flips uint64
}

// toggles are the wires of all routers, as noc.Toggles describes them; there are none where
// flipped bits are not counted. Nothing else looks at them, so they decide nothing. A packet is
// counted whole when it is granted an output, or leaves the interface: on each of these wires
// packets follow each other in the order of their grants, and none comes between the phits of
// another. Behind an output of the crossbar is the link, or the node, and behind the link the
// input port, so these have no counts of their own.
type toggles struct {
	contents *fabric.Contents
	inject   []wires // per router: from the node into the local input port
	write    []wires // per channel: into its FIFO
	read     []wires // per channel: out of it
	input    []wires // per link index of an input port: into the crossbar
	output   []wires // per link index of an output: out of the crossbar
}

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) error {
	contents, err := fabric.NewContents(n.Packets, n.config.PhitBits, n.config.Multicast == buffered.Tree, content)
	if err != nil {
		return err
	}
	n.Sources.Note(contents)
	n.toggles = &toggles{contents: contents, inject: make([]wires, n.nodes), write: make([]wires, len(n.channels)),
		read: make([]wires, len(n.channels)), input: make([]wires, len(n.port)), output: make([]wires, len(n.port))}
	return nil
}

func (t *toggles) pass(id fabric.WormID, w *wires) { w.flips += t.contents.Cross(id, &w.last) }

// takeCounted is take, and counts what it takes on its way into the local port.
func (n *Network) takeCounted(node noc.NodeID, class noc.Class) fabric.WormID {
	head, t := n.Sources.Head(node, class), n.toggles
	id := n.take(node, class)
	t.contents.Share(head, id)
	t.contents.Address(id)
	t.pass(id, &t.inject[node])
	t.pass(id, &t.write[int(node)*n.ports<<classBits|int(class)])
	return id
}

// split lets a copy hold what the worm holds that it was made of, and notes whom each of them owes.
func (t *toggles) split(original, copied fabric.WormID) {
	t.contents.Share(original, copied)
	t.contents.Address(original)
	t.contents.Address(copied)
}

// cross counts a worm on its way from channel ch through an output; there is the channel behind,
// or negative.
func (t *toggles) cross(id fabric.WormID, ch, output, there int) {
	t.pass(id, &t.read[ch])
	t.pass(id, &t.input[ch>>classBits])
	t.pass(id, &t.output[output])
	if there >= 0 {
		t.pass(id, &t.write[there])
	}
}

// leave counts a worm that the switch of a router lets through.
func (n *Network) leave(id fabric.WormID, x *router, spot, out uint) {
	link := int(x.id) * n.ports
	there := -1
	if out != topology.Local {
		there = n.channelIndex(n.port[link+int(out)].far) | int(spot)&(1<<classBits-1)
	}
	n.toggles.cross(id, link<<classBits+int(spot), link+int(out), there)
}

// toggled is the flipped bits of a router.
func (n *Network) toggled(r int) (a noc.Toggles) {
	t := n.toggles
	if t == nil {
		return a
	}
	sum := func(list []wires) (flips uint64) {
		for i := range list {
			flips += list[i].flips
		}
		return flips
	}
	link, next := r*n.ports, (r+1)*n.ports
	a.Counted = true
	a.Arrived = t.inject[r].flips
	for i := link + 1; i < next; i++ {
		if far := n.port[i].far; far >= 0 {
			a.Arrived += t.output[n.channelIndex(far)>>classBits].flips
		}
	}
	a.BufferWrites[noc.VirtualChannel] = sum(t.write[link<<classBits : next<<classBits])
	a.BufferReads[noc.VirtualChannel] = sum(t.read[link<<classBits : next<<classBits])
	a.CrossbarIn, a.CrossbarOut = sum(t.input[link:next]), sum(t.output[link:next])
	a.Eject = t.output[link].flips
	a.Link = a.CrossbarOut - a.Eject
	return a
}

package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// wires are all bundles of wires of the routers, as [noc.Toggles] describes them.
type wires struct {
	*fabric.Phits
	inject, write, read, input, output []fabric.Wires // by router, then port, then class
	counts                             []noc.Toggles
}

// CountToggles implements [noc.ToggleCounter].
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) error {
	phits, err := fabric.NewPhits(n.Packets, n.config.PhitBits, n.config.Multicast == Tree, content)
	if err != nil {
		return fmt.Errorf("buffered: %w", err)
	}
	ports := len(n.routers) * n.grid.Ports()
	channels := ports * n.config.Classes
	n.wires = &wires{Phits: phits,
		inject: make([]fabric.Wires, len(n.routers)), write: make([]fabric.Wires, channels), read: make([]fabric.Wires, channels),
		input: make([]fabric.Wires, ports), output: make([]fabric.Wires, ports), counts: make([]noc.Toggles, len(n.routers))}
	for i := range n.wires.counts {
		n.wires.counts[i].Counted = true
	}
	n.Sources.Note(n.wires)
	return nil
}

// cross lets the phits of a packet cross a bundle of wires, and returns how many bits flip.
func (n *Network) cross(p packet, w *fabric.Wires) (flips uint64) {
	for phit := range p.phits {
		flips += w.Pass(n.wires.Word(p.worm, phit))
	}
	return flips
}

// countInjected counts a packet on its way from the node into a channel of the local input.
func (n *Network) countInjected(r *router, p packet) {
	w := n.wires
	c := &w.counts[r.id]
	c.Arrived += n.cross(p, &w.inject[r.id])
	c.BufferWrites[noc.VirtualChannel] += n.cross(p, &w.write[n.channelIndex(int(r.id), topology.Local, p.class)])
}

// countGranted counts a packet that the switch of a router lets through, up to the channel behind
// the output.
func (n *Network) countGranted(r *router, port, out int, p packet) {
	w := n.wires
	c, link := &w.counts[r.id], int(r.id)*n.grid.Ports()
	c.BufferReads[noc.VirtualChannel] += n.cross(p, &w.read[n.channelIndex(int(r.id), port, p.class)])
	c.CrossbarIn += n.cross(p, &w.input[link+port])
	flips := n.cross(p, &w.output[link+out])
	c.CrossbarOut += flips
	if out == topology.Local {
		c.Eject += flips
		return
	}
	c.Link += flips
	o := &r.outputs[out]
	there := &w.counts[o.peer]
	there.Arrived += flips
	there.BufferWrites[noc.VirtualChannel] += n.cross(p, &w.write[n.channelIndex(o.peer, o.entry, p.class)])
}

// channelIndex returns the number of a channel among all.
func (n *Network) channelIndex(router, port, class int) int {
	return (router*n.grid.Ports()+port)*n.config.Classes + class
}

package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// wires are all bundles of wires of the routers, as [noc.Toggles] describes them.
type wires struct {
	content func(noc.Packet) []noc.Word
	sets    bool         // headers carry sets of destinations, not numbers
	mask    noc.Word     // the bits of a phit
	words   [][]noc.Word // per worm: what its phits hold, but for the destinations

	inject, write, read, input, output []bundle // by router, then port, then class
	counts                             []noc.Toggles
}

// bundle is one bundle of wires: the last word on it, and the bits that have flipped.
type bundle struct {
	last  noc.Word
	flips uint64
}

// CountToggles implements [noc.ToggleCounter].
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) error {
	if n.config.PhitBits > noc.WordBits {
		return fmt.Errorf("phit_bits is %d; flipped bits are counted of phits of up to %d bits", n.config.PhitBits, noc.WordBits)
	}
	ports := len(n.routers) * n.grid.Ports()
	channels := ports * n.config.Classes
	n.wires = &wires{content: content, sets: n.config.Multicast == Tree, mask: noc.WordMask(n.config.PhitBits),
		inject: make([]bundle, len(n.routers)), write: make([]bundle, channels), read: make([]bundle, channels),
		input: make([]bundle, ports), output: make([]bundle, ports), counts: make([]noc.Toggles, len(n.routers))}
	for i := range n.wires.counts {
		n.wires.counts[i].Counted = true
	}
	n.Sources.Note(n.wires)
	return nil
}

// Keep notes what the packet holds of which a worm has been made.
func (w *wires) Keep(id fabric.WormID, p noc.Packet) {
	words := w.at(id)
	*words = append((*words)[:0], w.content(p)...)
	if len(*words) != int(p.Phits) {
		panic(fmt.Sprintf("noc: a packet of %d phits holds %d words", p.Phits, len(*words)))
	}
}

func (w *wires) at(id fabric.WormID) *[]noc.Word {
	for int(id) >= len(w.words) {
		w.words = append(w.words, nil)
	}
	return &w.words[id]
}

// share lets a copy hold what the packet holds that it was made of.
func (w *wires) share(from, to fabric.WormID) {
	if from != to {
		w.at(max(from, to))
		w.words[to] = append(w.words[to][:0], w.words[from]...)
	}
}

// cross lets the phits of a packet cross a bundle of wires, and returns how many bits flip.
func (n *Network) cross(p packet, b *bundle) (flips uint64) {
	for i, word := range n.wires.words[p.worm] {
		if i == 0 {
			word[1] = n.destinationField(p.worm)
		}
		word = word.And(n.wires.mask)
		flips += b.last.Flips(word)
		b.last = word
	}
	b.flips += flips
	return flips
}

// destinationField returns what the header says of the destinations that a packet owes.
func (n *Network) destinationField(id fabric.WormID) (field uint64) {
	only := n.Packets.Only(id)
	switch {
	case only < 0:
		for _, word := range n.Packets.Set(id) {
			field ^= word
		}
		return field
	case n.wires.sets:
		return 1 << (only & 63)
	}
	return uint64(only)
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

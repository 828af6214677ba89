package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// packet is what moves through the FIFOs: all that the stages of a router decide by, in one word.
//
//	bits  0 to 15  outputs that serve a destination; all links of an aged packet, which may be misrouted
//	bits 16 to 23  segments entered in this router, saturating
//	bits 24 to 28  phits
//	bits 29 to 31  class
//	bit  32        it has several destinations at once
//	bit  33        it is ordered
//	bits 36 to 63  its header, of which there is no more to read until it leaves the router
type packet uint64

const (
	turnShift, phitShift, classShift, severalShift, headerShift = 16, 24, 29, 32, 36

	severalBit packet = 1 << severalShift
	orderedBit packet = 1 << 33
	oneTurn    packet = 1 << turnShift
	everyTurn  packet = 0xff << turnShift
	served     packet = 0xffff
)

func (k packet) phits() noc.Cycle   { return noc.Cycle(k >> phitShift & 31) }
func (k packet) class() noc.Class   { return noc.Class(k >> classShift & 7) }
func (k packet) turns() int         { return int(k >> turnShift & 255) }
func (k packet) header() int        { return int(k >> headerShift) }
func (k packet) wants(p uint8) bool { return k>>(p&portBits)&1 != 0 }

// takeHeader takes an unused place of n.headers.
func (n *Network) takeHeader() int32 {
	i := n.unused
	if i < 0 {
		n.headers = append(n.headers, header{})
		return int32(len(n.headers) - 1)
	}
	n.unused = int32(n.headers[i].owed)
	return i
}

// newHeader keeps a header, and returns its part of a packet word.
func (n *Network) newHeader(h header) packet {
	i := n.takeHeader()
	n.headers[i] = h
	return packet(i) << headerShift
}

// dropHeader takes the header of a packet that leaves the network out.
func (n *Network) dropHeader(k packet) {
	h := &n.headers[k.header()]
	h.worm, h.owed = fabric.NoWorm, uint64(n.unused)
	n.unused = int32(k.header())
}

// routed is a packet that stands in router id with its outputs.
func (n *Network) routed(id int, k packet) packet {
	k = k &^ (served | severalBit)
	h := &n.headers[k>>headerShift]
	if h.flags&severalFlag != 0 {
		k |= severalBit | packet(n.agedOutputs(k))
		if n.routes.square != nil {
			return k | packet(n.routes.square[id&63].union(h.owed))
		}
		return k | packet(n.union(id, h))
	}
	only := h.only()
	if k&orderedBit != 0 {
		return k | packet(n.routes.dimensionOrder(id, only))
	}
	return k | packet(n.routes.profitable(id, only)) | packet(n.agedOutputs(k))
}

// agedOutputs is rule 3: the outputs by which a packet may leave because it has turned for so long.
func (n *Network) agedOutputs(k packet) uint32 {
	if k.turns() <= n.missLimit || k&orderedBit != 0 {
		return 0
	}
	return (1<<n.ports - 1) &^ (1 << topology.Local)
}

// aged reports whether rule 3 lets a packet leave by output p.
func (n *Network) aged(p int, k packet) bool { return n.agedOutputs(k)>>(p&portBits)&1 != 0 }

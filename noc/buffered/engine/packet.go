package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// packet is what moves from channel to channel, in one word: all that a router needs of it.
//
//	bits  0 to  2  output to take in the router where it is, or severalPorts
//	bits  3 to  7  phits, less one
//	bit   8        it has several destinations
//	bits  9 to 17  links up to the next turn or the destination, or less: then it is aimed again
//	bit  18        parity of the source, see routes
//	bits 19 to 34  destination, if there is one
//	bits 35 to 63  its number in the arena
type packet uint64

const (
	phitShift, manyShift, leftShift, oddShift, toShift, idShift = 3, 8, 9, 18, 19, 35

	manyBit  packet = 1 << manyShift
	oneLeft  packet = 1 << leftShift
	maxLeft         = 1<<(oddShift-leftShift) - 1
	leftBits packet = maxLeft << leftShift
	toBits   packet = 0xffff << toShift
	idBits   packet = (1<<(64-idShift) - 1) << idShift
)

// severalPorts is the output of a packet with several destinations: it depends on the router. No
// port has that number.
const severalPorts = maxPorts - 1

func (k packet) port() uint          { return uint(k) & (maxPorts - 1) }
func (k packet) phits() uint         { return uint(k>>phitShift)&31 + 1 }
func (k packet) to() int             { return int(k >> toShift & 0xffff) }
func (k packet) id() fabric.PacketID { return fabric.PacketID(k >> idShift) }

// ties returns in which dimensions ties go to smaller coordinates: in all from odd sources.
func (k packet) ties() uint8 { return -uint8(k >> oddShift & 1) }

// newPacket makes a packet of one of the arena, with its output in the router that it enters the network by.
func (n *Network) newPacket(id fabric.PacketID, r *router) packet {
	k := packet(n.Packets.At(id).Phits-1)<<phitShift | packet(n.routes.Ties(noc.NodeID(r.id))&1)<<oddShift
	k = k.of(id, n.Packets.Only(id))
	if n.routes.near != nil && k&manyBit == 0 {
		return n.routes.look(k, r.base)
	}
	return n.routes.aim(k, r.id)
}

// of returns a copy of the packet with another number in the arena, for the given destination or,
// if that is negative, for several. The copy must then be aimed.
func (k packet) of(id fabric.PacketID, only int32) packet {
	if uint64(id)>>(64-idShift) != 0 {
		panicTooMany()
	}
	k = k&^(idBits|toBits|manyBit) | packet(id)<<idShift
	if only < 0 {
		return k | manyBit
	}
	return k | packet(only)<<toShift
}

func panicTooMany() {
	panic(fmt.Sprintf("buffered: a network cannot have more than %d packets", 1<<(64-idShift)))
}

// look is step for a packet with one destination in a small network: it reads the port from a
// table. The router in which a packet turns cannot be predicted, so a branch would cost more than
// the table.
func (t *routes) look(k packet, at globalVC) packet {
	const most = 2*maxNear - 1 // of destination and parity
	i := uint(at)>>globalBits*(most+1) | uint(k>>oddShift)&most
	return k&^(maxPorts-1) | packet(t.near[i%uint(len(t.near))])
}

// step returns a packet in the next router on its route.
func (t *routes) step(k packet, router int32) packet {
	if k -= oneLeft; k&leftBits != 0 {
		return k
	}
	return t.aim(k, router)
}

// aim returns a packet with its output in a router where it turns or arrives, and how far that
// leads.
func (t *routes) aim(k packet, router int32) packet {
	k &^= leftBits | (maxPorts - 1)
	if k&manyBit != 0 {
		return k | oneLeft | severalPorts
	}
	leg := t.Next(noc.NodeID(router), noc.NodeID(k.to()), k.ties())
	return k | packet(min(max(leg.Links, 1), maxLeft))<<leftShift | packet(leg.Port)
}

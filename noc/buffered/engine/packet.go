package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// packet is what moves from channel to channel, in one word: all that a router needs of it. From
// the lowest bit on:
//
//	port     3 bits  output to take in the router where it is, or severalPorts
//	phits    5       less one
//	several  1       it has several destinations
//	left     9       links up to the next turn or the destination, or less: then it is aimed again
//	odd      1       its ties go to smaller coordinates
//	to      16       destination, if there is one
//	id      29       its number in the arena
type packet uint64

const (
	phitsAt, severalAt, leftAt, oddAt, toAt, idAt = 3, 8, 9, 18, 19, 35

	severalBit packet = 1 << severalAt
	oneLeft    packet = 1 << leftAt
	mostLeft          = 1<<(oddAt-leftAt) - 1
	leftBits   packet = mostLeft << leftAt
	toBits     packet = 0xffff << toAt
	idBits     packet = (1<<(64-idAt) - 1) << idAt
)

// severalPorts is the output of a packet with several destinations: it depends on the router. No
// port has that number.
const severalPorts port = maxPorts - 1

func (k packet) port() port          { return port(k) & (maxPorts - 1) }
func (k packet) phits() uint         { return uint(k>>phitsAt)&31 + 1 }
func (k packet) several() bool       { return k&severalBit != 0 }
func (k packet) to() noc.NodeID      { return noc.NodeID(k >> toAt & 0xffff) }
func (k packet) id() fabric.PacketID { return fabric.PacketID(k >> idAt) }

// ties returns in which dimensions ties go to smaller coordinates: in all from odd sources.
func (k packet) ties() uint8 { return -uint8(k >> oddAt & 1) }

// through returns a packet that takes an output, and then goes on straight for some links in all.
func (k packet) through(out port, links uint16) packet {
	return k&^(leftBits|(maxPorts-1)) | packet(min(max(links, 1), mostLeft))<<leftAt | packet(out)
}

// of returns a copy of the packet with another number in the arena, for the given destination or,
// if that is negative, for several. The copy must then be aimed.
func (k packet) of(id fabric.PacketID, only int32) packet {
	if uint64(id)>>(64-idAt) != 0 {
		panicTooMany()
	}
	k = k&^(idBits|toBits|severalBit) | packet(id)<<idAt
	if only < 0 {
		return k | severalBit
	}
	return k | packet(only)<<toAt
}

func panicTooMany() {
	panic(fmt.Sprintf("buffered: a network cannot have more than %d packets", 1<<(64-idAt)))
}

// newPacket makes a packet of one of the arena, with its output in the router that it enters the
// network by.
func (n *Network) newPacket(id fabric.PacketID, node noc.NodeID) packet {
	k := packet(n.Packets.At(id).Phits-1)<<phitsAt | packet(n.routes.Ties(node)&1)<<oddAt
	k = k.of(id, n.Packets.Only(id))
	if n.routes.near != nil && !k.several() {
		return n.routes.look(k, globalVC(node)<<vcBits)
	}
	return n.routes.aim(k, int32(node))
}

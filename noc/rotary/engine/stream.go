package engine

import (
	"encoding/binary"

	"github.com/carousel-sim/carousel/noc"
)

// A stream has no event at its end: it goes on until a cycle, of which a byte keeps the low bits.
// What streams until a cycle behind the present one by less than halfAround is over. Streams that
// are over are forgotten every forgetEvery cycles, so that none is taken for one to come.
const (
	halfAround  = 128
	forgetEvery = 96 // less than halfAround by more than the longest packet

	bytesOnes = 0x0101010101010101
	bytesTops = 0x8080808080808080
	gather    = 0x0102040810204080 // multiplies a bit in each byte into the top byte
)

// until is the low bits of the cycle from which on something no longer streams.
type until = uint8

// until is rule 5: the cycle from which on what a packet streams through is idle again, if its
// header leaves now.
func (k *packet) until(now noc.Cycle) noc.Cycle { return now + noc.Cycle(k.phits) }

// busy reports whether something still streams.
func busy(u until, now noc.Cycle) bool { return int8(u-until(now)) > 0 }

// ending returns the cycle, not before now, in which something stops streaming.
func ending(u until, now noc.Cycle) noc.Cycle {
	if !busy(u, now) {
		return now
	}
	return now + noc.Cycle(u-until(now))
}

// blocked reports whether a packet still streams out of a lane.
func (r *router) blocked(l lane) bool {
	j, now := l.segment(), r.net.Clock
	return busy(r.turned[j], now) && r.toRing.Bit(j) == l.number() ||
		busy(r.ejected[j], now) && !r.copying.Has(j) && r.toOutput.Bit(j) == l.number()
}

// blockedLanes returns the lanes out of which a packet streams, and those of segments that stream
// both ways.
func (r *router) blockedLanes() laneSet {
	toRing, toOutput := ^r.net.idleSegments(&r.turned), ^r.net.idleSegments(&r.ejected)
	both, whole := toRing&toOutput, toOutput&^r.copying
	return laneSet(both|toRing&^r.toRing|whole&^r.toOutput) | laneSet(both|toRing&r.toRing|whole&r.toOutput)<<maxSegments
}

// eight returns eight bytes as a word.
func eight(b []until) uint64 { return binary.LittleEndian.Uint64(b) }

// instant is a cycle, in the form that eight bytes are compared with: the low bits of the next one
// in each of them, without the highest one, and the complement of that.
type instant struct{ rest, top uint64 }

func instantOf(cycle noc.Cycle) instant {
	next := uint64(until(cycle+1)) * bytesOnes
	return instant{next &^ bytesTops, ^next & bytesTops}
}

// idle has the highest bits of the bytes in which nothing streams any more.
func (i *instant) idle(untils uint64) uint64 {
	left := ((untils | bytesTops) - i.rest) ^ (untils^i.top)&bytesTops // of cycles, less one
	return left & bytesTops
}

// idle returns which of eight ports or segments do not stream, from the lowest bit on.
func (n *Network) idle(eightOf []until) uint8 {
	return uint8(n.instant.idle(eight(eightOf)) >> 7 * gather >> 56)
}

// idlePorts returns the ports that do not stream.
func (n *Network) idlePorts(u *[maxPorts]until) portSet { return portSet(n.idle(u[:])) }

// idleSegments returns the segments that do not stream.
func (n *Network) idleSegments(u *[maxSegments]until) segmentSet {
	return segmentSet(n.idle(u[:])) | segmentSet(n.idle(u[maxPorts:]))<<maxPorts
}

// keepPast makes sure, when it is time, that no stream which is over is taken for one to come. The
// network may have been idle for any time.
func (n *Network) keepPast() {
	silence := n.Clock - n.forgotten
	if silence < forgetEvery {
		return
	}
	n.forgotten, n.instant = n.Clock, instantOf(n.Clock)
	for i := range n.routers {
		r := &n.routers[i]
		for _, untils := range [...][]until{r.turned[:maxPorts], r.turned[maxPorts:], r.ejected[:maxPorts], r.ejected[maxPorts:], r.sent[:], r.entered[:]} {
			n.forget(untils, silence >= halfAround)
		}
	}
}

// forget makes all streams that are over, or all there are, ones that end now.
func (n *Network) forget(untils []until, all bool) {
	w := eight(untils)
	over := n.instant.idle(w) >> 7 * 0xff
	if all {
		over = ^uint64(0)
	}
	binary.LittleEndian.PutUint64(untils, w&^over|uint64(until(n.Clock))*bytesOnes&over)
}

// Package injection takes the next packet out of a source queue, in the same way in the plain
// router and in its engine.
package injection

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
)

// Take takes what leaves next out of a source queue that is not empty: if multicasts are sent as
// copies, a copy for one destination (rule 22); with a tour, the part of a multicast that goes in
// one direction (rule 24); otherwise the packet. It reports whether that goes backwards, and counts
// the two parts of a tour as one packet.
func Take(x *fabric.Interfaces, node noc.NodeID, class noc.Class, whole bool, tour *tables.Tour) (id fabric.PacketID, back bool) {
	head := x.Sources.Head(node, class)
	x.Injected++
	switch {
	case !whole:
		return x.Sources.PopCopy(node, class, node), false
	case tour == nil || x.Packets.Only(head) >= 0:
		return x.Sources.Pop(node, class), false
	}
	set, ahead := noc.FromWords(x.Packets.Set(head)), 0
	for d, ok := set.Next(0); ok; d, ok = set.Next(d + 1) {
		if tour.Ahead(node, d) {
			ahead++
		}
	}
	if ahead == 0 || ahead == set.Count() {
		return x.Sources.Pop(node, class), ahead == 0
	}
	id = x.Packets.NewSeveral(*x.Packets.At(head))
	stays, leaves := x.Packets.Set(head), x.Packets.Set(id)
	set = noc.FromWords(stays)
	for d, ok := set.Next(0); ok; d, ok = set.Next(d + 1) {
		if tour.Ahead(node, d) {
			leaves[d/64] |= 1 << (d % 64)
			stays[d/64] &^= 1 << (d % 64)
		}
	}
	x.Packets.Settle(head)
	x.Packets.Settle(id)
	x.Injected-- // the rest leaves as well
	return id, false
}

package fabric

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// PacketID names a live packet of one arena.
type PacketID int32

// NoPacket is no packet.
const NoPacket PacketID = -1

// Packet is one packet copy on its way: half a cache line, as full source queues are most of what a
// saturated network keeps. Its destinations still owed are with the arena. A network whose
// routers make copies may have a packet for each, or one for all copies of what left the source:
// then it takes the destinations out of the arena (TakeRow), divides them among the copies, and
// has their deliveries counted (Await).
type Packet struct {
	Offered noc.Cycle
	Tag     noc.Tag
	Src     noc.NodeID
	owed    int32  // the only destination still owed, or the complement of a row of the arena
	next    int32  // in its source queue; then, of a packet that copies share, the deliveries to come
	waited  uint32 // cycles from Offered to Injected
	Phits   uint16
	Class   noc.Class
}

// Injected returns the cycle in which the packet's header left its source queue.
func (w *Packet) Injected() noc.Cycle { return w.Offered + noc.Cycle(w.waited) }

// Inject notes that the packet's header leaves its source queue.
func (w *Packet) Inject(now noc.Cycle) { w.waited = uint32(now - w.Offered) }

// Packets is the arena of all packets of a network and of their destinations. A single destination
// is kept in the packet itself; several take a row of a set, as long as there are several. The
// arena grows to the load and then allocates no more.
type Packets struct {
	words int
	all   []Packet
	free  []PacketID
	rows  []uint64
	spare []int32 // rows not in use
}

// NewPackets makes an arena for a network of the given number of nodes, with room for some packets.
func NewPackets(nodes, room int) *Packets {
	return &Packets{words: noc.SetWords(nodes), all: make([]Packet, 0, room), free: make([]PacketID, 0, room)}
}

// New takes a free packet and copies w into it, for the given destination.
func (a *Packets) New(w Packet, to noc.NodeID) PacketID {
	id, at := a.take()
	*at = w
	at.owed = int32(to)
	return id
}

// NewSeveral takes a free packet and copies w into it, for several destinations; the caller fills
// Set.
func (a *Packets) NewSeveral(w Packet) PacketID {
	id, at := a.take()
	*at = w
	at.owed = ^a.NewRow()
	return id
}

// take takes a free packet, which still holds what it was.
func (a *Packets) take() (PacketID, *Packet) {
	if n := len(a.free); n > 0 {
		id := a.free[n-1]
		a.free = a.free[:n-1]
		return id, &a.all[id]
	}
	a.all = append(a.all, Packet{})
	return PacketID(len(a.all) - 1), &a.all[len(a.all)-1]
}

// At returns the packet itself; the pointer is valid until the next New or NewSeveral.
func (a *Packets) At(id PacketID) *Packet { return &a.all[id] }

// Only returns the packet's one destination, or negative when there are several.
func (a *Packets) Only(id PacketID) int32 { return a.all[id].owed }

// Set returns the destinations still owed of a packet that has several, as words; valid until the
// next NewSeveral.
func (a *Packets) Set(id PacketID) []uint64 { return a.Row(^a.all[id].owed) }

// Settle recognises a packet of which one destination is left, after its Set has been changed, and
// returns Only.
func (a *Packets) Settle(id PacketID) int32 {
	w := &a.all[id]
	if only := a.SettleRow(^w.owed); only >= 0 {
		w.owed = only
	}
	return w.owed
}

// Members returns a copy of the destinations still owed, for checks and explanations.
func (a *Packets) Members(id PacketID) noc.NodeSet {
	set := noc.NewNodeSet(64 * a.words)
	if to := a.Only(id); to >= 0 {
		set.Add(noc.NodeID(to))
		return set
	}
	words := a.Set(id)
	set.Low = words[0]
	copy(set.More, words[1:])
	return set
}

// stuck begins the explanation of a packet that waits.
func (a *Packets) stuck(id PacketID) noc.Stuck {
	w := a.At(id)
	return noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: a.Members(id), Since: w.Offered}
}

// Count returns the number of destinations still owed.
func (a *Packets) Count(id PacketID) int {
	if a.Only(id) >= 0 {
		return 1
	}
	return a.CountRow(^a.all[id].owed)
}

// Await sets the number of deliveries to come of a packet that has left its source.
func (a *Packets) Await(id PacketID, deliveries int) { a.all[id].next = int32(deliveries) }

// Awaited returns the deliveries of a packet that are still to come.
func (a *Packets) Awaited(id PacketID) int { return int(a.all[id].next) }

// Deliver counts one of the deliveries that a packet awaits. With the last one it returns to the
// arena.
func (a *Packets) Deliver(id PacketID) {
	w := &a.all[id]
	if w.next--; w.next == 0 {
		a.Free(id)
	}
}

// Free returns a packet to the arena.
func (a *Packets) Free(id PacketID) {
	if owed := a.all[id].owed; owed < 0 {
		a.spare = append(a.spare, ^owed)
	}
	a.free = append(a.free, id)
}

// Destinations is the number of destinations owed by all packets that own theirs. It walks the
// arena: it is for checks.
func (a *Packets) Destinations() (sum int) {
	free := make([]bool, len(a.all))
	for _, id := range a.free {
		free[id] = true
	}
	for id := range a.all {
		if !free[id] {
			sum += a.Count(PacketID(id))
		}
	}
	return sum
}

// Live returns the number of packets in use.
func (a *Packets) Live() int { return len(a.all) - len(a.free) }

// The arena keeps sets of several destinations as rows of words. A row belongs to the packet that
// was made with it, or to the code that has taken it from there, and is returned when one
// destination is left.

// NewRow takes an empty row.
func (a *Packets) NewRow() int32 {
	if n := len(a.spare); n > 0 {
		row := a.spare[n-1]
		a.spare = a.spare[:n-1]
		clear(a.Row(row))
		return row
	}
	for range a.words {
		a.rows = append(a.rows, 0)
	}
	return int32(len(a.rows)/a.words - 1)
}

// Row returns the words of a row; valid until the next NewRow or NewSeveral.
func (a *Packets) Row(row int32) []uint64 {
	from := int(row) * a.words
	return a.rows[from : from+a.words : from+a.words]
}

// SettleRow gives a row with one destination left back to the arena, and returns that destination;
// with several left it returns a negative number.
func (a *Packets) SettleRow(row int32) (only int32) {
	only = -1
	for i, w := range a.Row(row) {
		if w == 0 {
			continue
		}
		if only >= 0 || w&(w-1) != 0 {
			return -1
		}
		only = int32(64*i + bits.TrailingZeros64(w))
	}
	if only < 0 {
		panic("fabric: a packet without destinations")
	}
	a.spare = append(a.spare, row)
	return only
}

// TakeRow takes the row of a packet with several destinations out of it; the arena no longer has
// them.
func (a *Packets) TakeRow(id PacketID) (row int32) {
	w := &a.all[id]
	row, w.owed = ^w.owed, 0
	return row
}

// TakeWord is TakeRow in a network of no more than 64 nodes, where the set is one word.
func (a *Packets) TakeWord(id PacketID) (set uint64) {
	row := a.TakeRow(id)
	a.spare = append(a.spare, row)
	return a.rows[row]
}

// CountRow is the number of destinations in a row.
func (a *Packets) CountRow(row int32) (sum int) {
	for _, w := range a.Row(row) {
		sum += bits.OnesCount64(w)
	}
	return sum
}

// LiveRows returns the number of rows in use.
func (a *Packets) LiveRows() int { return len(a.rows)/a.words - len(a.spare) }

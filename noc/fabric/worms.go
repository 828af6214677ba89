package fabric

import "github.com/carousel-sim/carousel/noc"

// WormID names a live worm of one arena.
type WormID int32

// NoWorm is no worm.
const NoWorm WormID = -1

// Worm is one packet copy on its way: half a cache line, as full source queues are most of what a
// saturated network keeps. Its destinations still owed are with the arena. A network whose
// routers make copies may have a worm for each, or one for all copies of what left the source:
// then it takes the destinations out of the arena (TakeRow), divides them among the copies, and
// has their deliveries counted (Await).
type Worm struct {
	Offered noc.Cycle
	Tag     noc.Tag
	Src     noc.NodeID
	// to is the only destination still owed, or the complement of a row of the arena.
	to int32
	// link is the next packet of its source queue; of a worm that copies share, the deliveries to
	// come.
	link   int32
	waited uint32 // cycles from Offered to Injected
	Phits  uint16
	Class  noc.Class
}

// Injected returns the cycle in which the worm's header left its source queue.
func (w *Worm) Injected() noc.Cycle { return w.Offered + noc.Cycle(w.waited) }

// Inject notes that the worm's header leaves its source queue.
func (w *Worm) Inject(now noc.Cycle) { w.waited = uint32(now - w.Offered) }

// Worms is the arena of all worms of a network and of their destinations. A single destination is
// kept in the worm itself; several take a row of a set, as long as there are several. The arena
// grows to the load and then allocates no more.
type Worms struct {
	words int
	all   []Worm
	free  []WormID
	rows  []uint64
	spare []int32 // rows not in use
}

// NewWorms makes an arena for a network of the given number of nodes, with room for some worms.
func NewWorms(nodes, room int) *Worms {
	return &Worms{words: noc.SetWords(nodes), all: make([]Worm, 0, room), free: make([]WormID, 0, room)}
}

// New takes a free worm and copies w into it, for the given destination.
func (a *Worms) New(w Worm, to noc.NodeID) WormID {
	w.to = int32(to)
	return a.add(&w)
}

// NewSeveral takes a free worm and copies w into it, for several destinations; the caller fills
// Set.
func (a *Worms) NewSeveral(w Worm) WormID {
	w.to = ^a.NewRow()
	return a.add(&w)
}

func (a *Worms) add(w *Worm) WormID {
	id, at := a.take()
	*at = *w
	return id
}

// take takes a free worm, which still holds what it was.
func (a *Worms) take() (WormID, *Worm) {
	if n := len(a.free); n > 0 {
		id := a.free[n-1]
		a.free = a.free[:n-1]
		return id, &a.all[id]
	}
	a.all = append(a.all, Worm{})
	return WormID(len(a.all) - 1), &a.all[len(a.all)-1]
}

// At returns the worm itself; the pointer is valid until the next New or NewSeveral.
func (a *Worms) At(id WormID) *Worm { return &a.all[id] }

// Only returns the worm's one destination, or negative when there are several.
func (a *Worms) Only(id WormID) int32 { return a.all[id].to }

// Set returns the destinations still owed of a worm that has several, as words; valid until the
// next NewSeveral.
func (a *Worms) Set(id WormID) []uint64 { return a.Row(^a.all[id].to) }

// Settle recognises a worm of which one destination is left, after its Set has been changed, and
// returns Only.
func (a *Worms) Settle(id WormID) int32 {
	w := &a.all[id]
	if only := a.SettleRow(^w.to); only >= 0 {
		w.to = only
	}
	return w.to
}

// Members returns a copy of the destinations still owed, for checks and for people.
func (a *Worms) Members(id WormID) noc.NodeSet {
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
func (a *Worms) stuck(id WormID) noc.Stuck {
	w := a.At(id)
	return noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: a.Members(id), Since: w.Offered}
}

// Count returns the number of destinations still owed.
func (a *Worms) Count(id WormID) int {
	if a.Only(id) >= 0 {
		return 1
	}
	return a.CountRow(^a.all[id].to)
}

// Await counts on so many deliveries of a worm that has left its source.
func (a *Worms) Await(id WormID, deliveries int) { a.all[id].link = int32(deliveries) }

// Awaited returns the deliveries of a worm that are still to come.
func (a *Worms) Awaited(id WormID) int { return int(a.all[id].link) }

// Deliver counts one of the deliveries that a worm awaits. With the last one it returns to the
// arena.
func (a *Worms) Deliver(id WormID) {
	w := &a.all[id]
	if w.link--; w.link == 0 {
		a.Free(id)
	}
}

// Free returns a worm to the arena.
func (a *Worms) Free(id WormID) {
	if to := a.all[id].to; to < 0 {
		a.spare = append(a.spare, ^to)
	}
	a.free = append(a.free, id)
}

// Destinations is the number of destinations owed by all worms that own theirs. It walks the
// arena: it is for checks.
func (a *Worms) Destinations() (sum int) {
	free := make([]bool, len(a.all))
	for _, id := range a.free {
		free[id] = true
	}
	for id := range a.all {
		if !free[id] {
			sum += a.Count(WormID(id))
		}
	}
	return sum
}

// Live returns the number of worms in use.
func (a *Worms) Live() int { return len(a.all) - len(a.free) }

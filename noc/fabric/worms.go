package fabric

import "github.com/carousel-sim/carousel/noc"

// WormID names a live worm of one arena.
type WormID int32

// NoWorm is no worm.
const NoWorm WormID = -1

// Worm is one packet copy on its way. Its destinations still owed are a row of the arena.
type Worm struct {
	Tag      noc.Tag
	Src      noc.NodeID
	Phits    uint16
	Hops     uint16
	Class    noc.Class
	Ordered  bool
	Turns    uint16 // ring segments entered in the current router (rotary), free for other engines
	Flags    uint16 // engine's own
	Offered  noc.Cycle
	Injected noc.Cycle
	Since    noc.Cycle // when its header entered the place where it is now
}

// Worms is the arena of all worms of a network and of their destination sets. It grows to the load and
// then allocates no more.
type Worms struct {
	words int
	all   []Worm
	sets  []uint64
	free  []WormID
}

// NewWorms makes an arena for a network of the given number of nodes, with room for some worms.
func NewWorms(nodes, room int) *Worms {
	w := noc.SetWords(nodes)
	return &Worms{words: w, all: make([]Worm, 0, room), sets: make([]uint64, 0, room*w), free: make([]WormID, 0, room)}
}

// Words is the length of a destination set.
func (a *Worms) Words() int { return a.words }

// New takes a free worm, copies w into it and gives it an empty destination set.
func (a *Worms) New(w Worm) WormID {
	if n := len(a.free); n > 0 {
		id := a.free[n-1]
		a.free = a.free[:n-1]
		a.all[id] = w
		clear(a.Set(id))
		return id
	}
	a.all = append(a.all, w)
	for range a.words {
		a.sets = append(a.sets, 0)
	}
	return WormID(len(a.all) - 1)
}

// At is the worm itself; the pointer is valid until the next New.
func (a *Worms) At(id WormID) *Worm { return &a.all[id] }

// Set is the worm's destinations still owed, as words; valid until the next New.
func (a *Worms) Set(id WormID) []uint64 {
	return a.sets[int(id)*a.words : (int(id)+1)*a.words : (int(id)+1)*a.words]
}

// Free returns a worm to the arena.
func (a *Worms) Free(id WormID) { a.free = append(a.free, id) }

// Live is the number of worms in use.
func (a *Worms) Live() int { return len(a.all) - len(a.free) }

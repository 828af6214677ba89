package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// worm is one copy of a message on its way.
type worm struct {
	root   int32 // run, or none
	leaves int32 // ends of its ways whose tail has not come
	// branched tells that it has held a token.
	branched bool
	// counting are runs that hold a token and wait for flits to be forwarded.
	counting []int32
}

// run is a stretch of a worm's way without a branch. Its positions are the channels that the
// header has crossed, each with the buffer behind it. The first position of a worm is the memory
// of its node, the last one of each way the node at its end.
type run struct {
	worm, parent   int32 // worm is none for a run that is not in use
	child, sibling int32 // first child, next child of the parent; or none
	phits, window  int32 // of the worm; window is (phits-1)/B, see tail.go
	base           int32 // positions of the worm before the first
	port           int32 // injection port
	router, in     int32 // where the header is
	links          int32 // between routers, up to the header
	low, high      int32 // stops of a tree that lie behind, of the plan's
	node           int32 // of a run that begins with the way into a node; else none
	done           bool  // the header has reached the node at the end
	split          bool  // it has branched
	scheduled      bool  // the next step of the tail is in the calendar

	held    []int32     // per position: channel
	crossed []noc.Cycle // per position: when the header crossed into it
	visits  []visit     // copies taken on the way
	over    int32       // of which so many are complete

	// The closed form (tail.go).
	reach  int64 // positions of the worm that all headers from here on have reached
	tail   int32 // last position that the tail has crossed into; -1 before the first
	latest int64 // its term
	best   int32 // position of the largest term of the window
	seen   int32 // last position that was compared
	ahead  int32 // children whose tail has not crossed into their first position

	owed  int32     // ends behind that headers have not reached
	token int32     // channel of the token that it has got for branching
	back  noc.Cycle // in which it gives that back
	request
}

// visit is a copy that a node takes of what leaves a position.
type visit struct {
	node     noc.NodeID
	position int32
}

// everywhere is the reach of headers that are all at the end of their ways.
const everywhere = int64(math.MaxInt64)

// usualWay is the room that a run has at first.
const usualWay = 32

// runs are the runs of all worms.
type runs struct {
	run   []run
	spare []int32 // not in use
	depth int32   // of a buffer
	step  int64   // what a buffer on the way takes: B-r, see tail.go
}

// newRun makes a run; its slices keep their room.
func (x *runs) newRun(worm, parent int32) int32 {
	if k := len(x.spare); k > 0 {
		id := x.spare[k-1]
		x.spare = x.spare[:k-1]
		x.run[id].reset(worm, parent)
		return id
	}
	x.run = append(x.run, run{held: make([]int32, 0, usualWay), crossed: make([]noc.Cycle, 0, usualWay), visits: make([]visit, 0, 2)})
	x.run[len(x.run)-1].reset(worm, parent)
	return int32(len(x.run) - 1)
}

func (r *run) reset(worm, parent int32) {
	*r = run{worm: worm, parent: parent, child: none, sibling: none, node: none, token: none, back: noc.Never, tail: -1, best: -1, seen: -1,
		held: r.held[:0], crossed: r.crossed[:0], visits: r.visits[:0], request: request{waits: none, wants: none, behind: none}}
}

// free gives back a run and all behind it.
func (x *runs) free(id int32) {
	for c := x.run[id].child; c != none; c = x.run[c].sibling {
		x.free(c)
	}
	x.run[id].worm = none
	x.spare = append(x.spare, id)
}

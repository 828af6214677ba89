package wormhole

import "github.com/carousel-sim/carousel/noc"

// worm is one copy of a message on its way. Positions count the channels of its way from 1 on; position 0
// is the memory of its node, and the last position, the way out into the node of the last stop, has no
// buffer.
type worm struct {
	message int32 // packet
	index   int32 // in the message's plan
	sibling int32 // next worm of the message
	after   int32 // see multicast.Worm
	round   int32
	from    noc.NodeID
	phits   int32        // header included
	stops   []noc.NodeID // in order of visit
	path    []noc.NodeID // routers after the first, unless routed
	routed  bool         // by the network, from stop to stop
	base    uint16       // links that the message crossed up to its sender

	launched  bool
	done      bool // the header has left the network
	scheduled bool // the tail's next event is in the calendar
	port      int32
	router    int32 // where the header is
	in        uint16
	next      int32 // stop
	step      int32 // of the path

	head    int32       // last position that the header has crossed into
	tail    int32       // position that the tail leaves next
	held    []int32     // per position: channel
	crossed []noc.Cycle // per position: when the header crossed into it
	visits  []visit     // receptions
	over    int32       // of which so many are over

	// The largest terms of the closed form (tail.go): positions of a window whose terms fall.
	window []int32
	first  int32 // of the window in use
	seen   int32 // last position that was put in

	request
}

// request is what a header waits for.
type request struct {
	waits  int32 // channel; nodePlus of a receiver; or none
	behind int32 // next worm that waits for the same
	since  noc.Cycle
	key    int32 // input port, then injection port: decides among headers of the same cycle
}

// nodePlus tells receivers from channels in a request.
func nodePlus(node noc.NodeID) int32 { return -2 - int32(node) }

// visit is a reception of a worm: the node takes a copy from the router behind a position.
type visit struct {
	node     noc.NodeID
	position int32
}

// usualWay is the room that a worm has at first for the positions of its way.
const usualWay = 32

// newWorm takes a worm from the arena; its slices keep their room.
func (n *Network) newWorm() int32 {
	var id int32
	if k := len(n.free); k > 0 {
		id = n.free[k-1]
		n.free = n.free[:k-1]
	} else {
		id = int32(len(n.worms))
		n.worms = append(n.worms, worm{held: make([]int32, 0, usualWay), crossed: make([]noc.Cycle, 0, usualWay),
			window: make([]int32, 0, usualWay), stops: make([]noc.NodeID, 0, 2), visits: make([]visit, 0, 2)})
	}
	w := &n.worms[id]
	*w = worm{sibling: none, stops: w.stops[:0], path: w.path[:0], held: append(w.held[:0], none), crossed: append(w.crossed[:0], 0),
		visits: w.visits[:0], window: w.window[:0], request: request{waits: none, behind: none}}
	return id
}

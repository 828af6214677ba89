package engine

import "github.com/carousel-sim/carousel/noc"

// worm is where one copy of a message stretches over the network. Positions count the channels of its way
// from 1 on; position 0 is the memory of its node, and the last position, the way out into the node of the
// last stop, has no buffer.
type worm struct {
	live      bool // launched and not yet out of the network
	done      bool // the header has left the network
	scheduled bool // the tail's next event is in the calendar
	phits     int32
	router    int32 // where the header is
	in        uint16

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

// launch starts a worm; its slices keep their room.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, worm{held: make([]int32, 0, usualWay), crossed: make([]noc.Cycle, 0, usualWay),
			window: make([]int32, 0, usualWay), visits: make([]visit, 0, 2)})
	}
	plan := n.Dispatch.At(id)
	entry := n.wiring.Entry[plan.From]
	w := &n.worms[id]
	*w = worm{live: true, phits: plan.Phits, router: int32(entry.Router), in: entry.Port,
		held: append(w.held[:0], none), crossed: append(w.crossed[:0], 0),
		visits: w.visits[:0], window: w.window[:0], request: request{waits: none, behind: none}}
	n.advance(id, t)
}

// links is the number of links between routers up to a position.
func (n *Network) links(position int32) int32 {
	if n.config.InjectionChannels && position > 0 {
		return position - 1
	}
	return position
}

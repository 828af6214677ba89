package treeworm

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// reference is the same network written for clarity: every flit of every position crosses by itself, every
// cycle asks each of them whether it can, and queues are sorted lists. It shares the configuration, the
// groups, and the interfaces of nodes (package dispatch) with the engine, and nothing else.
type reference struct {
	c      Config
	m      topology.Multistage
	groups *multicast.SwitchGroups
	dispatch.Interfaces

	queues   map[resource][]*branch
	busy     map[resource]noc.Cycle // until then; noc.Never while it is held
	worms    []*tree
	activity []noc.Activity
	links    map[[2]int]uint64 // phits by switch and port
	served   map[resource]int  // key of the header that each output served last
}

// resource is one thing that one worm has at a time.
type resource struct {
	kind   string
	number int // switch, node or group
	member int // port, or one of several channels
}

// tree is a worm.
type tree struct {
	id     int32
	plan   *dispatch.Worm
	root   *branch
	all    []*branch
	flits  int
	closed bool // the source has sent its tail
}

// branch is a position: the channel and the buffer behind it.
type branch struct {
	of       *tree
	parent   *branch
	children []*branch
	router   int // behind the channel
	in       int
	stage    int
	out      int // port of the switch before; -1 for any one up, or a leaf
	leaf     int // node, or -1
	depth    int
	has      resource
	x        []noc.Cycle // when each flit crossed
	ready    noc.Cycle   // when the header asks
	asked    bool
	token    *resource
	comes    noc.Cycle // when the token does
	split    bool      // asked for the outputs
	since    noc.Cycle
	key      int
	left     bool // the tail has left
}

func newReference(m topology.Multistage, c Config, planner dispatch.Planner) *reference {
	nodes := m.Nodes()
	if c.BufferPhits == 0 {
		c.BufferPhits = (nodes + c.PhitBits - 1) / c.PhitBits
	}
	groups, err := multicast.NewSwitchGroups(m, c.Consumption)
	if err != nil {
		panic(err)
	}
	return &reference{c: c, m: m, groups: groups,
		Interfaces: dispatch.New(planner, dispatch.Config{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits,
			Startup: c.Startup, Preparation: c.Preparation, HeaderPhits: c.HeaderPhits, Ports: 1, PortsOf: []uint32{1}, OwnWay: true}),
		queues: map[resource][]*branch{}, busy: map[resource]noc.Cycle{}, activity: make([]noc.Activity, m.Stages*m.Rows()), links: map[[2]int]uint64{},
		served: map[resource]int{}}
}

// grow builds the tree of a worm from the ways of its destinations.
func (r *reference) grow(id int32) *tree {
	plan := r.Dispatch.At(id)
	w := &tree{id: id, plan: plan, flits: int(plan.Phits)}
	at := int(plan.From) / r.m.Arity
	add := func(parent *branch, out, stage, leaf int) *branch {
		b := &branch{of: w, parent: parent, out: out, stage: stage, leaf: leaf, depth: 1, ready: noc.Never}
		if parent != nil {
			for _, other := range parent.children {
				if leaf < 0 && other.leaf < 0 && other.out == out {
					return other
				}
			}
			b.depth = parent.depth + 1
			parent.children = append(parent.children, b)
		}
		w.all = append(w.all, b)
		return b
	}
	if plan.Port == dispatch.Loopback {
		w.root = add(nil, 0, 0, int(plan.From))
		return w
	}
	w.root = add(nil, 0, 0, -1)
	w.root.router, w.root.in = int(r.m.Router(0, at)), int(plan.From)%r.m.Arity
	turn := 0
	if r.m.Bidirectional {
		turn = r.m.TurnStage(plan.From, plan.Stops...)
	}
	for _, d := range plan.Stops {
		b := w.root
		for stage := range turn {
			b = add(b, -1, stage+1, -1)
		}
		if r.m.Bidirectional {
			for stage := turn; stage > 0; stage-- {
				b = add(b, r.m.Digit(int(d), stage), stage-1, -1)
			}
		} else {
			for stage := range r.m.Stages - 1 {
				b = add(b, r.m.Digit(int(d), r.m.Stages-1-stage), stage+1, -1)
			}
		}
		add(b, 0, 0, int(d))
	}
	return w
}

// Cycle simulates one cycle.
func (r *reference) Cycle() {
	t := r.Clock
	for res, until := range r.busy {
		if until <= t {
			delete(r.busy, res)
		}
	}
	for _, id := range r.Dispatch.Serve(t) {
		w := r.grow(id)
		r.worms = append(r.worms, w)
		kind := "inject"
		if w.root.leaf >= 0 {
			kind = "eject"
			w.root.key = -1
		}
		r.ask(w.root, resource{kind: kind, number: int(w.plan.From)}, t)
	}
	for _, w := range r.worms {
		for _, b := range w.all {
			if len(b.x) > 0 && b.leaf < 0 && !b.asked && b.ready == t {
				r.decide(b, t)
			}
		}
	}
	r.tokens(t)
	r.outputs(t)
	for moved := true; moved; {
		moved = false
		for _, w := range r.worms {
			for _, b := range w.all {
				moved = r.move(b, t) || moved
			}
		}
	}
	r.leave(t)
	r.Clock++
	r.Sinks.Collect(r.Clock)
}

// set is a set of nodes from the bits of a number.
func set(nodes int, word uint64) noc.NodeSet {
	s := noc.NewNodeSet(nodes)
	for ; word != 0; word &= word - 1 {
		s.Add(noc.NodeID(bits.TrailingZeros64(word)))
	}
	return s
}

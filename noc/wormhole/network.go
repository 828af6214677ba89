package wormhole

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/routing"
)

// Network is a network of virtual-channel routers, flit by flit; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	Setup
	config   Config
	classes  [noc.MaxClasses][2]ChannelSet
	channels int // virtual channels per port

	routers []router
	wheel   fabric.LongWheel[events]
	crossed []uint16        // links that the header of a worm has crossed
	states  []routing.State // of worms, with a routing by name
	started []uint32        // worms of each node, with a routing by name
	worms   int             // under way

	linkFlits uint64
	inside    uint64 // flits of the worms inside

	// Scratch of one router's cycle.
	waiting, ready, moves, guesses []position
	proposals                      []proposal
	choices                        []int32
}

// router is one router: inputs with their virtual channels, and outputs.
type router struct {
	id      noc.NodeID
	inputs  []input
	outputs []output
	entered int // input whose packet got a place of a sink last
	packets int // of which the header has come and the tail has not gone
	busy    uint64
	counts  noc.Activity
}

// input is an input port, fed by an output of a router or by a node.
type input struct {
	channels []channel
	node     noc.NodeID // that sends by it, if own
	own      bool
	router   int // else the router that sends, and its output
	output   int
	credit   int  // delay of credits to there
	turn     turn // of the input's channels
	entered  int  // channel whose packet got a place of a sink last
}

// output is an output port, which leads to an input of a router or to nodes.
type output struct {
	router, input int // it leads to; -1 where there is none
	delays        Delays
	idle          noc.Cycle // from which on the link can take a flit
	shared        bool      // takes flits of all inputs at the same time: a node's, with EjectionPerInput
	channels      []outputChannel
	turn          turn // of the inputs
	flits         uint64
}

// outputChannel is what an output knows of a virtual channel of the input that it leads to.
type outputChannel struct {
	credits int
	places  int  // of the buffer
	lonely  bool // it takes a packet only when the buffer is empty
	owner   int  // place of the packet that has it and has not passed yet, or negative; see router.place
	last    int  // place that it was given to last
}

// turn is where a round robin stands: what was granted last, for ordinary requests and for
// speculative ones.
type turn struct{ last, guessed int }

// stage is what the packet at the front of a virtual channel does.
type stage uint8

const (
	unrouted stage = iota // its header is not there, or its route is being computed
	waiting               // for a virtual channel
	active                // it has one
)

// channel is one virtual channel of an input: its flits, and where the front packet goes.
type channel struct {
	flits  queue.FIFO[flit]
	since  noc.Cycle // when the front packet's header came to the front
	stage  stage
	output int
	half   int        // of its class's channels
	named  ChannelSet // with a routing by name: channels that the header may take
	again  bool       // its header chooses again if it gets none of them
	to     int        // virtual channel of the output
	last   int        // virtual channel that a packet of this channel was given last
	copies bool
	leaves bool
	node   noc.NodeID // that takes the packet, or a copy
	hops   uint16     // links that the front packet has crossed
}

// flit is one flit of a worm.
type flit struct {
	worm         int32
	header, tail bool
}

// portSet is a set of a router's inputs or outputs.
type portSet = set.Of64[int]

// position names a virtual channel of a router's inputs.
type position struct{ input, channel int }

// events is what takes effect in one of the cycles to come.
type events struct {
	flits   []flitOnLink
	credits []credit
	ports   []injectionPort
}

// flitOnLink is a flit on its way into a virtual channel.
type flitOnLink struct {
	router int
	position
	flit flit
}

// credit is a free place on its way back to an output.
type credit struct{ router, output, channel int }

// injectionPort is a virtual channel of a node's input that can take the node's next packet.
type injectionPort struct {
	node    noc.NodeID
	channel int
}

// New builds a network of a setup, which is for this configuration and planner. planner may be nil: a
// packet then travels as one worm per destination.
func New(s Setup, c Config, planner dispatch.Planner) *Network {
	w := s.Wiring
	n := &Network{config: c, Setup: s, classes: c.ClassChannels(s.Parts), channels: c.Channels(s.Parts), routers: make([]router, w.Routers),
		wheel:      fabric.NewLongWheel[events](c.Longest(w)),
		Interfaces: dispatch.New(planner, c.Interfaces(w.Nodes(), s.Parts))}
	if s.Named != nil {
		n.started = make([]uint32, w.Nodes())
	}
	for r := range n.routers {
		n.routers[r] = newRouter(noc.NodeID(r), s.Ports, n.channels, c.BufferPhits)
	}
	for _, l := range w.Channels {
		from, to := &n.routers[l.From].outputs[l.Out], &n.routers[l.To].inputs[l.In]
		from.router, from.input = int(l.To), int(l.In)
		from.delays = c.DelaysOf(l.Link)
		for v := range s.Lonely(c).All() {
			from.channels[v].lonely = true
		}
		to.router, to.output, to.credit = int(l.From), int(l.Out), from.delays.Credit
	}
	for node := range noc.NodeID(w.Nodes()) {
		entry, exit := w.Entry[node], w.Exit[node]
		in := &n.routers[entry.Router].inputs[entry.Port]
		in.own, in.node = true, node
		out := &n.routers[exit.Router].outputs[exit.Port]
		out.shared, out.delays = c.EjectionPerInput, c.DelaysOf(nil)
	}
	n.Drive(fabric.Engine{Work: n.nextWork, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n
}

func newRouter(id noc.NodeID, ports, channels, depth int) router {
	r := router{id: id, entered: -1, inputs: make([]input, ports), outputs: make([]output, ports)}
	for p := range ports {
		r.inputs[p] = input{channels: slices.Repeat([]channel{{last: -1}}, channels), router: -1, turn: turn{-1, -1}, entered: -1}
		for v := range r.inputs[p].channels {
			r.inputs[p].channels[v].flits.Reserve(depth)
		}
		r.outputs[p] = output{router: -1, channels: slices.Repeat([]outputChannel{{credits: depth, places: depth, owner: -1, last: -1}}, channels),
			turn: turn{-1, -1}}
	}
	return r
}

// at returns a virtual channel of the router's inputs.
func (r *router) at(p position) *channel { return &r.inputs[p.input].channels[p.channel] }

// place numbers a virtual channel among all of the router's inputs.
func (r *router) place(p position) int { return p.input*len(r.inputs[0].channels) + p.channel }

// nextWork returns the next cycle in which something may happen: this one as long as worms are
// under way.
func (n *Network) nextWork() noc.Cycle {
	if n.worms > 0 {
		return n.Clock
	}
	return min(n.Dispatch.Next(n.Clock), n.wheel.Next(n.Clock))
}

// cycle simulates the current cycle: flits and credits arrive, nodes start packets, and every
// router computes routes, gives virtual channels and the switch away, and sends what it has
// granted.
func (n *Network) cycle() {
	t := n.Clock
	if due := n.wheel.Take(t); due != nil {
		for _, f := range due.flits {
			n.arrive(f, t)
		}
		for _, c := range due.credits {
			n.routers[c.router].outputs[c.output].channels[c.channel].credits++
		}
		for _, p := range due.ports {
			n.Dispatch.FreePort(p.node, int32(p.channel))
		}
		*due = events{due.flits[:0], due.credits[:0], due.ports[:0]}
	}
	for _, id := range n.Dispatch.Serve(t) {
		n.launch(id, t)
	}
	for i := range n.routers {
		if r := &n.routers[i]; r.packets > 0 {
			r.busy++
			n.computeRoutes(r, t)
			n.allocate(r, t)
		}
	}
}

// allocate gives away a router's virtual channels and its switch, both on the state at the start of
// the cycle, and sends what has been granted.
func (n *Network) allocate(r *router, t noc.Cycle) {
	n.listRequests(r, t)
	n.allocateChannels(r, t)
	r.countRequests(n.ready)
	n.moves = r.allocateSwitch(n.moves[:0], n.ready, (*turn).ordinary)
	for _, p := range n.moves {
		r.inputs[p.input].turn.last = p.channel
		if o := &r.outputs[r.at(p).output]; !o.shared {
			o.turn.last = p.input
		}
		n.send(r, p, t)
	}
	if n.config.Speculative {
		n.speculate(r, t)
	}
}

// listRequests lists the channels whose headers wait for a virtual channel, and those with a flit
// that can go.
func (n *Network) listRequests(r *router, t noc.Cycle) {
	n.waiting, n.ready = n.waiting[:0], n.ready[:0]
	for p := range r.inputs {
		for v := range r.inputs[p].channels {
			switch ch := &r.inputs[p].channels[v]; {
			case ch.stage == waiting:
				n.waiting = append(n.waiting, position{p, v})
			case ch.stage == active && ch.flits.Len() > 0 && r.hasRoom(ch) && t >= r.outputs[ch.output].idle:
				n.ready = append(n.ready, position{p, v})
			}
		}
	}
}

// hasRoom reports whether there is a free place where the front packet of a channel goes.
func (r *router) hasRoom(ch *channel) bool {
	return ch.leaves || r.outputs[ch.output].channels[ch.to].credits > 0
}

package multicast

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Measure sizes a plan without running it. Channels are those between routers.
type Measure struct {
	Worms int
	// Steps is the number of message passing steps, each with its startup, until the last node is
	// served.
	Steps int
	// Channels is the traffic: channels crossed by all worms, one crossed by two worms counted
	// twice.
	Channels int
	// Additional is the number of channels crossed minus the number of destinations (Al-Dubai,
	// Ould-Khaoua and Mackenzie, section 4.2). Where each router has one node, the channels are those
	// between routers, as in the paper's meshes. Elsewhere a worm also crosses one from its sender and
	// one to each of its stops.
	Additional int
	// Longest is the largest number of channels from a worm's sender to its last stop.
	Longest int
}

// Measure sizes the plan on a network. Every worm must have its path or tree.
func (p Plan) Measure(w *topology.Wiring) (Measure, error) {
	m := Measure{Worms: len(p)}
	destinations := 0
	for i := range p {
		visits, err := p.way(i)
		if err != nil {
			return Measure{}, err
		}
		m.Channels += len(visits)
		for _, hops := range depths(visits) {
			m.Longest = max(m.Longest, hops)
		}
		destinations += len(p[i].Stops)
		m.Steps = max(m.Steps, p.Step(i))
	}
	m.Additional = m.Channels - destinations
	if !w.Direct() {
		m.Additional += m.Worms + destinations // their channels from senders and to stops
	}
	return m, nil
}

// Step is the message passing step of a worm, 1 for those that leave first: one more than the step
// that brought the message to its sender, and one for each earlier round of that sender.
func (p Plan) Step(i int) int {
	step := 0
	for ; i >= 0; i = p[i].After {
		step += 1 + p[i].Round
	}
	return step
}

// way is the route of a worm as a tree, or an error for one that the network routes.
func (p Plan) way(i int) ([]Visit, error) {
	visits, err := p[i].visits()
	if err == nil && visits == nil {
		err = fmt.Errorf("the network chooses its route")
	}
	if err != nil {
		return nil, fmt.Errorf("worm %d: %w", i, err)
	}
	return visits, nil
}

// depths is the number of channels from the first router to each visit.
func depths(visits []Visit) []int {
	depth := make([]int, len(visits))
	for i, v := range visits {
		depth[i] = 1
		if v.Parent >= 0 {
			depth[i] += depth[v.Parent]
		}
	}
	return depth
}

// Start says when a node that received the message may send it on, and when a sender may begin its
// next round.
type Start int

const (
	// Store: a receiver begins its startup when the tail has arrived, and a sender begins the next
	// one when the tail has left, Flits channel times after the header.
	Store Start = iota
	// Cut: both need only the header; startups overlap the transmission.
	Cut
)

// Starts names the values of Start.
var Starts = []string{"store", "cut"}

// Timing is a model of the latency in an idle network, in the time unit of its paper (nanoseconds
// or cycles): the tail reaches a stop
//
//	Startup + Route*routers + Channel*(channels + Flits - 1 + Extra) + tokens
//
// after its round began, where channels are those between routers plus Ends. Every token on the
// route costs Channel*Size/2, half a round of its group, and nothing in a group of one (Varavithya
// and Mohapatra, section 5.1); with TokenOnce only the first of a worm costs anything.
type Timing struct {
	Preparation int64 // once, before the first startup of the source
	Startup     int64 // before each round of a sender
	Route       int64 // decision at each router that a header enters
	Channel     int64 // one flit across one channel
	Flits       int64 // length of the message
	Ends        int64 // 2 when the channels between nodes and routers count, 0 when they do not
	Extra       int64 // flit times that a paper adds to strict pipelining
	Start       Start
	TokenOnce   bool
}

// TreeTiming is that of asynchronous tree-based multicast (Varavithya and Mohapatra, section 5.1),
// in nanoseconds. Its example counts one flit time more than strict pipelining gives; Extra keeps
// its 2.12 microseconds exact.
func TreeTiming(flits int64) Timing {
	return Timing{Startup: 500, Route: 60, Channel: 20, Flits: flits, Ends: 2, Extra: 1}
}

// PostorderTiming is that of postorder recursive doubling (Libeskind-Hadas, Mazzoni and
// Rajagopalan, section 4), in nanoseconds.
func PostorderTiming(flits int64) Timing {
	return Timing{Startup: 10_000, Route: 20, Channel: 10, Flits: flits, Ends: 2}
}

// GroupTiming is that of Qualified Groups (Al-Dubai, Ould-Khaoua and Mackenzie, equation 7), in
// cycles: startup + channels + flits in each message passing step. The text also names preparation
// times of 2, 2, 4 and 16 cycles for dual-path, multi-path, column-path and Qualified Groups, which
// its table 3 cannot contain; without a word from the user there is none.
func GroupTiming(flits int64) Timing {
	return Timing{Startup: 33, Channel: 1, Flits: flits, Extra: 1}
}

// Validate tells which quantity is impossible.
func (t Timing) Validate() error {
	for _, q := range []struct {
		name  string
		value int64
		least int64
	}{{"preparation", t.Preparation, 0}, {"startup", t.Startup, 0}, {"route", t.Route, 0}, {"channel", t.Channel, 1},
		{"flits", t.Flits, 1}, {"ends", t.Ends, 0}, {"extra", t.Extra, 0}} {
		if q.value < q.least || q.value > 1<<40 {
			return fmt.Errorf("timing: %s is %d; %d to %d are possible", q.name, q.value, q.least, int64(1)<<40)
		}
	}
	if t.Start < Store || t.Start > Cut {
		return fmt.Errorf("timing: start is %d; there are %v", t.Start, Starts)
	}
	return nil
}

// Arrival tells when a node has the message in an idle network, counted from the request.
type Arrival struct {
	Node   noc.NodeID `json:"node"`
	Worm   int        `json:"-"`
	Hops   int        `json:"channels"` // between routers, from the worm's sender
	Header int64      `json:"header"`
	Tail   int64      `json:"tail"`
}

// Arrivals are the times at which the destinations get the message when nothing else moves and
// worms of one plan do not meet, in the order of worms and stops. They are exact for schemes whose
// worms are disjoint and a lower bound for the others. They are a lower bound for trees in shallow
// buffers, too, where a branch that waits for its token holds up the flits of the others.
func (p Plan) Arrivals(w *topology.Wiring, t Timing) ([]Arrival, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	var list []Arrival
	received := map[noc.NodeID]Arrival{}
	for i, m := range p {
		visits, err := p.way(i)
		if err != nil {
			return nil, err
		}
		at, err := m.stopVisits(w, visits)
		if err != nil {
			return nil, fmt.Errorf("worm %d: %w", i, err)
		}
		depth, waited := depths(visits), t.waits(m, visits)
		leaves := t.leaves(m, received)
		for s, node := range m.Stops {
			hops := 0
			if at[s] >= 0 {
				hops = depth[at[s]]
			}
			a := Arrival{Node: node, Worm: i, Hops: hops}
			a.Header, a.Tail = t.arrive(leaves+waited[at[s]+1], hops)
			received[node] = a
			list = append(list, a)
		}
	}
	return list, nil
}

// waits is the time spent on tokens up to and including each visit; the first entry is the first
// router.
func (t Timing) waits(m Worm, visits []Visit) []int64 {
	sum := make([]int64, len(visits)+1)
	for i, token := range m.Tokens { // parents first
		if token.Size > 1 && (i == 0 || !t.TokenOnce) {
			sum[token.Visit+1] = t.Channel * int64(token.Size) / 2
		}
	}
	for i, v := range visits {
		sum[i+1] += sum[v.Parent+1]
	}
	return sum
}

// leaves is when the header of a worm leaves its sender.
func (t Timing) leaves(m Worm, received map[noc.NodeID]Arrival) int64 {
	begin := t.Preparation
	if m.After >= 0 {
		begin = received[m.From].Tail
		if t.Start == Cut {
			begin = received[m.From].Header
		}
	}
	round := t.Startup
	if t.Start == Store {
		round += t.Channel * t.Flits
	}
	return begin + int64(m.Round)*round + t.Startup
}

// arrive is when header and tail of a worm are received, a number of channels from its sender. With
// no routing decision in the model (Route 0) the first router costs nothing either.
func (t Timing) arrive(leaves int64, hops int) (header, tail int64) {
	header = leaves + t.Route*t.routers(hops) + t.Channel*(int64(hops)+t.Ends)
	return header, header + t.Channel*(t.Flits-1+t.Extra)
}

// routers is the number of routing decisions on the route: with the channels at both ends counted,
// every router's; without, one per channel.
func (t Timing) routers(hops int) int64 {
	if t.Ends == 2 {
		return int64(hops) + 1
	}
	return int64(hops)
}

// Latency is when the last destination has the message, in an idle network; 0 for an empty plan.
func (p Plan) Latency(w *topology.Wiring, t Timing) (int64, error) {
	list, err := p.Arrivals(w, t)
	if err != nil {
		return 0, err
	}
	last := int64(0)
	for _, a := range list {
		last = max(last, a.Tail)
	}
	return last, nil
}

package topology

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Multistage is a network of Arity^Stages nodes in which every message crosses stages of switches
// with Arity ports to each side: a unidirectional baseline or butterfly network, or a
// bidirectional butterfly. (Varavithya and Mohapatra, section 2.)
//
// There are Arity^(Stages-1) rows of switches; switch number = stage*rows + row. Node s enters
// stage 0 in row s / Arity by port s % Arity. Digits are those of row or node numbers to the base
// Arity, digit 0 the least significant.
//
// Unidirectional, baseline: output p of stage j divides the block of Arity^(Stages-1-j) rows it
// lies in into Arity smaller blocks, and nodes receive from the last stage. Input and output
// ports are both 0 to Arity-1.
//
// Unidirectional, butterfly: output p of (row, j) leads to the row whose digit j is p, and
// arrives there by the port that is the old digit. So the first stages set the digits of the
// destination's row in ascending order, and the last one takes its port.
//
// Bidirectional: right port Arity+p of (row, j) leads to stage j+1, to the row whose digit j is
// p, and arrives there at the left port that is the old digit. Channels lead both ways, nodes
// send to and receive from stage 0, and the right ports of the last stage are unused.
type Multistage struct {
	Bidirectional bool
	Butterfly     bool `json:",omitempty"` // if unidirectional; bidirectional ones are butterflies
	Arity, Stages int
}

// NewMultistage finds the number of stages for a number of nodes, which must be a power of the
// arity.
func NewMultistage(bidirectional bool, nodes, arity int) (Multistage, error) {
	m := Multistage{Bidirectional: bidirectional, Arity: arity}
	if arity < 2 || arity > MaxNodes {
		return m, fmt.Errorf("switches with %d ports to each side; 2 to %d are allowed", arity, MaxNodes)
	}
	for n := 1; n < min(nodes, MaxNodes+1); n *= arity {
		m.Stages++
	}
	if nodes > MaxNodes || m.Stages == 0 || m.Nodes() != nodes {
		return m, fmt.Errorf("%d nodes: the number must be %d, %d, %d or a higher power of the arity, up to %d",
			nodes, arity, arity*arity, arity*arity*arity, MaxNodes)
	}
	return m, nil
}

// String returns the form that Open reads.
func (m Multistage) String() string {
	kind := "min:baseline"
	switch {
	case m.Bidirectional:
		kind = "bimin:butterfly"
	case m.Butterfly:
		kind = "min:butterfly"
	}
	return fmt.Sprintf("%s:%d:%d", kind, m.Nodes(), m.Arity)
}

// Power is Arity to the given power.
func (m Multistage) Power(exponent int) int {
	p := 1
	for range exponent {
		p *= m.Arity
	}
	return p
}

// Nodes returns the number of nodes.
func (m Multistage) Nodes() int { return m.Power(m.Stages) }

// Rows returns the number of switches per stage.
func (m Multistage) Rows() int { return m.Power(m.Stages - 1) }

// Router returns the number of a switch.
func (m Multistage) Router(stage, row int) noc.NodeID { return noc.NodeID(stage*m.Rows() + row) }

// Place returns the inverse of Router.
func (m Multistage) Place(router noc.NodeID) (stage, row int) {
	return int(router) / m.Rows(), int(router) % m.Rows()
}

// Digit returns a digit of a row or node number.
func (m Multistage) Digit(n, position int) int { return n / m.Power(position) % m.Arity }

// Right returns where output p of a switch leads: the row in the next stage and the port by which
// it enters there. It is not for the last stage.
func (m Multistage) Right(stage, row, p int) (next, in int) {
	if m.Bidirectional || m.Butterfly {
		old := m.Digit(row, stage)
		return row + (p-old)*m.Power(stage), old
	}
	block := m.Power(m.Stages - 1 - stage)
	i := row % block
	return row - i + p*block/m.Arity + i/m.Arity, i % m.Arity
}

// Wiring returns the network as tables.
func (m Multistage) Wiring() *Wiring {
	var channels []Channel
	for stage := range m.Stages - 1 {
		for row := range m.Rows() {
			for p := range m.Arity {
				next, in := m.Right(stage, row, p)
				from, to := m.Router(stage, row), m.Router(stage+1, next)
				out := p
				if m.Bidirectional {
					out = m.Arity + p
					channels = append(channels, Channel{to, from, uint16(in), uint16(out), nil})
				}
				channels = append(channels, Channel{from, to, uint16(out), uint16(in), nil})
			}
		}
	}
	entry, exit := make([]Place, m.Nodes()), make([]Place, m.Nodes())
	for n := range entry {
		row, port := n/m.Arity, uint16(n%m.Arity)
		entry[n] = Place{m.Router(0, row), port}
		exit[n] = entry[n]
		if !m.Bidirectional {
			exit[n].Router = m.Router(m.Stages-1, row)
		}
	}
	return newWiring(m.String(), m.Stages*m.Rows(), channels, entry, exit)
}

// twoSided returns a bidirectional butterfly with a second set of nodes at the right ports of its
// last stage (figure 1c): node Nodes()+i is at port i % Arity of row i / Arity. It is an
// irregular network: a message that turns round on its way right, and one that turns round on its
// way left, hold what the other needs, so that turnaround routing of both sides would deadlock
// with one channel per link.
func (m Multistage) twoSided(name string) Graph {
	g := Graph{Name: name, Switches: m.Stages * m.Rows()}
	for stage := range m.Stages - 1 {
		for row := range m.Rows() {
			for p := range m.Arity {
				next, _ := m.Right(stage, row, p)
				g.Links = append(g.Links, [2]int{int(m.Router(stage, row)), int(m.Router(stage+1, next))})
			}
		}
	}
	for _, stage := range []int{0, m.Stages - 1} {
		for n := range m.Nodes() {
			g.Processors = append(g.Processors, int(m.Router(stage, n/m.Arity)))
		}
	}
	return g
}

// TurnStage returns the stage at which a message from s to all of the destinations turns round in
// a bidirectional network: the highest digit in which some of them differs from s.
func (m Multistage) TurnStage(s noc.NodeID, destinations ...noc.NodeID) int {
	turn := 0
	for _, d := range destinations {
		for digit := m.Stages - 1; digit > turn; digit-- {
			if m.Digit(int(s), digit) != m.Digit(int(d), digit) {
				turn = digit
			}
		}
	}
	return turn
}

// Towards returns the output port for a destination once the route is fixed: everywhere in a
// unidirectional network (destination tag), from the turn on in a bidirectional one.
func (m Multistage) Towards(stage int, d noc.NodeID) int {
	switch {
	case m.Bidirectional:
		return m.Digit(int(d), stage)
	case m.Butterfly:
		return m.Digit(int(d), (stage+1)%m.Stages)
	}
	return m.Digit(int(d), m.Stages-1-stage)
}

// Compare orders nodes by the output ports of their routes, stage after stage: in a sorted list
// the nodes behind any output of any switch follow each other. Only in a unidirectional butterfly
// is this not the order of their numbers, because its last stage decides digit 0.
func (m Multistage) Compare(a, b noc.NodeID) int {
	if !m.Butterfly {
		return int(a) - int(b)
	}
	for stage := range m.Stages {
		if d := m.Towards(stage, a) - m.Towards(stage, b); d != 0 {
			return d
		}
	}
	return 0
}

// Outputs returns the ports by which a unicast may leave a switch that it entered by port in:
// first to first+count-1. On the way up a bidirectional network any right port will do, the
// lowest free one first; everywhere else there is no choice. No wait-for cycle can arise.
func (m Multistage) Outputs(router noc.NodeID, in int, d noc.NodeID) (first, count int) {
	stage, row := m.Place(router)
	climbs := m.Bidirectional && in < m.Arity
	if climbs && row/m.Power(stage) != int(d)/m.Power(stage+1) {
		return m.Arity, m.Arity
	}
	return m.Towards(stage, d), 1
}

// Step follows one output port of a switch: a right port in a unidirectional network or, in a
// bidirectional one, Arity and above; else a left port. At the ends of the network there is no
// next switch.
func (m Multistage) Step(router noc.NodeID, out int) (next noc.NodeID, in int, ok bool) {
	stage, row := m.Place(router)
	if m.Bidirectional && out < m.Arity {
		if stage == 0 {
			return 0, 0, false
		}
		below, back := m.Right(stage-1, row, out) // the same row with digit stage-1 set to out
		return m.Router(stage-1, below), m.Arity + back, true
	}
	if stage == m.Stages-1 {
		return 0, 0, false
	}
	row, in = m.Right(stage, row, out%m.Arity)
	return m.Router(stage+1, row), in, true
}

// Route lists the switches after the first on the route between two nodes, with the lowest port
// where there is a choice.
func (m Multistage) Route(s, d noc.NodeID) []noc.NodeID {
	path := []noc.NodeID{}
	at, in := m.Router(0, int(s)/m.Arity), int(s)%m.Arity
	for {
		out, _ := m.Outputs(at, in, d)
		next, entry, ok := m.Step(at, out)
		if !ok {
			return path
		}
		at, in = next, entry
		path = append(path, at)
	}
}

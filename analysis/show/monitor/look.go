package monitor

import (
	"time"

	"github.com/carousel-sim/carousel/analysis/show/figures"
)

// Look is a snapshot of the network of a running point. Counts are since the start of the point.
type Look struct {
	Cycle     uint64
	InFlight  int    // copies that it owes
	Delivered uint64 // copies that it has delivered
	// Columns and Rows are the sides of a torus or a mesh; 0 for others, which have no map.
	Columns, Rows int
	Routers       []uint64 // phits by router
	Links         []Crossing
	// Waits says which packets wait for what.
	Waits func() []string
}

// Crossing is a link and the phits that crossed it.
type Crossing struct {
	From, To int
	Phits    uint64
}

// Network is the part of a status about the network of a running point.
type Network struct {
	Index    int    `json:"index"`
	Label    string `json:"label"`
	Cycle    uint64 `json:"cycle"`
	InFlight int    `json:"in_flight"`
	// Routers and Links are phits per cycle since the look before, and links in the order of
	// routers and ports.
	Routers []float64 `json:"routers,omitempty"`
	Links   []float64 `json:"links,omitempty"`
	// Stalled is since how many cycles nothing was delivered, if copies are in flight, and Waits
	// why.
	Stalled uint64   `json:"stalled_cycles,omitempty"`
	Waits   []string `json:"waits,omitempty"`
	grid    *figures.Grid
}

// network is what the board remembers of the network of a running point.
type network struct {
	Network
	last  Look
	moved uint64 // the cycle at which something had last been delivered
	at    time.Time
}

const (
	lookEvery  = time.Second
	mostWaits  = 12
	stillAfter = 2000 // cycles without a delivery that are called a stall
)

// Due reports whether it is time to look at the network of a point again.
func (b *Board) Due(index int) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	n := b.looks[index]
	return n == nil || b.now().Sub(n.at) >= lookEvery
}

// Look takes a snapshot of the network of a running point. Waits is called at once if the network
// has delivered nothing for a while.
func (b *Board) Look(index int, l Look) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	old := b.looks[index]
	if old == nil || old.last.Cycle > l.Cycle {
		old = &network{last: Look{Routers: make([]uint64, len(l.Routers)), Links: make([]Crossing, len(l.Links))}, moved: l.Cycle}
	}
	n := &network{Network: Network{Index: index, Label: b.points[index].label, Cycle: l.Cycle, InFlight: l.InFlight}, moved: old.moved, at: b.now()}
	if l.Delivered != old.last.Delivered || l.InFlight == 0 {
		n.moved = l.Cycle
	} else if n.Stalled = l.Cycle - n.moved; n.Stalled >= stillAfter && l.Waits != nil {
		n.Waits = l.Waits()
		n.Waits = n.Waits[:min(len(n.Waits), mostWaits)]
	} else {
		n.Stalled = 0
	}
	if took := float64(l.Cycle - old.last.Cycle); took > 0 {
		for i, phits := range l.Routers {
			n.Routers = append(n.Routers, float64(phits-old.last.Routers[i])/took)
		}
		for i, c := range l.Links {
			n.Links = append(n.Links, float64(c.Phits-old.last.Links[i].Phits)/took)
		}
		n.grid = l.grid(&n.Network)
	} else {
		n.Routers, n.Links, n.grid = old.Routers, old.Links, old.grid
	}
	l.Waits = nil
	n.last = l
	b.looks[index] = n
}

// grid is the map of a torus or a mesh.
func (l *Look) grid(n *Network) *figures.Grid {
	if l.Columns*l.Rows == 0 || l.Columns*l.Rows != len(n.Routers) {
		return nil
	}
	g := &figures.Grid{Columns: l.Columns, Rows: l.Rows, Nodes: n.Routers, NodeName: "phits/cycle", LinkName: "phits/cycle"}
	for _, v := range n.Routers {
		g.NodeTop = max(g.NodeTop, v)
	}
	for i, c := range l.Links {
		g.Links = append(g.Links, figures.GridLink{From: c.From, To: c.To, Value: n.Links[i]})
		g.LinkTop = max(g.LinkTop, n.Links[i])
	}
	return g
}

// Results are the means and pictures of what has finished.
type Results struct {
	Header   []string         `json:"header"`
	Rows     [][]string       `json:"rows"`
	Pictures []figures.Figure `json:"-"`
}

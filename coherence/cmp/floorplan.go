package cmp

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// floorplan says at which router every agent sits. Agents are numbered: caches first, then banks,
// then memory controllers.
type floorplan struct {
	columns, rows int
	cores         []noc.NodeID // router of each core
	memories      []noc.NodeID // router of each memory controller
	coresAt       [][]uint16   // cores at each router
	soleAt        []int32      // the only core at each router; none when there is none, or another one
	homes         coherence.Homes
	routers       []noc.NodeID // router of every agent
	firstMemory   int          // the agent number of memory controller 0
}

// Describe returns what the protocol of a chip with that number of nodes is, and where blocks are
// at home. Cores must be set.
func Describe(c Config, nodes int) (*coherence.Description, *coherence.Homes, error) {
	plan, err := newFloorplan(c, nodes)
	if err != nil {
		return nil, nil, err
	}
	entry, err := LookupProtocol(c.Protocol, c.More...)
	if err != nil {
		return nil, nil, err
	}
	p, err := entry.New(c, coherence.System{Cores: c.Cores, Homes: &plan.homes, Victims: c.Core.VictimBuffer})
	if err != nil {
		return nil, nil, err
	}
	return p.Describe(), &plan.homes, nil
}

func newFloorplan(c Config, nodes int) (*floorplan, error) {
	p := &floorplan{columns: c.Place.Columns}
	if p.columns == 0 {
		p.columns = int(math.Sqrt(float64(nodes)))
	}
	if p.columns <= 0 || nodes%p.columns != 0 {
		return nil, fmt.Errorf("chip.place.columns is %d; it must divide the network's %d routers", p.columns, nodes)
	}
	p.rows = nodes / p.columns
	if nodes&(nodes-1) != 0 {
		return nil, fmt.Errorf("the network has %d nodes, but a chip needs a power of two, because banks are chosen by address bits", nodes)
	}
	var err error
	if p.cores, err = p.place("chip.place.cores", c.Place.Cores, c.Place.CoreList, c.Cores, spreadCores); err != nil {
		return nil, err
	}
	if p.memories, err = p.place("chip.place.memory", c.Place.Memory, c.Place.MemoryList, c.Place.MemoryControllers, spreadMemories); err != nil {
		return nil, err
	}
	p.coresAt = make([][]uint16, nodes)
	for core, r := range p.cores {
		p.coresAt[r] = append(p.coresAt[r], uint16(core))
	}
	p.soleAt = make([]int32, nodes)
	for r, at := range p.coresAt {
		if p.soleAt[r] = none; len(at) == 1 {
			p.soleAt[r] = int32(at[0])
		}
	}
	banks := nodes * c.BanksPerRouter
	p.homes = coherence.Homes{Banks: banks, Hash: c.BankHash, MemoryOfBank: make([]uint16, banks)}
	of := p.memoryOfRouter(c)
	for b := range p.homes.MemoryOfBank {
		p.homes.MemoryOfBank[b] = of[b%nodes]
	}
	p.routers = append(p.routers, p.cores...)
	for b := range banks {
		p.routers = append(p.routers, noc.NodeID(b%nodes))
	}
	p.firstMemory = len(p.routers)
	p.routers = append(p.routers, p.memories...)
	return p, nil
}

func (p *floorplan) nodes() int { return p.columns * p.rows }

// place resolves one of the placement policies.
func (p *floorplan) place(key, policy string, list []int, n int, spread func(*floorplan, int) []noc.NodeID) ([]noc.NodeID, error) {
	switch policy {
	case "spread":
		return spread(p, n), nil
	case "edge":
		border := p.border()
		at := make([]noc.NodeID, n)
		for i := range at {
			at[i] = border[i*len(border)/n%len(border)]
		}
		return at, nil
	case "list":
		key = strings.TrimSuffix(key, "s") + "_list"
		if len(list) != n {
			return nil, fmt.Errorf("%s names %d routers; the chip needs %d", key, len(list), n)
		}
		at := make([]noc.NodeID, n)
		for i, r := range list {
			if r < 0 || r >= p.nodes() {
				return nil, fmt.Errorf("%s names router %d; the network has routers 0 to %d", key, r, p.nodes()-1)
			}
			at[i] = noc.NodeID(r)
		}
		return at, nil
	}
	return nil, fmt.Errorf("%s is %q; spread, edge and list are allowed", key, policy)
}

// spreadCores puts the cores on a regular sub-grid, as square as the grid allows: on 8x8 routers 16
// cores sit where x and y are even, so every core sees the same distances. Numbers that fit no
// sub-grid are spaced evenly in order of router.
func spreadCores(p *floorplan, n int) []noc.NodeID {
	at := make([]noc.NodeID, n)
	best := 0
	for cx := 1; cx <= n && cx <= p.columns; cx++ {
		if n%cx != 0 || p.columns%cx != 0 || n/cx > p.rows || p.rows%(n/cx) != 0 {
			continue
		}
		if best == 0 || skew(p.columns/cx, p.rows*cx/n) < skew(p.columns/best, p.rows*best/n) {
			best = cx
		}
	}
	for i := range at {
		if best > 0 {
			x, y := i%best*(p.columns/best), i/best*(p.rows*best/n)
			at[i] = noc.NodeID(y*p.columns + x)
		} else {
			at[i] = noc.NodeID(i * p.nodes() / n % p.nodes())
		}
	}
	return at
}

func skew(a, b int) int { return max(a, b) - min(a, b) }

// spreadMemories puts the controllers at ((i+1) mod k, 3i mod k) when there are k of them on k x k
// routers: one per row and column, at least 4 hops apart for k = 8, and none at a core's router.
// Other numbers are spaced evenly in order of router. On a line, which is how a network without
// coordinates counts, a controller that would meet a core moves on to the next router with neither,
// if there is one.
func spreadMemories(p *floorplan, n int) []noc.NodeID {
	at := make([]noc.NodeID, n)
	taken := make([]bool, p.nodes())
	for _, core := range p.cores {
		taken[core] = p.rows == 1
	}
	lattice := p.columns == p.rows && n == p.columns && n%3 != 0
	for i := range at {
		if lattice {
			at[i] = noc.NodeID(3*i%n*n + (i+1)%n)
		} else {
			at[i] = noc.NodeID((2*i + 1) * p.nodes() / (2 * n) % p.nodes())
		}
		for k := 0; k < p.nodes() && taken[at[i]]; k++ {
			at[i] = (at[i] + 1) % noc.NodeID(p.nodes())
		}
		taken[at[i]] = p.rows == 1
	}
	return at
}

// border lists the routers of the outer rows and columns, clockwise from router 0.
func (p *floorplan) border() []noc.NodeID {
	var b []noc.NodeID
	add := func(x, y int) { b = append(b, noc.NodeID(y*p.columns+x)) }
	for x := range p.columns {
		add(x, 0)
	}
	for y := 1; y < p.rows; y++ {
		add(p.columns-1, y)
	}
	if p.rows > 1 {
		for x := p.columns - 2; x >= 0; x-- {
			add(x, p.rows-1)
		}
	}
	if p.columns > 1 {
		for y := p.rows - 2; y >= 1; y-- {
			add(0, y)
		}
	}
	return b
}

// memoryOfRouter gives each router's banks to a memory controller: nearest first, each controller
// serving the same number of routers (one more for some when they do not divide). For the default
// chip every controller serves 8 routers at a mean distance of 1.25 hops.
func (p *floorplan) memoryOfRouter(c Config) []uint16 {
	n := p.nodes()
	of := make([]uint16, n)
	if p.columns == 8 && p.rows == 8 && len(p.memories) == 8 && c.Place.Memory == "spread" {
		offsets := [8][2]int{{0, 0}, {0, 1}, {-1, -1}, {-1, 0}, {1, -1}, {1, 0}, {1, 1}, {0, -1}}
		for r := range of {
			x, y := (r%8+7)%8, r/8 // the lattice is shifted by one column
			o := offsets[((y-3*x)%8+8)%8]
			of[r] = uint16((x - o[0] + 8) % 8)
		}
		return of
	}
	room := make([]int, len(p.memories))
	for i := range room {
		room[i] = (n + len(room) - 1) / len(room)
	}
	taken := make([]bool, n)
	for d := 0; d <= p.columns+p.rows; d++ {
		for r := range of {
			for m := range p.memories {
				if !taken[r] && room[m] > 0 && p.distance(noc.NodeID(r), p.memories[m]) == d {
					of[r], taken[r] = uint16(m), true
					room[m]--
				}
			}
		}
	}
	return of
}

// distance counts hops on a torus of the floorplan's shape.
func (p *floorplan) distance(a, b noc.NodeID) int {
	ring := func(x, y, k int) int { d := skew(x, y); return min(d, k-d) }
	return ring(int(a)%p.columns, int(b)%p.columns, p.columns) + ring(int(a)/p.columns, int(b)/p.columns, p.rows)
}

// agentIndex returns the number of an agent.
func (p *floorplan) agentIndex(a coherence.Agent) int {
	switch a.Role {
	case coherence.Cache:
		return int(a.Index)
	case coherence.Bank:
		return len(p.cores) + int(a.Index)
	}
	return p.firstMemory + int(a.Index)
}

// bankAgent returns the number of a block's home bank.
func (p *floorplan) bankAgent(b coherence.Block) int {
	return len(p.cores) + int(p.homes.Bank(b))
}

// memoryAgent returns the number of a block's memory controller.
func (p *floorplan) memoryAgent(b coherence.Block) int {
	return p.firstMemory + int(p.homes.Memory(b))
}

package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.ToggleCounter = (*Network)(nil)

// Network is a grid of rotary routers. It implements noc.Network.
//
// Segment s < ports of a router is the one of port s on ring 0 (0->1->2->..), segment ports+p the
// one of port p on ring 1 (0->4->3->..). Masked indices and shifts (segmentBits and the like) spare
// the checks of bounds and widths.
type Network struct {
	grid   topology.Grid
	config Config
	now    noc.Cycle

	ports, segments                     int
	segmentSlots, inputSlots, laneSlots int       // slots per segment, input stage and output lane
	few, settle                         int       // when banks change their form, see convert.go
	look                                noc.Cycle // the bits of a cycle that are 0 when that is looked at
	refreshed                           noc.Cycle // see refresh
	mostStaged                          places2   // a lane of an output stage in words takes a packet while it is less
	special                             bool      // admission looks at more than the lowest three bits of free slots
	planes                              int       // bits of a number of slots of a segment, and of one more
	turnSlots                           least     // Config.TurnSlots
	enterSlots                          [3]least  // one less than Config.EnterSlots, as many, and one more
	injectSlots                         least     // Config.InjectSlots
	missLimit, pruneAfter, injectLimit  int       // scaled to the router
	laneBlock                           uint64    // all ones if LaneBlock, else 0
	whole                               bool      // a multicast leaves its source as one packet
	tree                                bool      // and is replicated whenever it can be
	rows                                bool      // several destinations are a row of the arena, not a word: they are too many, or a path's
	unlimited                           bool      // output stages
	wiring

	routes  routes
	banks   []bank
	due     []int32 // banks that are stepped in this cycle
	headers []header
	unused  int32        // the first of the list of unused headers, or negative
	packets [64]packet   // on their way onto the rings of a bank
	moving  []slot       // all of a bank that changes its form
	moved   int          // how many elements of it have been moved
	visit   []noc.NodeID // order of visits, for tests; nil is by banks

	nearer   [1 << nearerPorts]uint16 // see makeNearer
	ring1    uint64                   // its segments
	judged   uint64                   // segments whose heads are judged one by one, however many destinations they have
	tour     *tables.Tour             // the path scheme's, or nil
	overflow *overflow                // of unlimited output stages, or nil

	limits                       perClass               // places that classes up to each one may hold
	plenty, leavesTwo, leavesOne levels                 // what may be held to leave places for all takers, two, and one
	unit                         [noc.MaxClasses]levels // one packet of each class
	from                         [noc.MaxClasses]levels // highest bits of each class and those above it
	places                       []places               // of each router
	seen                         []levels               // places held at each router at the start of the cycle
	changed                      []int32                // routers whose places have changed since
	held                         []perClass             // of each router: packets that checkPlaces has counted; nil before it runs
	owing                        []int                  // of each worm: destinations that checkWorms has counted

	agendaMask uint   // agendas in use less one; a power of two
	keptInMind packet // bits of packets on the rings that their inputs keep in mind
	ordered    bool   // an ordered packet has been offered
	spreads    bool   // a packet with several destinations has been injected

	worms   *fabric.Worms
	sources *fabric.Sources
	sinks   *fabric.Sinks

	contents *fabric.Contents // of the worms, where flipped bits are counted

	injected, buffered uint64
}

const (
	rings       = 2
	maxPorts    = 16 // a power of two above the ports of the largest grid of package topology
	maxSegments = rings * maxPorts
	maxAgendas  = 32

	portBits    = maxPorts - 1
	segmentBits = maxSegments - 1
	agendaBits  = maxAgendas - 1
)

// wiring is how the segments of every router are joined.
type wiring struct {
	// Per segment: the next and the previous one of its ring, the output it drains to, its own port
	// and its ring.
	next, previous, feeds, portOf, ringOf [maxSegments]uint8
	// The next and the previous segment as the words number them: port<<1|ring. The next one is
	// also the lane of the output stages that a segment drains to.
	ahead, behind [maxSegments]uint8
	// toPlus has a bit for every port towards larger coordinates: ordered packets from there take
	// ring 1.
	toPlus uint64
}

// New builds the network. It fails when the configuration is not valid on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	c.ClassLimit = c.HasQuota()
	limits := rotary.LimitsOf(g, c)
	nodes, ports := g.Nodes(), g.Ports()
	n := &Network{grid: g, config: c, ports: ports, segments: rings * ports,
		segmentSlots: limits.SegmentSlots, inputSlots: limits.InputSlots, laneSlots: limits.LaneSlots,
		missLimit:  limits.MissLimit,
		pruneAfter: limits.PruneAfter,
		whole:      c.Multicast != Replicate,
		tree:       c.Multicast == Tree,
		unlimited:  c.UnlimitedOutput,
		wiring:     newWiring(g),
		routes:     newRoutes(g),
		unused:     -1,
		worms:      fabric.NewWorms(nodes, nodes),
		sinks:      fabric.NewSinks(nodes, c.Classes),
		agendaMask: uint(powerOfTwo(max(c.SlotPhits+3, 8)) - 1),
	}
	if c.LaneBlock {
		n.laneBlock = ^uint64(0)
	}
	n.planes = bits.Len(uint(n.segmentSlots + 1))
	n.special = n.planes > low || c.EntryHysteresis
	n.turnSlots, n.injectSlots = newLeast(c.TurnSlots), newLeast(c.InjectSlots)
	for i := range n.enterSlots {
		n.enterSlots[i] = newLeast(c.EnterSlots - 1 + i)
	}
	n.ring1 = (1<<n.ports - 1) << n.ports
	n.keptInMind = orderedBit
	if c.EntryHysteresis {
		n.keptInMind = ^packet(0)
	}
	n.injectLimit = limits.InjectLimit
	n.sources = fabric.NewSources(n.worms, nodes, c.Classes, c.SourceQueue, c.SlotPhits)
	if c.Multicast == Path {
		n.tour = tables.NewTour(g)
		n.judged = 1<<n.feeder(topology.Local, 0) | 1<<n.feeder(topology.Local, 1)
	}
	n.rows = n.routes.words > 1 || n.tour != nil
	n.setLimits(&limits)
	n.makeNearer()
	n.makeBanks()
	n.mostStaged = 1 << (8 * (min(n.laneSlots, stagePlaces) - 1))
	n.few, n.settle, n.look = fewRouters, settleLooks, lookMask
	if n.allowWords() {
		for i := range n.banks {
			n.banks[i].words, n.banks[i].calm = new([64]words), settleLooks
		}
	}
	if n.unlimited {
		n.overflow = newOverflow(nodes * n.ports * rings)
	}
	for id := range nodes { // small routers have few places from the start
		n.publishRouter(id)
	}
	return n, nil
}

func powerOfTwo(atLeast int) int {
	n := 1
	for n < atLeast {
		n *= 2
	}
	return n
}

// newWiring joins the segments (rule 6).
func newWiring(g topology.Grid) (w wiring) {
	p := g.Ports()
	for i := range p {
		up, down := (i+1)%p, (i+p-1)%p
		w.next[i], w.previous[i], w.feeds[i] = uint8(up), uint8(down), uint8(up)
		w.next[p+i], w.previous[p+i], w.feeds[p+i] = uint8(p+down), uint8(p+up), uint8(down)
		w.portOf[i], w.portOf[p+i], w.ringOf[p+i] = uint8(i), uint8(i), 1
		w.ahead[2*i], w.ahead[2*i+1] = uint8(2*up), uint8(2*down+1)
		w.behind[2*i], w.behind[2*i+1] = uint8(2*down), uint8(2*up+1)
	}
	for dim := range g.Radix {
		w.toPlus |= 1 << g.Port(dim, +1)
	}
	return w
}

// feeder is the segment of a ring that drains to output p.
func (n *Network) feeder(p, ring int) uint8 { return n.previous[(ring*n.ports+p)&segmentBits] }

// numberOf is the number of segment j of the words.
func (n *Network) numberOf(j uint) int { return int(j>>1) + int(j&1)*n.ports }

package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// region is a range of routers that one thread simulates, and what its routers have in common. In a
// cycle all regions [region.send], and then all [region.receive]: what a region sends to a router of
// another one is in departing in between. A network has one region unless it has several threads.
type region struct {
	tables
	packets  *fabric.Packets
	sinks    *fabric.Sinks
	network  *Network
	regionOf []uint8
	number   int
	alone    bool // there is no other region

	now      noc.Cycle
	wheel    fabric.Wheel[events]
	freedNow *events // where the credits of slots that are freed in the current cycle go

	first int         // of its words of 64 routers
	due   []routerSet // routers that have something to grant, and perhaps others

	sent      []shipment        // room for those of the current cycle: each output of a router sends at most one
	sending   int               // how many there are
	moved     int               // how many there were in the last cycle, and for whichever region
	fetched   uint8             // keeps the reading loop of receive alive
	nominees  [maxPorts]portSet // scratch of allocate: inputs that ask for an output
	nominated [maxPorts]vc      // and the channels that inputs nominate

	departing []departing // to each region
	ejected   []ejected   // packets that nodes take in the current cycle, if there are other regions
	copied    uint64      // phits of packets copied in routers
}

// departing is what one region sends to another in a cycle.
type departing struct {
	sent  []shipment
	freed []globalVC // credits
}

// ejected is a packet that a node takes.
type ejected struct {
	packet fabric.PacketID
	node   int32
}

// leastShipments is how many packets a region has to send in a cycle, for a thread of its own to pay.
const leastShipments = 16

// always is, as the least work for several threads, less than any.
const always = -1

// divide makes the regions.
func (n *Network) divide() {
	words := noc.SetWords(n.nodes)
	count := max(1, min(n.config.Threads, words))
	if n.more != nil {
		count = 1 // credits of long links lie on the wheel beside those of other cycles
	}
	n.regionOf, n.least = make([]uint8, words), leastShipments*count
	reach := max(n.config.SlotPhits, 2+n.config.Longest()) + n.config.RouteCycles + n.config.AllocationCycles
	for i := range count {
		first, end := n.boundary(i, count), n.boundary(i+1, count)
		routers := min(n.nodes, end<<6) - first<<6
		g := &region{tables: n.tables, packets: n.Packets, sinks: n.Sinks, network: n, regionOf: n.regionOf, number: i, alone: count == 1,
			wheel: fabric.NewWheel[events](reach), first: first,
			due:       make([]routerSet, end-first),
			sent:      make([]shipment, routers*(n.ports-1)+1), // and one for a packet on its way to a node
			departing: make([]departing, count)}
		n.regions, n.entering = append(n.regions, g), append(n.entering, make([]shipment, 0, routers))
		for w := first; w < end; w++ {
			n.regionOf[w] = uint8(i)
		}
	}
	n.halves = [2]func(int){n.sendPart, n.receivePart}
}

// less is by how many tenths region 0 is smaller than the others, because its thread also simulates
// the interfaces and the clients.
const less = 3

// boundary returns the first word of a region.
func (n *Network) boundary(region, count int) int {
	words := len(n.regionOf)
	if region == 0 {
		return 0
	}
	part, all := 10*region-less, 10*count-less
	return max(region, min(words-count+region, (words*part+all/2)/all))
}

// of returns the region of a router.
func (n *Network) of(node noc.NodeID) *region { return n.regions[n.regionOf[node>>6]] }

// dueWord returns the word of due with a router.
func (g *region) dueWord(node int) *routerSet { return &g.due[node>>6-g.first] }

// apart reports whether the regions of this cycle have a thread each: when they have enough to do,
// and no region makes copies, for which it needs the arena.
func (n *Network) apart(moved int) bool {
	if moved < n.least || n.config.Multicast == buffered.Tree && n.Packets.LiveRows() > 0 {
		return false
	}
	return n.TeamReady(len(n.regions), n.least == always)
}

// sendPart is send of a region. The interfaces send before region 0.
func (n *Network) sendPart(i int) {
	if i == 0 {
		n.injectAll()
	}
	n.regions[i].send()
}

// receivePart is enter and receive of a region.
func (n *Network) receivePart(i int) {
	n.regions[i].enter()
	n.regions[i].receive()
}

// send is the first half of rule 3 for routers: what was sent earlier takes effect, then each switch
// with work does its part. The delays from there on are in pipeline.go.
func (g *region) send() {
	t := g.now
	g.takeEvents(t)
	g.freedNow = g.wheel.At(t + creditDelay)
	if g.config.EveryCycle {
		for id := g.first << 6; id < min(len(g.routers), (g.first+len(g.due))<<6); id++ {
			g.due[id>>6-g.first].Add(int32(id))
		}
	}
	routers := g.routers[g.first<<6:]
	for i, set := range g.due {
		for g.due[i] = 0; set != 0; set &= set - 1 {
			g.allocate(routers[i<<6+int(set.First())], t)
		}
	}
	g.moved = g.sending
	if !g.alone {
		g.depart()
	}
}

// depart takes what is for routers of other regions out of the lists of the current cycle.
func (g *region) depart() {
	for i := range g.departing {
		d := &g.departing[i]
		d.sent, d.freed = d.sent[:0], d.freed[:0]
	}
	kept := 0
	for _, s := range g.sent[:g.sending] {
		g.sent[kept] = s
		if g.has(s.to) {
			kept++
		} else {
			d := &g.departing[g.regionOf[s.to.router()>>6]]
			d.sent = append(d.sent, s)
		}
	}
	g.sending = kept
	credits := g.freedNow.freed[1]
	kept = 0
	for _, at := range credits {
		credits[kept] = at
		if g.has(at) {
			kept++
		} else {
			d := &g.departing[g.regionOf[at.router()>>6]]
			d.freed = append(d.freed, at)
		}
	}
	g.freedNow.freed[1] = credits[:kept]
}

// has reports whether a channel is of one of the region's routers.
func (g *region) has(at globalVC) bool { return at.router()>>6-uint(g.first) < uint(len(g.due)) }

// enter puts what interfaces have sent in this cycle into its channels.
func (g *region) enter() {
	entering := &g.network.entering[g.number]
	g.push(*entering, g.now+injectDelay)
	*entering = (*entering)[:0]
}

// receive is the second half of rule 3: what routers have sent in this cycle is put into its channels.
func (g *region) receive() {
	t := g.now
	g.arrive(g.sent[:g.sending])
	g.sending = 0
	if !g.alone {
		for i, other := range g.network.regions {
			if i != g.number {
				d := &other.departing[g.number]
				g.arrive(d.sent)
				g.freedNow.freed[1] = append(g.freedNow.freed[1], d.freed...)
			}
		}
	}
	if len(g.freedNow.freed[0])|len(g.freedNow.freed[1]) != 0 {
		g.wheel.On(t + creditDelay)
	}
}

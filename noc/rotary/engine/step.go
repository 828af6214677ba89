package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// group is 64 routers, of which those with work of a kind are kept as a set: bit r is about router
// first+r.
type group struct {
	net     *Network
	routers *[64]router
	first   int
	all     uint64    // the routers that exist
	wake    noc.Cycle // next cycle in which any must be stepped
	busy    [kinds]uint64
	due     [2][kinds]uint64 // those that have work from cycle c on, in element c&1
	comes   [2]bool          // that element is not empty

	feeding uint64               // interfaces with something to send
	paused  uint64               // interfaces that stream or owe
	resume  fabric.Wheel[uint64] // those of which that ends in each cycle
	tight   uint64               // routers without quota for everybody, as published
	holding uint64               // routers with an input that asks for a hold, or has one
}

// Kinds of work in a router. Each has a loop of its own over the routers where there is any,
// because nothing would predict which of them a router has. For the same reason multicasts are
// another kind, and what a head will do is guessed when it gets to where it stands. Whatever the
// kind, the head is decided for by all rules.
const (
	consumptions  = iota // the node takes packets from the local output stage
	sends                // the other output stages send
	multicasts           // a packet with several destinations
	turns                // heads of segments turn
	departures           // or leave to the output
	divisions            // or leave in part
	entries              // inputs enter the rings
	distributions        // with a packet with several destinations
	kinds
)

// staging returns the kind of work of a packet that gets into the output stage of port p.
func staging(k *packet, p uint) uint {
	linked := 1 - isLocal(p)
	return consumptions + linked + linked&uint(k.flags&several)
}

// isLocal returns 1 for the local port, else 0, without a branch that nothing would predict.
func isLocal(p uint) uint { return (p - 1) >> 63 }

// moving returns the kind of work of a packet that gets into a segment which drains to port p.
func moving(k *packet, p uint) uint {
	wanted := uint(k.outputs>>(p&portBits)) & 1
	return turns + wanted + wanted&uint(k.flags&several)
}

// entering returns the kind of work of a packet that gets into an input.
func entering(k *packet) uint { return entries + uint(k.flags&several) }

// expect notes that a router will have work of a kind from a cycle on, one or two from now, and
// returns what will be there then.
func (s *router) expect(cycle noc.Cycle, kind uint) *present {
	g := s.group
	g.due[cycle&1][kind&(kinds-1)] |= s.bit()
	g.comes[cycle&1] = true
	return &s.soon[cycle&1]
}

// work returns the first cycle in which a router has something to do.
func (n *Network) work() noc.Cycle {
	next := noc.Never
	for i := range n.groups {
		next = min(next, n.groups[i].wake)
	}
	return next
}

// cycle steps every group that is due, in the order of rule 7.
func (n *Network) cycle() {
	n.instant = instantOf(n.Clock)
	n.publish()
	n.keepPast()
	for i := range n.groups {
		g := &n.groups[i]
		if g.wake > n.Clock && !n.config.EveryCycle {
			continue
		}
		g.wake = noc.Never // from here on, others may wake it for the next cycle
		g.prepare()
		g.step()
		g.sleep()
	}
}

// prepare brings a group to the current cycle.
func (g *group) prepare() {
	n := g.net
	if slot := n.Clock & 1; g.comes[slot] {
		g.comes[slot] = false
		due, some := &g.due[slot], uint64(0)
		for kind := range due {
			some |= due[kind]
			g.busy[kind] |= due[kind]
			due[kind] = 0
		}
		for m := some; m != 0; m &= m - 1 {
			s := &g.routers[first(m)]
			soon := &s.soon[slot]
			s.now.heads |= soon.heads
			s.now.ports |= soon.ports
			*soon = present{}
		}
	}
	if n.config.EveryCycle { // examine everything
		for kind := range g.busy {
			g.busy[kind] = g.all
		}
		g.holding = g.all
	}
	if set := g.resume.Take(n.Clock); set != nil {
		g.paused &^= *set
		*set = 0
	}
}

// step lets the routers of a group decide everything they can in this cycle. Few routers have work
// of a kind left when they have been stepped.
func (g *group) step() {
	g.stepConsumptions()
	g.stepSends()
	g.stepHeads()
	g.stepEntries()
	for m := g.feeding &^ g.paused; m != 0; m &= m - 1 {
		g.routers[first(m)].inject()
	}
	if g.holding != 0 {
		g.holdAll()
	}
}

func (g *group) stepConsumptions() {
	rest := uint64(0)
	for m := g.busy[consumptions]; m != 0; m &= m - 1 {
		s := &g.routers[first(m)]
		if s.sendToNode(); s.now.staged()&pair != 0 {
			rest |= m & -m
		}
	}
	g.busy[consumptions] = rest
}

func (g *group) stepSends() {
	one, several := g.busy[sends], g.busy[multicasts]
	rest := uint64(0)
	for _, set := range [...]uint64{one, several &^ one} {
		for m := set; m != 0; m &= m - 1 {
			s := &g.routers[first(m)]
			if s.sendToNeighbours(); s.now.sendable() != 0 {
				rest |= m & -m
			}
		}
	}
	g.busy[sends], g.busy[multicasts] = rest, 0
}

func (g *group) stepHeads() {
	turning, departing, dividing := g.busy[turns], g.busy[departures], g.busy[divisions]
	mixed := turning&departing | turning&dividing | departing&dividing
	rest := uint64(0)
	for _, set := range [...]uint64{turning | mixed, departing &^ mixed, dividing &^ mixed} {
		for m := set; m != 0; m &= m - 1 {
			s := &g.routers[first(m)]
			if heads := s.now.heads; heads&(heads-1) != 0 {
				s.arbitrate()
			} else if heads != 0 {
				s.arbitrateOnly(uint(bits.TrailingZeros32(heads)))
			}
			if s.now.heads != 0 {
				rest |= m & -m
			}
		}
	}
	g.busy[turns], g.busy[departures], g.busy[divisions] = rest, 0, 0
}

func (g *group) stepEntries() {
	one, several := g.busy[entries], g.busy[distributions]
	rest := uint64(0)
	for _, set := range [...]uint64{one, several &^ one} {
		for m := set; m != 0; m &= m - 1 {
			s := &g.routers[first(m)]
			if s.enterAll(); s.now.inputs() != 0 {
				rest |= m & -m
			}
		}
	}
	g.busy[entries], g.busy[distributions] = rest, 0
}

// sleep finds out when a group must be stepped next. Neighbours and clients wake it for what they
// bring.
func (g *group) sleep() {
	n := g.net
	working := g.feeding&^g.paused | g.holding
	for kind := range g.busy {
		working |= g.busy[kind]
	}
	if working != 0 {
		g.wake = n.Clock + 1
		return
	}
	switch {
	case g.comes[(n.Clock+1)&1]:
		g.wake = n.Clock + 1
	case g.comes[n.Clock&1]:
		g.wake = min(g.wake, n.Clock+2)
	}
	g.wake = min(g.wake, g.resume.Next(n.Clock+1))
}

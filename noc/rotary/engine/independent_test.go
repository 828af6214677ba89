package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// TestEqualsIndependentImplementation compares saturated networks with a program in C that was
// written from the rules alone: with equal arrivals every packet arrives in the same cycle. The
// numbers are what that program delivers in 4,000 cycles with the readings of rule 7 that the
// package documentation of rotary states.
func TestEqualsIndependentImplementation(t *testing.T) {
	const cycles = 4000
	for _, c := range []struct {
		config     rotary.Config
		pattern    string
		deliveries int
		digest     uint64
	}{
		{rotary.DefaultRR(), "uniform", 39921, 0xf916bb9a356d8ffc},
		{rotary.DefaultRR(), "bit-reversal", 30349, 0x7055630fea533faf},
		{rotary.DefaultRR(), "transpose", 28833, 0x836583c2098a83ba},
		{rotary.DefaultRR(), "perfect-shuffle", 30008, 0x98f0612247aeb66a},
		{rotary.DefaultRR(), "tornado", 15353, 0xc0d80c76202f39ce},
	} {
		c.config.MissLimit, c.config.InjectLimit, c.config.ClassLimit, c.config.CalmInjection = 6, 22, false, false
		c.config.Seed, c.config.SourceQueue = 0, 1<<10
		g := topology.Torus(8, 8)
		n := build(t, g, c.config)
		a := newArrivals(n, targets(t, g, c.pattern))
		deliveries, digest := 0, uint64(0)
		for n.Now() < cycles {
			a.offer(t)
			n.Step(n.Now() + 1)
			for _, d := range n.Deliveries() {
				deliveries++
				digest += random.Mix(uint64(d.Arrived)<<32 | uint64(d.Src)<<20 | uint64(d.At)<<8 | uint64(d.Class))
			}
		}
		if deliveries != c.deliveries || digest != c.digest {
			t.Errorf("%s, %s: %d deliveries with digest %#x, want %d with %#x",
				c.config.Multicast, c.pattern, deliveries, digest, c.deliveries, c.digest)
		}
	}
}

// arrivals are the packets of the program in C, at a load of 1.
type arrivals struct {
	net     noc.Network
	targets []noc.NodeID
	streams []random.Stream // by node
}

func newArrivals(n noc.Network, targets []noc.NodeID) *arrivals {
	a := &arrivals{net: n, targets: targets, streams: make([]random.Stream, n.Nodes())}
	seeds := random.Stream(1*7919 + 12345)
	for at := range a.streams {
		a.streams[at] = random.Stream(seeds.Uint64())
	}
	return a
}

// below returns a random number from 0 to n-1 as the program in C draws it.
func (a *arrivals) below(at, n int) int { return int(a.streams[at].Uint64() >> 32 * uint64(n) >> 32) }

// offer offers the packets of one cycle.
func (a *arrivals) offer(t *testing.T) {
	nodes := len(a.streams)
	for at := range a.streams {
		if a.streams[at].Float64() >= 1.0/5 {
			continue
		}
		k := noc.Packet{Src: noc.NodeID(at), Phits: 5, Class: noc.Class(a.below(at, 6)), Dst: noc.NewNodeSet(nodes)}
		a.streams[at].Float64() // of a multicast; there are none
		if to, sends := a.to(at); sends {
			k.Dst.Add(noc.NodeID(to))
		} else {
			continue
		}
		if !a.net.Offer(k) {
			t.Fatal("a source queue is full")
		}
	}
}

// to returns the destination of a unicast, and whether there is one.
func (a *arrivals) to(at int) (int, bool) {
	if to := a.targets[at]; to != traffic.Anywhere {
		return int(to), int(to) != at
	}
	to := a.below(at, len(a.streams)-1)
	if to >= at {
		to++
	}
	return to, true
}

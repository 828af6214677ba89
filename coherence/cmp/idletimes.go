package cmp

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// countedHops bounds the table of idle times: hops beyond count as the last.
const countedHops = 64

// IdleTimes are the cycles that messages take in the idle network, from when it has taken them until
// they are there; 0 where that is not known.
type IdleTimes struct {
	alone [2][countedHops]uint32 // of commands and of data to one router, by hops
	// spread are those of a broadcast, by the router of the source, the router that it reaches, and
	// whether that one is an additional destination, for the home of the block: if copies leave one
	// after the other, the place among them counts. Rows of routers without a core are empty.
	spread [][]uint32
}

// of returns what a delivered copy of a message would have taken.
func (t *IdleTimes) of(f *flight, d *noc.Delivery) uint32 {
	idle, long := uint32(0), 0
	if f.send.Has(coherence.HasData) {
		long = 1
	}
	if f.cast == Broadcast && long == 0 && t.spread != nil && t.spread[f.router] != nil {
		idle = t.spread[f.router][d.At]
	}
	if idle == 0 {
		idle = t.alone[long][min(int(d.Hops), countedHops-1)]
	}
	if idle == 0 {
		return math.MaxUint32
	}
	return idle
}

// KnowIdle gives the chip the times in the idle network; the part of a flight that exceeds them is
// contention. It is called before Run.
func (s *System) KnowIdle(t *IdleTimes) { s.paths.idle = t }

// MeasureIdle sends messages through an idle network like the chip's, one after the other.
func (s *System) MeasureIdle(twin noc.Network) (*IdleTimes, error) {
	noc.Hold(twin, true)
	defer noc.Hold(twin, false)
	twin = slow(twin, s.config.NetworkClock)
	data := noc.Class(0) // one that takes blocks
	for c, bytes := range s.about.ClassBytes() {
		if bytes == coherence.DataBytes {
			data = noc.Class(c)
		}
	}
	t := &IdleTimes{spread: make([][]uint32, twin.Nodes())}
	if err := t.measureAlone(twin, s, data); err != nil {
		return nil, err
	}
	for _, router := range s.plan.cores {
		others := noc.SetOf(twin.Nodes(), s.plan.cores...)
		others.Remove(router)
		if t.spread[router] == nil && !others.Empty() {
			t.spread[router] = make([]uint32, twin.Nodes())
			if err := t.measureSpread(twin, router, others, s); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// measureAlone sends a command and a block, in a class that takes blocks, from the router of the first
// core to each other one.
func (t *IdleTimes) measureAlone(twin noc.Network, s *System, data noc.Class) error {
	from := s.plan.cores[0]
	for router := range noc.NodeID(twin.Nodes()) {
		for long, p := range []noc.Packet{{Class: 0, Phits: s.phits[0]}, {Class: data, Phits: s.phits[1]}} {
			if router == from {
				continue
			}
			p.Src, p.Dst = from, noc.SetOf(twin.Nodes(), router)
			err := probe(twin, p, func(d *noc.Delivery, took uint32) {
				if at := &t.alone[long][min(int(d.Hops), countedHops-1)]; *at == 0 || took < *at {
					*at = took
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// measureSpread sends broadcasts from a router to those of the other cores, and to each further one.
func (t *IdleTimes) measureSpread(twin noc.Network, from noc.NodeID, others noc.NodeSet, s *System) error {
	row := t.spread[from]
	p := noc.Packet{Src: from, Dst: others, Phits: s.spread[0]}
	if others.Count() == 1 {
		p.Phits = s.phits[0]
	}
	if err := probe(twin, p, func(d *noc.Delivery, took uint32) { row[d.At] = took }); err != nil {
		return err
	}
	for home := range noc.NodeID(twin.Nodes()) {
		if home == from || others.Has(home) {
			continue
		}
		p.Dst = noc.NewNodeSet(twin.Nodes())
		p.Dst.AddAll(others)
		p.Dst.Add(home)
		p.Phits = s.spread[0]
		err := probe(twin, p, func(d *noc.Delivery, took uint32) {
			if d.At == home {
				row[home] = took
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// probe sends one packet through a network that has been idle for a while and reports the time of
// each delivery.
func probe(n noc.Network, p noc.Packet, tell func(d *noc.Delivery, took uint32)) error {
	const pause, limit = 64, 1 << 16
	for start := n.Now() + pause; n.Now() < start; {
		n.Step(start)
	}
	start := n.Now()
	if !n.Offer(p) {
		return fmt.Errorf("an idle network does not take a packet of node %d", p.Src)
	}
	for n.InFlight() > 0 {
		if n.Step(start+limit) >= start+limit {
			return fmt.Errorf("a packet of node %d has not arrived in an idle network after %d cycles", p.Src, limit)
		}
		list := n.Deliveries()
		for i := range list {
			tell(&list[i], uint32(list[i].Arrived-start))
		}
	}
	return nil
}

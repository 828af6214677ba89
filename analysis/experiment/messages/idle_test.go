package messages

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Idle sends chosen multicasts one after the other through the network of a configuration, each
// when nothing of the one before is left.
type Idle struct {
	config  Config
	network *wormholeideal.Network
}

// Sent is what became of a multicast.
type Sent struct {
	Latency  int64 // until the last destination had it
	Arrivals map[noc.NodeID]int64
	Channels int // that it crossed
}

// NewIdle builds the network.
func NewIdle(c Config) (*Idle, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	n, err := build(c)
	return &Idle{c, n}, err
}

// Send does one multicast to one destination or more.
func (i *Idle) Send(r multicast.Request) (Sent, error) {
	n := i.network
	to := noc.SetOf(n.Nodes(), r.Targets()...)
	start := n.Now() + noc.Cycle(i.config.Flits+i.config.Startup+64)
	for n.Now() < start {
		n.Step(start)
	}
	before := n.Totals().PhitHops
	n.Offer(noc.Packet{Src: r.Source, Dst: to, Phits: uint16(i.config.Flits)})
	s := Sent{Arrivals: map[noc.NodeID]int64{}}
	for limit := start + 1<<20; n.InFlight() > 0; {
		if n.Step(limit) == limit {
			return s, fmt.Errorf("a multicast of node %d has not arrived after %d cycles", r.Source, limit-start)
		}
		for _, d := range n.Deliveries() {
			s.Arrivals[d.At] = int64(d.Arrived - start)
			s.Latency = max(s.Latency, s.Arrivals[d.At])
		}
	}
	s.Channels = int((n.Totals().PhitHops - before) / uint64(i.config.Flits))
	return s, nil
}

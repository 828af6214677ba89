package silicon

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/topology"
)

// The message classes of the chip's networks that reads use.
const (
	request noc.Class = iota
	answer
	classes
)

// networks makes fresh networks of the chip, their routers plain or fast.
func (p Parameters) networks(plain bool) (all sidebyside.Networks, err error) {
	m, err := models.Lookup("wormhole")
	if err != nil {
		return nil, err
	}
	o := models.DefaultOptions()
	o.Classes, o.Plain = int(classes), plain
	o.Wormhole.VirtualChannels = channels
	o.Wormhole.BufferPhits, o.Wormhole.MaxPhits, o.Wormhole.PhitBits = p.BufferFlits, 1+PacketBytes/FlitBytes, 8*FlitBytes
	o.Wormhole.Injection, o.Wormhole.SourceQueue = 1, 1
	o.Wormhole.RouteCycles, o.Wormhole.SwitchCycles, o.Wormhole.LinkCycles, o.Wormhole.CreditCycles = hop-5, 2, 1, creditCycles
	for _, name := range Topologies {
		layout, err := topology.Open(name)
		if err != nil {
			return nil, err
		}
		o.Other = &layout
		n, err := m.Build(o)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// Of the hardware's virtual channels each class has two on either side of a ring's dateline. How
// long credits take is not known; what matters is the buffer that covers their time, which is
// fitted.
const (
	channels     = 4 * int(classes)
	creditCycles = 5
)

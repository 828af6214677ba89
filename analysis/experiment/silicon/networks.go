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

// builder builds networks of one kind, reading their topologies once.
type builder struct {
	parameters Parameters
	layouts    []topology.Layout
	plain      bool
}

// newBuilder is for the chip's own networks.
func newBuilder(p Parameters) (*builder, error) {
	b := &builder{parameters: p}
	for _, name := range Topologies {
		l, err := topology.Open(name)
		if err != nil {
			return nil, err
		}
		b.layouts = append(b.layouts, l)
	}
	return b, nil
}

// build makes fresh networks.
func (b *builder) build() (all sidebyside.Networks, err error) {
	m, err := models.Lookup("wormhole")
	if err != nil {
		return nil, err
	}
	for i := range b.layouts {
		o := b.options()
		o.Other = &b.layouts[i]
		n, err := m.Build(o)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// options are those of the chip's routers.
func (b *builder) options() models.Options {
	o := models.DefaultOptions()
	o.Classes, o.Plain = int(classes), b.plain
	o.Wormhole.VirtualChannels = channels
	o.Wormhole.BufferPhits, o.Wormhole.MaxPhits, o.Wormhole.PhitBits = b.parameters.BufferFlits, 1+PacketBytes/FlitBytes, 8*FlitBytes
	o.Wormhole.Injection, o.Wormhole.SourceQueue = 1, 1
	o.Wormhole.RouteCycles, o.Wormhole.SwitchCycles, o.Wormhole.LinkCycles, o.Wormhole.CreditCycles = hop-5, 2, 1, creditCycles
	return o
}

// Of the hardware's virtual channels each class has two on either side of a ring's dateline. How
// long credits take is not known; what matters is the buffer that covers their time, which is
// fitted.
const (
	channels     = 4 * int(classes)
	creditCycles = 5
)

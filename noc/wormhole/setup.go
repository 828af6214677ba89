package wormhole

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Setup is what a network is made of, in both forms.
type Setup struct {
	Config    Config
	Wiring    *topology.Wiring
	Grid      *topology.Grid    // nil elsewhere
	Ports     int               // of a router
	Function  routing.Function  // nil for dimension order
	Adaptive  routing.Adaptive  // nil where the function leaves no choice
	Datelined routing.Datelined // nil where channels need not be in halves
	Channels  int               // virtual channels of a port
	Sets      [noc.MaxClasses][2]uint32
	parts     int // of a class's channels
	planner   dispatch.Planner
}

// OnGrid returns the setup of a network on a grid, or tells what does not fit.
func (c Config) OnGrid(g topology.Grid, planner dispatch.Planner) (*Setup, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	s := c.setup(g.Wiring(), c.Parts(g), planner)
	s.Grid, s.Ports = &g, g.Ports()
	if c.Routing == Labels {
		var err error
		if s.Function, err = routing.SnakeLabels(g, s.Wiring); err != nil {
			return nil, err
		}
	}
	return s, c.checkStops(planner)
}

// OnWiring returns the setup of a network on any wiring with a routing function, or tells what does
// not fit.
func (c Config) OnWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (*Setup, error) {
	parts := 1
	datelined, _ := r.(routing.Datelined)
	if datelined != nil {
		parts = 2
	}
	if err := c.ValidateSize(w.Name, w.Routers, w.Ports(), parts); err != nil {
		return nil, err
	}
	if !dispatch.OneStop(planner) && !w.Direct() {
		return nil, fmt.Errorf("wormhole: worms with several stops need a node at every router, unlike %s", w.Name)
	}
	s := c.setup(w, parts, planner)
	s.Function, s.Datelined = r, datelined
	s.Adaptive, _ = r.(routing.Adaptive)
	return s, c.checkStops(planner)
}

// setup returns what all setups have.
func (c Config) setup(w *topology.Wiring, parts int, planner dispatch.Planner) *Setup {
	return &Setup{Config: c, Wiring: w, Ports: w.Ports(), Channels: c.Channels(parts), Sets: c.ClassChannels(parts), parts: parts, planner: planner}
}

// NewInterfaces makes the network interfaces. A node sends packets of a class by the virtual
// channels of the class, of which Injection takes the lowest (rule 2).
func (s *Setup) NewInterfaces() dispatch.Interfaces {
	c := &s.Config
	var ports []uint32
	for _, half := range s.Sets[:c.Classes] {
		all := half[0] | half[1]
		for c.Injection > 0 && bits.OnesCount32(all) > c.Injection {
			all &^= 1 << (bits.Len32(all) - 1)
		}
		ports = append(ports, all)
	}
	return dispatch.New(s.planner, dispatch.Config{Nodes: s.Wiring.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits,
		Startup: c.Startup, Preparation: c.Preparation, CutThrough: c.CutThrough, Ports: bits.OnesCount32(ports[0]), PortsOf: ports, KeepOrder: true})
}

// SeveralStops reports whether worms may have several stops.
func (s *Setup) SeveralStops() bool { return !dispatch.OneStop(s.planner) }

// Hardware describes one router.
func (s *Setup) Hardware() noc.Hardware {
	all, h := uint32(0), noc.Hardware{Ports: s.Ports, PhitBits: s.Config.PhitBits, Crossbar: true}
	for _, of := range s.Sets[:s.Config.Classes] {
		all |= of[0] | of[1]
		h.ChannelChoices = max(h.ChannelChoices, bits.OnesCount32(of[0]), bits.OnesCount32(of[1]))
		h.ChannelRivals = max(h.ChannelRivals, bits.OnesCount32(of[0]|of[1]))
	}
	h.VirtualChannels = bits.OnesCount32(all)
	if s.Config.EjectionPerInput {
		h.DestinationBits = s.Wiring.Nodes()
	}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = h.Ports*h.VirtualChannels, s.Config.BufferPhits
	return h
}

// Name names a virtual channel of an input, for messages, and PortName a port.
func (s *Setup) Name(input, channel int) string {
	return fmt.Sprintf("input %s channel %d", s.PortName(input), channel)
}

func (s *Setup) PortName(port int) string {
	if s.Grid == nil {
		return strconv.Itoa(port)
	}
	return s.Grid.PortName(port)
}

// checkStops reports whether worms of a planner can hand over copies while they pass.
func (c Config) checkStops(planner dispatch.Planner) error {
	if !dispatch.OneStop(planner) && !c.EjectionPerInput {
		return fmt.Errorf("wormhole: ejection_per_input is off; worms with several stops hand over copies while they pass, so switch it on")
	}
	return nil
}

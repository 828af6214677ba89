package wormhole

import (
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Setup is what a network is made of, in both forms.
type Setup struct {
	Wiring    *topology.Wiring
	Grid      *topology.Grid    // nil elsewhere
	Ports     int               // of a router
	Parts     int               // of a class's channels
	Function  routing.Function  // nil for dimension order
	Adaptive  routing.Adaptive  // nil where the function leaves no choice
	Datelined routing.Datelined // nil where channels need not be in halves
}

// PortName names a port of a router in messages.
func (s *Setup) PortName(port int) string {
	if s.Grid == nil {
		return strconv.Itoa(port)
	}
	return s.Grid.PortName(port)
}

// ChannelName names a virtual channel of an input in messages.
func (s *Setup) ChannelName(input, channel int) string {
	return fmt.Sprintf("input %s channel %d", s.PortName(input), channel)
}

// OnGrid returns the setup of a network on a grid, or tells what does not fit.
func (c Config) OnGrid(g topology.Grid, planner dispatch.Planner) (s Setup, err error) {
	if err := c.Validate(g); err != nil {
		return s, err
	}
	s = Setup{Wiring: g.Wiring(), Grid: &g, Ports: g.Ports(), Parts: c.Parts(g)}
	if c.Routing == Labels {
		if s.Function, err = routing.SnakeLabels(g, s.Wiring); err != nil {
			return s, err
		}
	}
	return s, c.checkStops(planner)
}

// OnWiring returns the setup of a network on any wiring with a routing function, or tells what does
// not fit. The function must be free of deadlock with one channel per link and class, or with two if
// it is datelined. Where it leaves a choice, a header takes, when its route is computed, the first
// permitted output with a virtual channel free for it, or else the first.
func (c Config) OnWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (Setup, error) {
	s := Setup{Wiring: w, Ports: w.Ports(), Parts: 1, Function: r}
	s.Adaptive, _ = r.(routing.Adaptive)
	if s.Datelined, _ = r.(routing.Datelined); s.Datelined != nil {
		s.Parts = 2
	}
	if err := c.ValidateSize(w.Name, w.Routers, s.Ports, s.Parts); err != nil {
		return s, err
	}
	if !dispatch.OneStop(planner) && !w.Direct() {
		return s, fmt.Errorf("wormhole: worms with several stops need a node at every router, unlike %s", w.Name)
	}
	return s, c.checkStops(planner)
}

// checkStops reports whether worms of a planner can hand over copies while they pass.
func (c Config) checkStops(planner dispatch.Planner) error {
	if !dispatch.OneStop(planner) && !c.EjectionPerInput {
		return fmt.Errorf("wormhole: ejection_per_input is off; worms with several stops hand over copies while they pass, so switch it on")
	}
	return nil
}

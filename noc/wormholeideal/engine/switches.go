package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// switches are the ways through a multistage network, with tables for what topology.Multistage
// computes.
type switches struct {
	topology.Multistage
	setup  *wormholeideal.Setup
	rows   int32
	powers []int32 // of the arity
}

func newSwitches(of *wormholeideal.Setup) *switches {
	m := *of.Stages
	s := &switches{Multistage: m, setup: of, rows: int32(m.Rows())}
	for p := int32(1); len(s.powers) <= m.Stages; p *= int32(m.Arity) {
		s.powers = append(s.powers, p)
	}
	return s
}

// stage returns the stage of a switch.
func (s *switches) stage(router int32) int32 { return router / s.rows }

// lastStage reports whether the nodes are behind the outputs of a stage.
func (s *switches) lastStage(stage int32) bool {
	if s.Bidirectional {
		return stage == 0
	}
	return stage == int32(s.Stages)-1
}

// sameOutput reports whether two destinations are behind the same output of a switch; there is
// one output per node behind the last stage.
func (s *switches) sameOutput(stage int32, a, b noc.NodeID) bool {
	return a == b || !s.lastStage(stage) && s.output(stage, a) == s.output(stage, b)
}

// output returns the port of a switch towards a destination, once it is decided by that alone.
func (s *switches) output(stage int32, d noc.NodeID) int32 {
	digit := stage
	if !s.Bidirectional {
		digit = int32(s.Stages) - 1 - stage
	}
	return int32(d) / s.powers[digit] % int32(s.Arity)
}

// queue returns the queue for the output of a switch towards a destination.
func (s *switches) queue(router int32, d noc.NodeID) int32 {
	stage := s.stage(router)
	if s.lastStage(stage) {
		return s.setup.Exits[d]
	}
	return s.queueOf(router, s.output(stage, d))
}

// upwards returns the queue for the outputs up from a switch.
func (s *switches) upwards(router int32) int32 { return s.queueOf(router, int32(s.Arity)) }

func (s *switches) queueOf(router, port int32) int32 {
	r := s.setup
	return r.Channels[r.Outputs[int(router)*r.Ports+int(port)]].Queue
}

// turn returns the stage up to which a worm from a node to ascending stops climbs.
func (s *switches) turn(from noc.NodeID, stops []noc.NodeID) int32 {
	return int32(s.TurnStage(from, stops[0], stops[len(stops)-1]))
}

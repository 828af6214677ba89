package wormholeideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Switches are the ways through a multistage network whose switches replicate, with tables for what
// topology.Multistage computes.
type Switches struct {
	topology.Multistage
	resources *Resources
	rows      int32
	powers    []int32 // of the arity
}

func newSwitches(m topology.Multistage, r *Resources) *Switches {
	s := &Switches{Multistage: m, resources: r, rows: int32(m.Rows())}
	for p := int32(1); len(s.powers) <= m.Stages; p *= int32(m.Arity) {
		s.powers = append(s.powers, p)
	}
	return s
}

// StageOf returns the stage of a switch.
func (s *Switches) StageOf(router int32) int32 { return router / s.rows }

// LastStage reports whether the nodes are behind the outputs of a stage.
func (s *Switches) LastStage(stage int32) bool {
	if s.Bidirectional {
		return stage == 0
	}
	return stage == int32(s.Stages)-1
}

// SameOutput reports whether two destinations are behind the same output of a switch; there is
// one output per node behind the last stage.
func (s *Switches) SameOutput(stage int32, a, b noc.NodeID) bool {
	return a == b || !s.LastStage(stage) && s.output(stage, a) == s.output(stage, b)
}

// output returns the port of a switch towards a destination, once it is decided by that alone.
func (s *Switches) output(stage int32, d noc.NodeID) int32 {
	digit := stage
	if !s.Bidirectional {
		digit = int32(s.Stages) - 1 - stage
	}
	return int32(d) / s.powers[digit] % int32(s.Arity)
}

// Towards returns the queue for the output of a switch towards a destination.
func (s *Switches) Towards(router int32, d noc.NodeID) int32 {
	stage := s.StageOf(router)
	if s.LastStage(stage) {
		return s.resources.Exits[d]
	}
	return s.queueOf(router, s.output(stage, d))
}

// Upwards returns the queue for the outputs up from a switch.
func (s *Switches) Upwards(router int32) int32 { return s.queueOf(router, int32(s.Arity)) }

func (s *Switches) queueOf(router, port int32) int32 {
	r := s.resources
	return r.Channels[r.Outputs[int(router)*r.Ports+int(port)]].Queue
}

// Turn returns the stage up to which a worm from a node to ascending stops climbs.
func (s *Switches) Turn(from noc.NodeID, stops []noc.NodeID) int32 {
	return int32(s.TurnStage(from, stops[0], stops[len(stops)-1]))
}

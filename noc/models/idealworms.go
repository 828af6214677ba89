package models

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
	idealengine "github.com/carousel-sim/carousel/noc/wormholeideal/engine"
)

// Worms is a network of ideal worms, for studies that choose more about it than Options say.
type Worms interface {
	noc.Network
	// Deadlock lists headers that wait for each other in a circle and can never move; it is empty
	// when every header has a way out.
	Deadlock() []noc.Stuck
	// Releases counts the tokens that switches have given back, where switches replicate worms.
	Releases() wormholeideal.Releases
}

// NewWorms builds a network of ideal worms on any wiring, in its plain or its fast form.
func NewWorms(w *topology.Wiring, c wormholeideal.Config, r routing.Function, planner dispatch.Planner, plain bool) (Worms, error) {
	if plain {
		return worms(wormholeideal.New(w, c, r, planner))
	}
	return worms(idealengine.New(w, c, r, planner))
}

// NewWormsOnGrid builds one on a mesh or torus.
func NewWormsOnGrid(g topology.Grid, c wormholeideal.Config, planner dispatch.Planner, plain bool) (Worms, error) {
	if plain {
		return worms(wormholeideal.NewGrid(g, c, planner))
	}
	return worms(idealengine.NewGrid(g, c, planner))
}

// NewWormsOnStages builds one on a multistage network whose switches replicate worms.
func NewWormsOnStages(m topology.Multistage, c wormholeideal.Config, planner dispatch.Planner, plain bool) (Worms, error) {
	if plain {
		return worms(wormholeideal.NewStages(m, c, planner))
	}
	return worms(idealengine.NewStages(m, c, planner))
}

// worms turns a network into Worms, and none into nil.
func worms[N Worms](n N, err error) (Worms, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

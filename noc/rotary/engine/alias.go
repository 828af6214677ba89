package engine

import "github.com/carousel-sim/carousel/noc/rotary"

// The configuration is that of the plain router.
type (
	Config = rotary.Config
	Scheme = rotary.Scheme
	Scope  = rotary.Scope
)

const (
	Replicate  = rotary.Replicate
	Adaptive   = rotary.Adaptive
	Tree       = rotary.Tree
	Path       = rotary.Path
	StageScope = rotary.StageScope
	LaneScope  = rotary.LaneScope
	RoundRobin = rotary.RoundRobin
	Priority   = rotary.Priority

	// Numbers of packets of one input on the rings between which rule 26 changes.
)

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

	maxSlotPhits      = 24
	referencePorts    = 5
	referenceSlots    = 40
	hysteresisTight   = 4
	hysteresisRelaxed = 6
)

func DefaultRR() Config  { return rotary.DefaultRR() }
func DefaultMRR() Config { return rotary.DefaultMRR() }

func scaled(value, count, reference int) int { return (2*value*count + reference) / (2 * reference) }

package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

const none = controller.None

// agent is what the three kinds of controllers have in common.
type agent struct {
	controller.Agent
	p *Protocol
}

func (p *Protocol) newAgent(r coherence.Role, index int) agent {
	return agent{controller.NewAgent(&p.Chip, r, index), p}
}

// message returns a message of a kind, with the data if the kind carries any.
func message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	return description.Message(kind, b, v, core)
}

package msi

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Mistakes that can be seeded, to see that the checks find them. In a run there is none.
const (
	noDefect uint8 = iota
	keepCopy
	grantEarly
	forgetReader
	answerEarly
	forgetDirty
	forgetSharers
	skipAck
	forgetEvicted
	defects
)

var defectList = [defects]coherence.Defect{
	keepCopy:      {Name: "keep-copy", Breaks: "an L1 answers an invalidation and keeps its copy"},
	grantEarly:    {Name: "grant-early", Breaks: "a home grants a block after the first answer instead of the last"},
	forgetReader:  {Name: "forget-reader", Breaks: "a reader is not listed as a sharer"},
	answerEarly:   {Name: "answer-early", Breaks: "a home serves a reader with the data it has instead of asking the owner"},
	forgetDirty:   {Name: "forget-dirty", Breaks: "data that comes home is taken for clean"},
	forgetSharers: {Name: "forget-sharers", Breaks: "a shared block leaves the bank without a word to the sharers"},
	skipAck: {Name: "skip-ack", Breaks: "a block is read again before memory has acknowledged its data",
		Trap: "messages are taken to arrive in the order sent"},
	forgetEvicted: controller.ForgetEvicted,
}

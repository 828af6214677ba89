package directory

import (
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Mistakes that can be seeded to see the checks find them. In a run there is none.
const (
	noDefect uint8 = iota
	ackWhileBusy
	keepOvertaken
	keepOnce
	serveLate
	trustStale
	upgradeDataless
	dropAck
	countTwice
	writeEarly
	unblockEarly
	forgetOwner
	forgetReader
	forgetDirty
	forgetRecall
	skipAck
	askAgain
	invalidateSelf
	forwardEvicted
	answerEarly
	forgetEvicted
	defects
)

const (
	trapPutAck   = "8: an eviction is acknowledged while a forward to its sender is under way"
	trapStalePut = "9: a stale eviction or upgrade is processed as if it were current"
	trapOvertake = "10: messages are taken to arrive in the order sent"
)

var defectList = [defects]coherence.Defect{
	ackWhileBusy: {Name: "ack-while-busy", Breaks: "an eviction of a busy block is acknowledged at once", Trap: trapPutAck},
	keepOvertaken: {Name: "keep-overtaken", Trap: trapOvertake,
		Breaks: "an invalidation that overtakes data leaves the L1 waiting as if nothing had come"},
	keepOnce:        {Name: "keep-once", Breaks: "data that an invalidation has overtaken stays readable", Trap: trapOvertake},
	serveLate:       {Name: "serve-late", Breaks: "data that an invalidation has overtaken serves accesses made after it"},
	trustStale:      {Name: "trust-stale", Breaks: "the home takes evicted data from anybody", Trap: trapStalePut},
	upgradeDataless: {Name: "upgrade-dataless", Breaks: "an upgrade is always answered without data", Trap: trapStalePut},
	dropAck:         {Name: "drop-ack", Breaks: "a sharer that evicts does not acknowledge an invalidation"},
	countTwice:      {Name: "count-twice", Breaks: "an acknowledgement that comes before the count counts as two", Trap: trapOvertake},
	writeEarly:      {Name: "write-early", Breaks: "a writer does not wait for acknowledgements"},
	unblockEarly:    {Name: "unblock-early", Breaks: "a writer unblocks the home before all acknowledgements have come"},
	forgetOwner:     {Name: "forget-owner", Breaks: "an owner that has answered a reader is not listed as sharer"},
	forgetReader:    {Name: "forget-reader", Breaks: "a reader served by the bank is not listed as sharer"},
	forgetDirty:     {Name: "forget-dirty", Breaks: "data that comes home from an owner is taken for clean"},
	forgetRecall:    {Name: "forget-recall", Breaks: "a shared block is given up without telling the sharers"},
	skipAck:         {Name: "skip-ack", Breaks: "a block is free before memory has acknowledged its data", Trap: trapOvertake},
	askAgain:        {Name: "ask-again", Breaks: "an L1 asks for a block that it is still evicting", Trap: trapStalePut},
	invalidateSelf:  {Name: "invalidate-self", Breaks: "the requestor is among those it makes the home invalidate"},
	forwardEvicted:  {Name: "forward-evicted", Breaks: "an evicted owner that has given the block away answers as if it still had it"},
	answerEarly:     {Name: "answer-early", Breaks: "a home serves a reader with the data it has instead of asking the owner"},
	forgetEvicted:   controller.ForgetEvicted,
}

// Defects lists the mistakes that can be seeded.
func Defects() []coherence.Defect { return slices.Clone(defectList[1:]) }

var _ coherence.Defective = (*Protocol)(nil)

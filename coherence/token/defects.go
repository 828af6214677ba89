package token

import (
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Mistakes that can be seeded to see the checks find them. In a run there is none.
const (
	noDefect uint8 = iota
	extraToken
	dropOrphan
	keepValid
	trustTokens
	unordered
	payFirst
	forgetEnd
	promiseTwice
	trustMemory
	forgetPayment
	deafMemory
	refuseRead
	loseDuring
	forgetTimer
	forgetEvicted
	defects
)

var defectList = [defects]coherence.Defect{
	extraToken: {Name: "extra-token", Breaks: "a response carries one token more than was taken"},
	dropOrphan: {Name: "drop-orphan", Breaks: "tokens that no miss waits for are lost",
		Trap: "3: tokens for a block without frame or miss are dropped"},
	keepValid: {Name: "keep-valid", Breaks: "the valid bit survives the last token",
		Trap: "5: the valid bit survives the loss of the last token"},
	trustTokens: {Name: "trust-tokens", Breaks: "tokens without data make a line valid",
		Trap: "5: the valid bit survives the loss of the last token"},
	unordered: {Name: "unordered", Breaks: "persistent messages are not sent in order",
		Trap: "1: the end of a persistent request overtakes its start"},
	payFirst: {Name: "pay-first", Breaks: "a starver is paid before the own satisfied access completes",
		Trap: "7: the starver is paid before the own access, or the next one not at all"},
	forgetEnd: {Name: "forget-end", Breaks: "a persistent request that ordinary tokens satisfied is never ended",
		Trap: "2: a starver that ordinary tokens satisfy does not end its request"},
	promiseTwice: {Name: "promise-twice", Breaks: "memory gives tokens away that a read under way is to take along",
		Trap: "6: a pending read promises the same tokens twice"},
	trustMemory: {Name: "trust-memory", Breaks: "a clean owner token that meets a starver at memory is sent on without data",
		Trap: "4: the owner token travels without data"},
	forgetPayment: {Name: "forget-payment", Breaks: "the end of a persistent request does not make its receiver pay the next starver",
		Trap: "7: the starver is paid before the own access, or the next one not at all"},
	deafMemory: {Name: "deaf-memory", Breaks: "memory does not pay persistent requests"},
	refuseRead: {Name: "refuse-read", Breaks: "a cache with the owner token does not pay a persistent read"},
	loseDuring: {Name: "lose-during", Breaks: "tokens that come home while memory is being read are lost",
		Trap: "6: tokens that come home during a read are lost"},
	forgetTimer:   {Name: "forget-timer", Breaks: "a request without an answer is never issued again"},
	forgetEvicted: controller.ForgetEvicted,
}

// Defects lists the mistakes that can be seeded.
func Defects() []coherence.Defect { return slices.Clone(defectList[1:]) }

var _ coherence.Defective = (*Protocol)(nil)

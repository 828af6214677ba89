package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Protocol makes the controllers of one chip and holds what they share: the configuration and the
// transition counters. It belongs to one goroutine.
type Protocol struct {
	controller.Chip
	config Config
	tokens int16
	seed   uint64

	evictData bool // EvictShared
	givesAll  bool // BankGives

	// Kept once for all L1s, so that it stays in the host's first cache.
	starving []int32 // per core: open persistent requests that its L1 knows of
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs
// per core. It panics on arguments that Validate and TokensFor refuse.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	tokens, err := c.TokensFor(s.Cores)
	for _, e := range []error{err, c.Validate()} {
		if e != nil {
			panic(fmt.Sprintf("token: %v", e))
		}
	}
	return &Protocol{
		Chip:   controller.NewChip(&Description, s, l1, l2, mshrs, newHitTable(c), &stateOf, func(mark byte) bool { return mark == 'x' }),
		config: c, tokens: int16(tokens), seed: s.Seed, starving: make([]int32, s.Cores),
		evictData: c.EvictShared == "data", givesAll: c.BankGives == "all",
	}
}

var _ coherence.Protocol = (*Protocol)(nil)

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

var _ coherence.Defective = (*Protocol)(nil)

// Preload puts a block into the L1. The owner gets the tokens that no other cache needs.
func (c *l1) Preload(r *coherence.Resident, array int) {
	l := c.line(c.Enter(array, r.Block))
	l.State, l.Count = valid, 1
	if r.Owner != int(c.Self.Index) {
		return
	}
	l.Count = c.p.tokens - int16(r.Holders.Count()-1)
	l.own(r)
	if l.Count == c.p.tokens {
		l.State |= all
		if r.Modified && r.OwnerWrote {
			l.State |= wrote
		}
	}
}

// own gives a line the owner token.
func (l *line) own(r *coherence.Resident) {
	l.State |= owner
	if r.Modified {
		l.State |= dirty
	}
}

// Preload puts a block into the bank, unless an L1 has all tokens that it could have.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	if r.Owner != coherence.HomeOwner {
		return
	}
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	l := &k.lines[f]
	l.State, l.Count = valid, k.p.tokens-int16(r.Holders.Count())
	l.own(r)
	if l.Count == k.p.tokens {
		l.State |= all
	}
}

// Preload takes all tokens of a block away, because caches have them.
func (d *memory) Preload(r *coherence.Resident, _ int) { d.records.Get(r.Block).line = line{} }

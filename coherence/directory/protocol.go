package directory

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
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs
// per core. It panics on arguments that Validate refuses.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("directory: %v", err))
	}
	return &Protocol{controller.NewChip(&Description, s, l1, l2, mshrs, newHitTable(), nil, c.legal), c}
}

// legal reports whether a mark of the transition tables stands for a legal pair.
func (c Config) legal(mark byte) bool {
	return mark == 'x' || mark == '*' && c.SilentS || mark == '+' && !c.SilentS
}

// NewMemory returns a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController {
	return controller.NewMemory(&p.Chip, index, controller.MemoryKinds{Read: MemRd, Write: MemWr, Data: MemData, Ack: MemAck, Reply: MemoryReply})
}

var _ coherence.Protocol = (*Protocol)(nil)

// Limits of a Config.
const (
	MaxTransactions = 256
	MaxStalled      = 1024
	MaxWriteBacks   = 256
)

// Config is the choice of everything the protocol leaves open. It never decides correctness, only
// speed.
type Config struct {
	// SilentS lets an L1 drop a read-only block without telling the home, whose set of sharers then
	// only bounds the true one: fewer messages, more invalidations.
	SilentS bool `doc:"let L1s drop read-only blocks without telling the home"`
	// Transactions is how many blocks of a bank may be busy at once.
	Transactions int `unit:"blocks" doc:"blocks of an L2 bank that may be busy at once"`
	// StallQueue is how many requests may wait in a bank. When it is full the bank takes no more of
	// them.
	StallQueue int `unit:"requests" doc:"requests that may wait in an L2 bank"`
	// WriteBacks is how many evicted blocks of an L1 may wait for the home's acknowledgement.
	WriteBacks int `unit:"blocks" doc:"evicted blocks of an L1 that may wait for the home's acknowledgement"`
}

// Default returns the configuration of this project's experiments.
func Default() Config { return Config{Transactions: 16, StallQueue: 32, WriteBacks: 16} }

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	for _, r := range []struct {
		key          string
		value, limit int
	}{
		{"transactions", c.Transactions, MaxTransactions},
		{"stall_queue", c.StallQueue, MaxStalled},
		{"write_backs", c.WriteBacks, MaxWriteBacks},
	} {
		if r.value < 1 || r.value > r.limit {
			return fmt.Errorf("directory.%s is %d; 1 to %d are allowed", r.key, r.value, r.limit)
		}
	}
	return nil
}

// Harden draws options with small queues and buffers, for random tests. below(n) is a random number
// from 0 to n-1.
func (c *Config) Harden(below func(n int) int) {
	c.SilentS = below(2) == 0
	c.Transactions = [...]int{16, 2, 1}[below(3)]
	c.StallQueue = [...]int{32, 4, 1}[below(3)]
	c.WriteBacks = [...]int{16, 2, 1}[below(3)]
}

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
	forgetPut
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
	forgetPut:       {Name: "forget-put", Breaks: "data that an owner evicts is taken for clean"},
	forgetRecall:    {Name: "forget-recall", Breaks: "a shared block is given up without telling the sharers"},
	skipAck:         {Name: "skip-ack", Breaks: "a block is free before memory has acknowledged its data", Trap: trapOvertake},
	askAgain:        {Name: "ask-again", Breaks: "an L1 asks for a block that it is still evicting", Trap: trapStalePut},
	invalidateSelf:  {Name: "invalidate-self", Breaks: "the requestor is among those it makes the home invalidate"},
	forwardEvicted:  {Name: "forward-evicted", Breaks: "an evicted owner that has given the block away answers as if it still had it"},
	answerEarly:     {Name: "answer-early", Breaks: "a home serves a reader with the data it has instead of asking the owner"},
	forgetEvicted:   controller.ForgetEvicted,
}

var _ coherence.Defective = (*Protocol)(nil)

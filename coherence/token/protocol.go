package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
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

	tables []*activations // of the L1s
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
		config: c, tokens: int16(tokens), seed: s.Seed, starving: make([]int32, s.Cores), tables: make([]*activations, s.Cores),
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
	forgetDirty
	yieldOwner
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
	forgetTimer: {Name: "forget-timer", Breaks: "a request without an answer is never issued again"},
	forgetDirty: {Name: "forget-dirty", Breaks: "data that leaves a writer is taken for clean"},
	yieldOwner: {Name: "yield-owner",
		Breaks: "a writer with the owner token that waits for the others gives its tokens to another writer"},
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
func (d *memory) Preload(r *coherence.Resident, _ int) {
	if d.away == nil {
		t := blocktable.New[coherence.Block](struct{}{})
		d.away = &t
	}
	d.away.Get(r.Block)
}

// CopyFrom fills the bank like another one.
func (k *bank) CopyFrom(filled coherence.Controller) {
	from := filled.(*bank)
	k.array.CopyFrom(&from.array)
	copy(k.lines, from.lines)
}

// CopyFrom fills the memory controller like another one, which is not filled any more.
func (d *memory) CopyFrom(filled coherence.Controller) { d.away = filled.(*memory).away }

// MaxTokens bounds the tokens per block, so that counts fit a message.
const MaxTokens = 1 << 14

// maxTimeout bounds the timeout, so that a mean of times is an integer.
const maxTimeout = 1 << 40

// Config is the choice of everything the protocol leaves open. It never decides correctness, only
// speed.
type Config struct {
	// Tokens per block. There must be one more than cores, because every L1 and the home bank may
	// hold a readable copy; spare ones make it rare that an owner has none to give. 0 takes twice
	// the number of cores rounded up to a power of two, at least 32: 32 for the paper's 16 cores.
	Tokens int `unit:"tokens" doc:"tokens per block, more than cores; 0 means the smallest power of two that is at least 32 and at least twice the cores"`
	// Timeout is the time from when the last copy of a request has left the interface to its
	// re-issue, without Adaptive. The paper's is fixed (section 4.2), but it prints no value. The
	// default is longer than a read of memory in an empty network takes.
	Timeout noc.Cycle `unit:"cycles" doc:"timeout of a request without chip.token.adaptive, from when it has left the interface; the MRR paper has a fixed timeout and does not say which. A timeout far below the time of an answer floods networks that hold no packet back, such as rr-tree: misses whose requests are used up repeat them until they may become persistent"`
	// With Adaptive, the timeout follows the times of answers (cache.go), from AdaptiveStart up to
	// AdaptiveHigh, and re-issues back off at random, as in TokenB (Martin, Hill and Wood, ISCA
	// 2003). The default start belongs to answers of 64 cycles: in an empty network a miss that is
	// answered on the chip takes 51 cycles on ideal and 69 on base-mc.
	Adaptive      bool      `doc:"adapt the timeout: mean time of answers plus four mean deviations, with random exponential backoff. The MRR paper has a fixed timeout of unknown length; adaptive is the default, so that none has to be guessed"`
	AdaptiveStart noc.Cycle `unit:"cycles" doc:"adaptive timeout before a core's first answer; each answer then changes the estimate"`
	AdaptiveHigh  noc.Cycle `unit:"cycles" doc:"longest adaptive timeout, before backoff"`
	// Jitter is the largest random delay added to the fixed timeout of a re-issue, against requests
	// that collide in lock step.
	Jitter noc.Cycle `unit:"cycles" doc:"largest random delay added to the fixed timeout of a re-issue"`
	// Issues is how many requests a miss sends before it turns persistent; 0 makes every miss
	// persistent.
	Issues int `unit:"requests" doc:"requests before a miss turns persistent; 0 makes every miss persistent"`
	// Hold is how long a cache that has just completed a miss ignores transient requests for the
	// block.
	Hold noc.Cycle `unit:"cycles" doc:"time for which a cache ignores transient requests after completing a miss"`
	// EvictShared says what a cache sends with the tokens of an evicted read-only block: "data", so
	// that the L2 works as a victim cache, or "tokens" alone.
	EvictShared string `choices:"data,tokens" doc:"message of an evicted read-only block: data (tokens with data) or tokens"`
	// AtomicMigrates lets a read-modify-write mark a block as migratory, as a store does: the next
	// reader then gets it writable.
	AtomicMigrates bool `doc:"treat blocks of read-modify-writes as migratory"`
	// BankGives says what a bank that holds all tokens answers a load with: "all", because no L1
	// has the block, or "one" token, as in GEMS.
	BankGives string `choices:"all,one" doc:"tokens that a bank with all tokens sends to a load: all or one"`
}

// Default returns the configuration of the MRR paper's experiments with the choices of this project
// where the paper is silent.
func Default() Config {
	return Config{
		Timeout: 512, Adaptive: true, AdaptiveStart: 192, AdaptiveHigh: 1 << 16, Jitter: 31, Issues: 4,
		EvictShared: "data", AtomicMigrates: true, BankGives: "all",
	}
}

// TokensFor returns the number of tokens per block on a chip with the given number of cores.
func (c Config) TokensFor(cores int) (int, error) {
	if c.Tokens == 0 {
		n := 32
		for n < 2*cores {
			n *= 2
		}
		return n, nil
	}
	if c.Tokens <= cores {
		return 0, fmt.Errorf("chip.token.tokens is %d; %d cores need at least %d, or 0 for the default number",
			c.Tokens, cores, cores+1)
	}
	return c.Tokens, nil
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	if c.Tokens < 0 || c.Tokens > MaxTokens {
		return fmt.Errorf("token.tokens is %d; 0 to %d are allowed", c.Tokens, MaxTokens)
	}
	if c.Timeout < 1 || c.Timeout > maxTimeout {
		return fmt.Errorf("token.timeout is %d; 1 to %d are allowed", c.Timeout, maxTimeout)
	}
	if c.Adaptive && c.Timeout != Default().Timeout {
		return fmt.Errorf("token.timeout is %d and has no effect with token.adaptive; leave it out, or set token.adaptive to false", c.Timeout)
	}
	if c.AdaptiveStart < 1 || c.AdaptiveStart > maxTimeout {
		return fmt.Errorf("token.adaptive_start is %d; 1 to %d are allowed", c.AdaptiveStart, maxTimeout)
	}
	if c.AdaptiveHigh < c.AdaptiveStart || c.AdaptiveHigh > maxTimeout {
		return fmt.Errorf("token.adaptive_high is %d; token.adaptive_start, which is %d, to %d are allowed", c.AdaptiveHigh, c.AdaptiveStart, maxTimeout)
	}
	if c.Issues < 0 || c.Issues > 255 {
		return fmt.Errorf("token.issues is %d; 0 to 255 are allowed", c.Issues)
	}
	if c.EvictShared != "data" && c.EvictShared != "tokens" {
		return fmt.Errorf("token.evict_shared is %q; data and tokens are allowed", c.EvictShared)
	}
	if c.BankGives != "all" && c.BankGives != "one" {
		return fmt.Errorf("token.bank_gives is %q; all and one are allowed", c.BankGives)
	}
	return nil
}

// Harden draws options with short timeouts and few tokens, for random tests of a chip with that
// number of cores. below(n) is a random number from 0 to n-1.
func (c *Config) Harden(cores int, below func(n int) int) {
	c.Timeout = [...]noc.Cycle{512, 512, 60, 20}[below(4)]
	c.Issues = [...]int{4, 4, 1, 0}[below(4)]
	c.EvictShared = [...]string{"data", "tokens"}[below(2)]
	c.BankGives = [...]string{"all", "one"}[below(2)]
	c.Hold = [...]noc.Cycle{0, 0, 50}[below(3)]
	c.Tokens = [...]int{0, cores + 1}[below(2)]
	c.AtomicMigrates = below(3) > 0
	c.AdaptiveStart, c.AdaptiveHigh = c.Timeout, 1000
	if c.Adaptive = below(4) == 0; c.Adaptive {
		c.Timeout = Default().Timeout
	}
}

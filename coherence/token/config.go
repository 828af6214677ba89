package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// MaxTokens bounds the tokens per block, so that counts fit a message.
const MaxTokens = 1 << 14

// Config is the choice of everything the protocol leaves open. It never decides correctness, only
// speed.
type Config struct {
	// Tokens per block. There must be one more than cores, because every L1 and the home bank may
	// hold a readable copy; spare ones make it rare that an owner has none to give. 0 takes twice
	// the number of cores rounded up to a power of two, at least 32: 32 for the paper's 16 cores.
	Tokens int `unit:"tokens" doc:"tokens per block; 0 lets the chip choose"`
	// Timeout is the cycles from a request to its re-issue. With Adaptive it is only the start:
	// then the timeout is 1.5 times a running mean (weight 1/8) of the misses that the first
	// request satisfied, kept from AdaptiveLow to AdaptiveHigh.
	Timeout      noc.Cycle `unit:"cycles" doc:"time from a request to its re-issue"`
	Adaptive     bool      `doc:"let the timeout follow the measured miss latency"`
	AdaptiveLow  noc.Cycle `unit:"cycles" doc:"shortest adaptive timeout"`
	AdaptiveHigh noc.Cycle `unit:"cycles" doc:"longest adaptive timeout"`
	// Jitter is the largest random delay added to the timeout of a re-issue, against requests that
	// collide in lock step.
	Jitter noc.Cycle `unit:"cycles" doc:"largest random delay added to the timeout of a re-issue"`
	// Issues is how many requests a miss sends before it turns persistent; 0 makes every miss
	// persistent.
	Issues int `unit:"requests" doc:"requests before a miss turns persistent; 0 makes every miss persistent"`
	// Hold is how long a cache that has just completed a miss ignores transient requests for the
	// block.
	Hold noc.Cycle `unit:"cycles" doc:"time for which a cache ignores transient requests after completing a miss"`
	// EvictShared says what a cache sends with the tokens of an evicted read-only block: "data", so
	// that the L2 works as a victim cache, or "tokens" alone.
	EvictShared string `choices:"data,tokens" doc:"what travels with the tokens of an evicted read-only block: data or tokens"`
	// AtomicMigrates lets a read-modify-write mark a block as migratory, as a store does: the next
	// reader then gets it writable.
	AtomicMigrates bool `doc:"a read-modify-write marks its block as migratory"`
	// BankGives says what a bank that holds all tokens answers a load with: "all", because nobody
	// else has the block, or "one" token, as GEMS does.
	BankGives string `choices:"all,one" doc:"what a bank with all tokens answers a load with: all or one"`
}

// Default returns the configuration of the MRR paper's experiments with the choices of this project
// where the paper is silent.
func Default() Config {
	return Config{
		Timeout: 512, AdaptiveLow: 128, AdaptiveHigh: 4096, Jitter: 31, Issues: 4,
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
		return 0, fmt.Errorf("token.tokens is %d; %d cores need at least %d, or 0 to let the chip choose",
			c.Tokens, cores, cores+1)
	}
	return c.Tokens, nil
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	if c.Tokens < 0 || c.Tokens > MaxTokens {
		return fmt.Errorf("token.tokens is %d; 0 to %d are allowed", c.Tokens, MaxTokens)
	}
	if c.Timeout < 1 {
		return fmt.Errorf("token.timeout is %d; at least 1 cycle is allowed", c.Timeout)
	}
	if c.Adaptive && (c.AdaptiveLow < 1 || c.AdaptiveLow > c.AdaptiveHigh) {
		return fmt.Errorf("token.adaptive_low is %d and token.adaptive_high %d; 1 <= low <= high is allowed",
			c.AdaptiveLow, c.AdaptiveHigh)
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

// Harden draws options with which the protocol is impatient and has few tokens, for random tests of
// a chip with some cores. below(n) is a random number from 0 to n-1.
func (c *Config) Harden(cores int, below func(n int) int) {
	c.Timeout = [...]noc.Cycle{512, 512, 60, 20}[below(4)]
	c.Issues = [...]int{4, 4, 1, 0}[below(4)]
	c.EvictShared = [...]string{"data", "tokens"}[below(2)]
	c.BankGives = [...]string{"all", "one"}[below(2)]
	c.Hold = [...]noc.Cycle{0, 0, 50}[below(3)]
	c.Tokens = [...]int{0, cores + 1}[below(2)]
	c.AtomicMigrates = below(3) > 0
	if below(4) == 0 {
		c.Adaptive, c.AdaptiveLow = true, 20
	}
}

// WaitBound returns the cycles that no miss may exceed while all cores want one block. A miss sends
// its transient requests in vain, each up to a time-out and its jitter, and then a persistent one.
// While its activation flies, every other core may be served once without knowing of it; of those
// who know, each comes first once at most, because who has been served marks the others and lets
// them go first. So there are 2(N-1) services before its own, each an activation, the tokens and a
// deactivation.
func (c Config) WaitBound(x coherence.Contention) noc.Cycle {
	return noc.Cycle(c.Issues)*(c.Timeout+c.Jitter) + (2*(noc.Cycle(x.Cores)-1)+1)*x.Service + x.Memory
}

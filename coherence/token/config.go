package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// MaxTokens bounds the tokens per block, so that counts fit a message.
const MaxTokens = 1 << 14

// Config is the choice of everything the protocol leaves open. It never decides correctness, only speed.
type Config struct {
	// Tokens per block. There must be one more than cores, because every L1 and the home bank may hold
	// a readable copy; spare ones make it rare that an owner has none to give. 0 takes twice the number
	// of cores rounded up to a power of two, at least 32: 32 for the paper's 16 cores.
	Tokens int
	// Timeout is the cycles from a request to its re-issue. With Adaptive it is only the start: then
	// the timeout is 1.5 times a running mean (weight 1/8) of the misses that the first request
	// satisfied, kept from AdaptiveLow to AdaptiveHigh.
	Timeout                   noc.Cycle
	Adaptive                  bool
	AdaptiveLow, AdaptiveHigh noc.Cycle
	// Jitter is the largest random delay added to the timeout of a re-issue, against requests that
	// collide in lock step.
	Jitter noc.Cycle
	// Issues is how many requests a miss sends before it turns persistent; 0 makes every miss
	// persistent.
	Issues int
	// Hold is how long a cache that has just completed a miss ignores transient requests for the block.
	Hold noc.Cycle
	// EvictShared says what a cache sends with the tokens of an evicted read-only block: "data", so
	// that the L2 works as a victim cache, or "tokens" alone.
	EvictShared string
	// AtomicMigrates lets a read-modify-write mark a block as migratory, as a store does: the next
	// reader then gets it writable.
	AtomicMigrates bool
	// BankGives says what a bank that holds all tokens answers a load with: "all", because nobody else
	// has the block, or "one" token, as GEMS does.
	BankGives string
}

// Default is the configuration of the MRR paper's experiments with the choices of this project where the
// paper is silent.
func Default() Config {
	return Config{
		Timeout: 512, AdaptiveLow: 128, AdaptiveHigh: 4096, Jitter: 31, Issues: 4,
		EvictShared: "data", AtomicMigrates: true, BankGives: "all",
	}
}

// TokensFor is the number of tokens per block on a chip with the given number of cores.
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

// Validate tells what is wrong with a configuration, naming the key.
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

package directory

import "fmt"

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

// Harden draws options with which the protocol is short of everything, for random tests. below(n)
// is a random number from 0 to n-1.
func (c *Config) Harden(below func(n int) int) {
	c.SilentS = below(2) == 0
	c.Transactions = [...]int{16, 2, 1}[below(3)]
	c.StallQueue = [...]int{32, 4, 1}[below(3)]
	c.WriteBacks = [...]int{16, 2, 1}[below(3)]
}

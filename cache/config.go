package cache

import "fmt"

// Policy says which frame of a full set is given up.
type Policy uint8

// The replacement policies.
const (
	LRU      Policy = iota // the least recently used way, exactly
	TreePLRU               // tree pseudo-LRU: one bit per inner node of a binary tree over the ways
	policies
)

var policyNames = [policies]string{LRU: "lru", TreePLRU: "tree-plru"}

// String returns the policy's name in configuration files and tables.
func (p Policy) String() string {
	if p >= policies {
		return fmt.Sprintf("policy %d", uint8(p))
	}
	return policyNames[p]
}

// MarshalText writes the policy's name.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a policy's name.
func (p *Policy) UnmarshalText(text []byte) error {
	for q, name := range policyNames {
		if string(text) == name {
			*p = Policy(q)
			return nil
		}
	}
	return fmt.Errorf("policy is %q; %s and %s are allowed", text, LRU, TreePLRU)
}

// Limits of a Config.
const (
	MaxSets = 1 << 24
	MaxWays = 64
)

// Config is the shape of one set-associative array.
type Config struct {
	// A set is chosen by address bits, so their number is a power of two.
	Sets   int    `unit:"sets" doc:"sets"`
	Ways   int    `unit:"ways" doc:"associativity"`
	Policy Policy `choices:"lru,tree-plru" doc:"replacement policy"`
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	if c.Sets < 1 || c.Sets > MaxSets || c.Sets&(c.Sets-1) != 0 {
		return fmt.Errorf("sets is %d; a power of two from 1 to %d is allowed", c.Sets, MaxSets)
	}
	if c.Ways < 1 || c.Ways > MaxWays {
		return fmt.Errorf("ways is %d; 1 to %d are allowed", c.Ways, MaxWays)
	}
	if c.Policy >= policies {
		return fmt.Errorf("policy is %d; %s and %s are allowed", c.Policy, LRU, TreePLRU)
	}
	if c.Policy == TreePLRU && c.Ways&(c.Ways-1) != 0 {
		return fmt.Errorf("ways is %d; tree-plru needs a power of two, lru takes any number", c.Ways)
	}
	return nil
}

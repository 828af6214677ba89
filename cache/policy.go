package cache

import (
	"fmt"
	"strings"
)

// Policy chooses the block that a full set gives up. Its number is that of its row in policies.
type Policy uint8

// policies is the table of replacement policies. Each stands in a file of its own.
var policies = []policy{
	LRU:      {"lru", newLRU, nil},
	TreePLRU: {"tree-plru", newTreePLRU, powerOfTwo},
}

// policy is one row of the table.
type policy struct {
	name string // in configuration files and tables
	new  func(sets, ways int) replacement
	// needs returns the numbers of ways that the policy takes, as a text, if the given one is none
	// of them, and else "". It is nil if the policy takes any number.
	needs func(ways int) string
}

// replacement is the state of a policy for all sets of an array. Touching the way last touched or
// filled again changes nothing: an array leaves out such calls.
type replacement interface {
	// fill notes that a way has got a block, touch that its block has been used.
	fill(set, way int32)
	touch(set, way int32)
	// victim returns the way of a set that the policy gives up. It is one of allowed, which has a bit
	// for each way and is not empty. It is a question and changes nothing. A
	// random policy draws from the state of the set, because it gets no seed.
	victim(set int32, allowed uint64) int32
	copyFrom(r replacement)
	// appendState appends the state of a set, setState restores it and returns what follows. The
	// explorer visits every state, so a policy that needs few keeps it able to finish.
	appendState(to []byte, set int) []byte
	setState(from []byte, set int) []byte
}

// String returns the policy's name in configuration files and tables.
func (p Policy) String() string {
	if int(p) >= len(policies) {
		return fmt.Sprintf("policy %d", uint8(p))
	}
	return policies[p].name
}

// Choices lists the names of all policies.
func (Policy) Choices() (names []string) {
	for _, row := range policies {
		names = append(names, row.name)
	}
	return names
}

// MarshalText writes the policy's name.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a policy's name.
func (p *Policy) UnmarshalText(text []byte) error {
	for q, row := range policies {
		if string(text) == row.name {
			*p = Policy(q)
			return nil
		}
	}
	return fmt.Errorf("policy is %q; use %s", text, strings.Join(p.Choices(), ", "))
}

// validate returns an error if there is no such policy, or if it does not take so many ways.
func (p Policy) validate(ways int) error {
	if int(p) >= len(policies) {
		return fmt.Errorf("policy is %d; use %s", uint8(p), strings.Join(p.Choices(), ", "))
	}
	if row := policies[p]; row.needs != nil {
		if needs := row.needs(ways); needs != "" {
			return fmt.Errorf("ways is %d; %s needs %s", ways, row.name, needs)
		}
	}
	return nil
}

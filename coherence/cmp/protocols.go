package cmp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
)

// ProtocolEntry is what a chip needs to know of one coherence protocol. Every field is set: nothing
// of one protocol stands in for another's. What is checked of a protocol apart from the chip is a
// row in coherence/verify, so that a chip does not carry the explorer.
type ProtocolEntry struct {
	Name, Doc string
	// Inclusive tells that the L2 holds every block that an L1 holds.
	Inclusive bool
	// New makes the protocol for a chip. Its error names the key of an option that does not fit the
	// chip.
	New func(c Config, s coherence.System) (coherence.Protocol, error)
	// ClassPhits returns the length of the longest message of each class, which networks may divide
	// their buffers by. Nil stands for messages of any length in all classes.
	ClassPhits func() [noc.MaxClasses]int
	// Validate returns an error that names the wrong key among the protocol's own options, or nil.
	Validate func(c Config) error
	// Harden draws options with small buffers and short timeouts, for random tests. below(n) is a
	// random number from 0 to n-1.
	Harden func(c *Config, below func(n int) int)
}

// Protocols lists the coherence protocols that a chip can run. A protocol with options of its own
// also has a section in Config.
var Protocols = []ProtocolEntry{
	{
		Name: "token", Doc: "token coherence with broadcast transient requests and persistent requests",
		ClassPhits: token.Description.ClassPhits,
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			if _, err := c.Token.TokensFor(s.Cores); err != nil {
				return nil, err
			}
			return token.New(s, c.Token, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(c Config) error { return c.Token.Validate() },
		Harden:   func(c *Config, below func(n int) int) { c.Token.Harden(c.Cores, below) },
	},
	{
		Name: "directory", Doc: "MESI with a directory in the tags of an inclusive L2",
		Inclusive:  true,
		ClassPhits: directory.Description.ClassPhits,
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			return directory.New(s, c.Directory, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(c Config) error { return c.Directory.Validate() },
		Harden:   func(c *Config, below func(n int) int) { c.Directory.Harden(below) },
	},
	{
		Name: "msi", Doc: "MSI with an inclusive L2, one request per block at a time; an example of how to add a protocol",
		Inclusive:  true,
		ClassPhits: msi.Description.ClassPhits,
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			return msi.New(s, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(Config) error { return nil },
		Harden:   func(*Config, func(n int) int) {},
	},
}

// ProtocolNames lists the protocols of the table, and further ones.
func ProtocolNames(more ...ProtocolEntry) (names []string) {
	for _, p := range slices.Concat(Protocols, more) {
		names = append(names, p.Name)
	}
	return names
}

// LookupProtocol returns the row of a protocol of the table, or of further ones, or an error that
// lists the names there are.
func LookupProtocol(name string, more ...ProtocolEntry) (*ProtocolEntry, error) {
	all := slices.Concat(Protocols, more)
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("protocol is %q; choose from %s", name, strings.Join(ProtocolNames(more...), ", "))
}

package traffic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Pattern says where the unicast messages of each node go.
type Pattern struct {
	Name string
	Doc  string // one line
	// Target returns the fixed destination of a node, itself if it has none, or Anywhere.
	Target func(g topology.Grid, from noc.NodeID, c *Config) noc.NodeID
	// Needs returns what about the grid or the configuration does not fit; nil fits everything.
	Needs func(g topology.Grid, c *Config) error
}

// Anywhere stands for a destination drawn for each message.
const Anywhere = ^noc.NodeID(0)

// Patterns lists the patterns. A node that a pattern maps to itself sends no unicast messages.
// Bits are those of the node's number, node = x + kx*(y + ky*(z + ...)).
var Patterns = []Pattern{
	{"uniform", "any other node, equally likely", toAnywhere, nil},
	{"bit-reversal", "the node whose number has the bits of the sender's number in reverse order", bitReversal, powerOfTwo},
	{"perfect-shuffle", "the node whose number is the sender's, rotated left by one bit", perfectShuffle, powerOfTwo},
	{"transpose", "the node with the sender's coordinates in reverse order", transpose, palindrome},
	{"tornado", "the node k/2-1 routers further along each dimension of k routers; with traffic.tornado_dims=x along x alone", tornado, longEnough},
	{"bit-complement", "the node with coordinate k-1-x where the sender has x, in each dimension of k routers", bitComplement, nil},
	{"hotspot", "the node in the middle for a fixed share of the packets; any other node for the rest", toAnywhere, nil},
	{"neighbour", "the next node along x; the last node of a row sends to the first one in a torus, and to the previous one in a mesh", neighbour, nil},
	{"permutation", "a random permutation of the nodes, drawn from the seed; no node sends to itself", toAnywhere, nil},
}

// PatternNames lists the names in the order of the table, and those of further patterns.
func PatternNames(more ...Pattern) (names []string) {
	for _, p := range slices.Concat(Patterns, more) {
		names = append(names, p.Name)
	}
	return names
}

// Targets returns the fixed destination of every node, itself if it has none, or Anywhere. The error
// is for a pattern that is not known or does not fit the grid.
func (c *Config) Targets(g topology.Grid) ([]noc.NodeID, error) {
	if strings.HasPrefix(c.Pattern, RatesPrefix) {
		return c.rateTargets(g)
	}
	all := slices.Concat(Patterns, c.More)
	i := slices.IndexFunc(all, func(p Pattern) bool { return p.Name == c.Pattern })
	if i < 0 {
		return nil, fmt.Errorf("pattern is %q; use %s, or rates:FILE", c.Pattern, strings.Join(PatternNames(c.More...), ", "))
	}
	p := &all[i]
	if p.Needs != nil {
		if err := p.Needs(g, c); err != nil {
			return nil, fmt.Errorf("pattern %s does not fit %s: %w", c.Pattern, g, err)
		}
	}
	if p.Name == "permutation" {
		return cycle(g.Nodes(), c.Seed), nil
	}
	list := make([]noc.NodeID, g.Nodes())
	for n := range list {
		list[n] = p.Target(g, noc.NodeID(n), c)
	}
	return list, nil
}

func toAnywhere(topology.Grid, noc.NodeID, *Config) noc.NodeID { return Anywhere }

// hotNode returns the node in the middle of the grid.
func hotNode(g topology.Grid) noc.NodeID {
	at := make([]int, len(g.Radix))
	for dim, k := range g.Radix {
		at[dim] = k / 2
	}
	return g.Node(at...)
}

// cycle returns a random permutation that is one single cycle, so that no node is its own
// destination.
func cycle(nodes int, seed uint64) []noc.NodeID {
	list := make([]noc.NodeID, nodes)
	for i := range list {
		list[i] = noc.NodeID(i)
	}
	r := random.Named(seed, permutationPurpose, 0)
	for i := nodes - 1; i > 0; i-- {
		j := r.Below(i)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// powerOfTwo returns what patterns of bits need.
func powerOfTwo(g topology.Grid, _ *Config) error {
	n := g.Nodes()
	if n&(n-1) == 0 {
		return nil
	}
	return fmt.Errorf("it moves the bits of node numbers and needs a power of two of nodes, not %d; use %d or %d nodes, or bit-complement",
		n, 1<<(bits.Len(uint(n))-1), 1<<bits.Len(uint(n)))
}

func bitReversal(g topology.Grid, from noc.NodeID, _ *Config) noc.NodeID {
	width := bits.Len(uint(g.Nodes())) - 1
	return noc.NodeID(bits.Reverse32(uint32(from)) >> (32 - width))
}

func perfectShuffle(g topology.Grid, from noc.NodeID, _ *Config) noc.NodeID {
	n := noc.NodeID(g.Nodes())
	width := bits.Len32(uint32(n)) - 1
	return (from<<1 | from>>(width-1)) & (n - 1)
}

// palindrome returns what exchanging coordinates needs.
func palindrome(g topology.Grid, _ *Config) error {
	for i, k := range g.Radix {
		if k != g.Radix[len(g.Radix)-1-i] {
			return errors.New("it exchanges coordinates and needs as many routers along the last dimension as along the first, such as 8x8 or 4x8x4; use a square")
		}
	}
	if len(g.Radix) == 1 {
		return errors.New("it exchanges coordinates and there is only one; use a square")
	}
	return nil
}

func transpose(g topology.Grid, from noc.NodeID, _ *Config) noc.NodeID {
	at := make([]int, len(g.Radix))
	for dim := range at {
		at[len(at)-1-dim] = g.Coordinate(from, dim)
	}
	return g.Node(at...)
}

// longEnough returns what the tornado needs: in shorter dimensions k/2-1 is 0.
func longEnough(g topology.Grid, c *Config) error {
	dims := g.Radix
	if c.TornadoDims == "x" {
		dims = dims[:1]
	}
	if slices.Max(dims) < 4 {
		return errors.New("k/2-1 hops are 0 along dimensions shorter than 4 routers; use 4 or more")
	}
	return nil
}

func tornado(g topology.Grid, from noc.NodeID, c *Config) noc.NodeID {
	at := make([]int, len(g.Radix))
	for dim, k := range g.Radix {
		at[dim] = g.Coordinate(from, dim)
		if dim == 0 || c.TornadoDims == "all" {
			at[dim] += k/2 - 1
		}
	}
	return g.Node(at...)
}

func bitComplement(g topology.Grid, from noc.NodeID, _ *Config) noc.NodeID {
	return noc.NodeID(g.Nodes()-1) - from
}

func neighbour(g topology.Grid, from noc.NodeID, _ *Config) noc.NodeID {
	switch x := g.Coordinate(from, 0); {
	case x+1 < g.Radix[0]:
		return from + 1
	case g.Wrap:
		return from - noc.NodeID(x)
	}
	return from - 1
}

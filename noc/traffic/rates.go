package traffic

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// RatesPrefix begins the name of the pattern whose file has the rates of pairs of nodes.
const RatesPrefix = "rates:"

// Rate is how many packets per cycle a node sends to another one, before the load scales all rates.
type Rate struct {
	From, To noc.NodeID
	Packets  float64
}

// ReadRates reads a table of rates: lines of a source, a destination and packets per cycle, as
// Noxim's traffic tables begin. A line that begins with # or % is a comment.
func ReadRates(name string, from io.Reader) (list []Rate, err error) {
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' || words[0][0] == '%' {
			continue
		}
		fault := func(problem string) error { return fmt.Errorf("%s: line %d: %s", name, n, problem) }
		if len(words) != 3 {
			return nil, fault(fmt.Sprintf("%d words; a source, a destination and packets per cycle are needed", len(words)))
		}
		source, e1 := strconv.ParseUint(words[0], 10, 16)
		destination, e2 := strconv.ParseUint(words[1], 10, 16)
		packets, e3 := strconv.ParseFloat(words[2], 64)
		switch {
		case e1 != nil || e2 != nil:
			return nil, fault(fmt.Sprintf("%.20q and %.20q are not numbers of nodes", words[0], words[1]))
		case e3 != nil || packets != 0 && !(packets >= leastLoad && packets <= 1):
			return nil, fault(fmt.Sprintf("%.20q is not a rate of packets per cycle: 0, or %g to 1", words[2], leastLoad))
		case source == destination:
			return nil, fault(fmt.Sprintf("node %d sends to itself", source))
		}
		list = append(list, Rate{noc.NodeID(source), noc.NodeID(destination), packets})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if RatesLoad(list, 1, 1) == 0 {
		return nil, fmt.Errorf("%s: no pair has a rate above 0", name)
	}
	return list, nil
}

// RatesLoad returns the load of rates, in phits per node and cycle.
func RatesLoad(list []Rate, phits, nodes int) (load float64) {
	for _, r := range list {
		load += r.Packets
	}
	text := strconv.FormatFloat(load*float64(phits)/float64(nodes), 'g', 12, 64) // without the rounding errors of the sum
	load, _ = strconv.ParseFloat(text, 64)
	return load
}

// rateTargets lets nodes without a rate send nothing.
func (c *Config) rateTargets(g topology.Grid) ([]noc.NodeID, error) {
	rates, err := c.ratesOf(g)
	list := make([]noc.NodeID, len(rates))
	for n := range rates {
		if list[n] = noc.NodeID(n); rates[n].to != nil {
			list[n] = Anywhere
		}
	}
	return list, err
}

// nodeRates are what a node sends.
type nodeRates struct {
	gaps gaps
	to   []noc.NodeID
	// below is, for each destination, the chance in units of 2^-64 that it or one before it is drawn.
	below []uint64
}

// ratesOf prepares the rates of all nodes.
func (c *Config) ratesOf(g topology.Grid) ([]nodeRates, error) {
	if c.Rates == nil {
		return nil, fmt.Errorf("pattern %s: only carousel traffic reads tables of rates", c.Pattern)
	}
	nodes := g.Nodes()
	list, sums, part := make([]nodeRates, nodes), make([]float64, nodes), make([]float64, nodes)
	for _, r := range c.Rates {
		if int(max(r.From, r.To)) >= nodes {
			return nil, fmt.Errorf("pattern %s has node %d, and %s has nodes 0 to %d", c.Pattern, max(r.From, r.To), g, nodes-1)
		}
		sums[r.From] += r.Packets
	}
	scale := c.Load / RatesLoad(c.Rates, c.PacketPhits, nodes)
	for n, sum := range sums {
		if sum*scale > 1 {
			return nil, fmt.Errorf("pattern %s: at load %g node %d would send %.3g packets per cycle, and can generate 1", c.Pattern, c.Load, n, sum*scale)
		}
		list[n].gaps = newGaps(sum * scale)
	}
	for _, r := range c.Rates {
		if r.Packets == 0 {
			continue
		}
		n := &list[r.From]
		part[r.From] += r.Packets
		below := uint64(math.MaxUint64)
		if share := part[r.From] / sums[r.From]; share < 1 {
			below = probability(share) << 1
		}
		n.to, n.below = append(n.to, r.To), append(n.below, below)
	}
	return list, nil
}

// draw returns a destination.
func (n *nodeRates) draw(key *random.Stream) noc.NodeID {
	x := key.Uint64()
	for i, below := range n.below {
		if _, less := bits.Sub64(x, below, 0); less == 1 {
			return n.to[i]
		}
	}
	return n.to[len(n.to)-1]
}

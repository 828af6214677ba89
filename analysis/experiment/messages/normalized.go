package messages

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Arrivals by the load of a multistage network (Varavithya and Mohapatra, section 5.3). Every node
// sends unicasts and multicasts at exponential intervals with the means
//
//	unicasts    Bm N / (Bt Traffic (1-Mp))
//	multicasts  Bm N Mc / (Bt Traffic Mp)
//
// N being the nodes, Traffic the load, Mp the multicast fraction, and Mc = N/2 the mean number of
// destinations. Multicasts have N/2 destinations with a deviation of N/4, normally distributed,
// rounded, and 1 to N-1. By these formulas Mp is the share of copies that belong to multicasts, not
// that of messages, which the paper's text says it is: Mix chooses.
//
// Bt is the number of buffers, one per input of every switch, and Bm the buffer-time of a message,
// for which the paper has no number: here the length of the message times the switches on the route
// of a unicast, in a bidirectional network the mean over all pairs of nodes. Both only scale the
// load.

// The meanings of the multicast fraction.
const (
	Copies = "copies"   // of the copies that destinations get: the formulas
	Counts = "messages" // of the messages that nodes generate
)

// Mixes lists them.
var Mixes = []string{Copies, Counts}

// validateMix checks what normalized arrivals need.
func (c Config) validateMix(l topology.Layout) error {
	if !slices.Contains(Mixes, c.Mix) {
		return fmt.Errorf("mix is %q; there are %s", c.Mix, strings.Join(Mixes, ", "))
	}
	if c.Arrivals == Normalized && l.Multistage == nil {
		return fmt.Errorf("arrivals %s need a multistage network (min:baseline:N:B or bimin:butterfly:N:B), not %s", Normalized, l)
	}
	return nil
}

// perCopy is the buffer-time of a copy over the number of buffers: the load of one copy per cycle.
func perCopy(m *topology.Multistage, flits int) float64 {
	buffers, switches := m.Stages*m.Nodes(), float64(m.Stages)
	if m.Bidirectional {
		buffers *= 2
		pairs, way := 0, 0 // of one source: destinations, switches to them
		for t, n := 0, m.Arity-1; t < m.Stages; t, n = t+1, n*m.Arity {
			pairs += n
			way += n * (2*t + 1)
		}
		switches = float64(way) / float64(pairs)
	}
	return float64(flits) * switches / float64(buffers)
}

// intervals are the mean times between two unicasts, and between two multicasts, of a node; 0 for
// never.
func (c Config) intervals(m *topology.Multistage) (unicast, multicast float64) {
	each := perCopy(m, c.Flits) * float64(m.Nodes()) / c.Load // time of a copy of a node
	copies := float64(m.Nodes()) / 2
	if c.Mix == Counts {
		each *= 1 - c.MulticastFraction + c.MulticastFraction*copies
		copies = 1
	}
	if c.MulticastFraction < 1 {
		unicast = each / (1 - c.MulticastFraction)
	}
	return unicast, each * copies / c.MulticastFraction
}

// batchMessages is the number of messages of a batch. Under the mix Counts most copies are those of
// multicasts, and a batch has as many copies as it would have under Copies: as many messages would
// take a hundred times as long.
func (c Config) batchMessages(nodes int) int {
	if c.Arrivals != Normalized || c.Mix != Counts {
		return c.BatchMessages
	}
	copies := float64(nodes) / 2
	shares, counts := 1/(1-c.MulticastFraction+c.MulticastFraction/copies), 1-c.MulticastFraction+c.MulticastFraction*copies
	return max(1, int(float64(c.BatchMessages)*shares/counts+0.5))
}

// normalized makes the generator of normalized arrivals: each node has two streams of messages.
func (g *generator) normalized(m *topology.Multistage, seed uint64) {
	unicast, multicast := g.config.intervals(m)
	for i, interval := range []float64{unicast, multicast} {
		g.means[i] = uint64(interval * (1 << 16))
		for n := range g.nodes {
			if interval == 0 {
				break
			}
			b := birth{node: noc.NodeID(n), multicast: i == 1, stream: rand.NewPCG(seed, nodeStream+uint64(n+i*g.nodes))}
			b.at = random.Exponential(b.stream, g.means[i])
			g.births = append(g.births, b)
		}
	}
}

// spread draws the number of destinations of a multicast.
func (g *generator) spread(stream *rand.PCG) int {
	whole, fraction, negative := random.Normal(stream)
	deviation := int64(g.nodes) * (int64(whole)<<32 + int64(fraction>>32)) / 4
	if negative {
		deviation = -deviation
	}
	n := (int64(g.nodes)<<31 + deviation + 1<<31) >> 32
	return int(min(max(n, 1), int64(g.nodes-1)))
}

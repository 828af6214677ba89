package messages

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Result is what a point measured.
type Result struct {
	Cycles    noc.Cycle // simulated
	Saturated bool      // the network does not carry the load
	Batches   []tables.Batch
}

// run is a point on its way.
type run struct {
	config    Config
	network   *wormholeideal.Network
	generator *generator
	lines     queue.Lines[noc.Packet] // of messages that the network's own queues had no room for
	sent      traffic.Tags[sent]
	owed      int // measured messages that have not arrived
	batches   []sums
	marks     []mark  // of Normalized: when each batch began, and the last ended
	perCopy   float64 // of Normalized: the load of one copy per cycle
	generated uint64  // copies
	delivered uint64
	flows     [2]flow // of unicasts and multicasts
	counting  bool    // flows count what is generated
	measured  bool    // the measured time has ended
	loaded    bool    // and what was delivered in it is known
	last      bool    // no longer batches will follow
	doubt     bool    // whether the network carries the load is left to longer batches
	saturated bool
	before    crossings // of Alone: when the message was born
	activity  []noc.Activity
	shared    bool // nodes share routers, so that channels to nodes count as traffic
}

// crossings are how many flits have crossed channels: those between routers, and those between nodes
// and routers.
type crossings struct{ links, ends uint64 }

func (r *run) crossings() crossings {
	c := crossings{links: r.network.Totals().PhitHops}
	r.activity = r.network.Activity(r.activity[:0])
	for i := range r.activity {
		c.ends += r.activity[i].InjectPhits + r.activity[i].EjectPhits
	}
	return c
}

// mark is the beginning of a batch: the cycle, the copies that had been generated and delivered by
// then, and the tokens that headers had got and waited for.
type mark struct {
	at                   noc.Cycle
	generated, delivered uint64
	tokens               wormholeideal.Releases
}

// sent is a message that has not reached all its destinations.
type sent struct {
	born      noc.Cycle
	owed      int
	copies    int
	batch     int
	multicast bool
	tails     moments // of the copies' latencies
	headers   moments // and of the times until their headers came
	last      uint64
}

// Run does a point. It reports now and then which share of its batches have been generated. Where
// they leave in doubt whether the network carries the load, the point is done again with longer
// batches, and the share begins at 0 once more.
func Run(ctx context.Context, c Config, seed uint64, report func(share float64)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Arrivals == Normalized && c.BatchMessages < longBatch {
		result, doubt, err := simulate(ctx, c, seed, false, report)
		if err != nil || !doubt {
			return result, err
		}
		c.BatchMessages = longBatch
	}
	result, _, err := simulate(ctx, c, seed, true, report)
	return result, err
}

// simulate does a point with batches of one length. Unless it is the last try, it may end in doubt.
func simulate(ctx context.Context, c Config, seed uint64, last bool, report func(share float64)) (result *Result, doubt bool, err error) {
	network, err := build(c)
	if err != nil {
		return nil, false, err
	}
	l, err := topology.Open(c.Topology)
	if err != nil {
		return nil, false, err
	}
	c.BatchMessages = c.batchMessages(l.Nodes())
	r := &run{config: c, last: last, network: network, generator: newGenerator(c, l, seed), shared: !l.Wiring.Direct(),
		lines: queue.NewLines[noc.Packet](network.Nodes(), 1), batches: make([]sums, c.Batches)}
	if c.Arrivals == Normalized {
		r.perCopy = perCopy(l.Multistage, c.Flits)
	}
	network.OnHeader = func(message noc.Tag, from noc.Cycle) {
		m := r.sent.At(message)
		m.headers.add(uint64(from - m.born))
	}
	err = traffic.Drive(ctx, sidebyside.Networks{network}, r, noc.Never, func() { report(min(1, r.progress(network.Now()))) })
	if err != nil || r.doubt {
		return nil, r.doubt, err
	}
	r.measureLoads()
	result = &Result{Cycles: network.Now(), Saturated: r.saturated || r.fallsShort()}
	for i := range r.batches {
		result.Batches = append(result.Batches, r.batches[i].finish(&c, c.destinations(l.Nodes()), result.Saturated))
	}
	return result, false, nil
}

// Serve implements [traffic.Source]: it offers messages until those of all batches have arrived, or the network
// turns out not to carry them.
func (r *run) Serve(now noc.Cycle) (next noc.Cycle, done bool, err error) {
	r.lines.Offer(func(_ int, p noc.Packet) bool { return r.network.Offer(p) })
	if r.idle() {
		r.generator.empty(now)
	}
	r.generate(now)
	r.saturated = r.judge(now)
	return r.generator.born, r.saturated || r.measured && !r.counting && r.owed == 0, nil
}

// Stalled implements [traffic.Source]: worms that wait for each other are an error.
func (r *run) Stalled() error {
	circle := r.network.Deadlock()
	if len(circle) == 0 {
		return nil
	}
	text := fmt.Sprintf("deadlock by cycle %d: %d worms wait in a circle", r.network.Now(), len(circle))
	for i := range circle[:min(len(circle), 8)] {
		s := &circle[i]
		text += fmt.Sprintf("\n  a message of node %d, its header at node %d since cycle %d, holds %s and waits for %s", s.Src, s.At, s.Since, s.Holds, s.Waits)
	}
	return errors.New(text)
}

// generate makes the messages that are due.
func (r *run) generate(now noc.Cycle) {
	for r.generator.born <= now {
		if r.config.Arrivals == Alone {
			r.before = r.crossings()
		}
		if r.config.Arrivals == Normalized && r.generator.made == (r.config.WarmBatches+len(r.marks))*r.config.BatchMessages && len(r.marks) <= len(r.batches) {
			r.marks = append(r.marks, mark{r.generator.born, r.generated, r.delivered, r.network.Releases()})
		}
		m := r.generator.take()
		if m.batch >= 0 {
			if !r.measured {
				r.count()
			}
			r.owed++
			r.batches[m.batch].generated++
		}
		n := m.to.Count()
		tag, x := r.sent.New()
		*x = sent{born: m.born, owed: n, copies: n, batch: m.batch, multicast: m.multicast}
		r.flow(m.multicast).generate(n, r.counting)
		r.generated += uint64(n)
		p := noc.Packet{Src: m.source, Dst: m.to, Tag: tag, Phits: uint16(r.config.Flits)}
		if !r.lines.Empty(int(p.Src), 0) || !r.network.Offer(p) {
			p.Dst.More = slices.Clone(p.Dst.More)
			r.lines.Push(int(p.Src), 0, p)
		}
	}
}

// Take implements [traffic.Source].
func (r *run) Take(_ int, d *noc.Delivery) {
	m := r.sent.At(d.Tag)
	latency := uint64(d.Arrived - m.born)
	m.tails.add(latency)
	m.last = max(m.last, latency)
	r.delivered++
	flow := r.flow(m.multicast)
	flow.under.copies--
	if m.owed--; m.owed > 0 {
		return
	}
	flow.under.messages--
	r.sent.Free(d.Tag)
	if r.config.Arrivals == Exponential {
		if b := int(d.Arrived)/r.config.BatchCycles - 1; b >= 0 && b < len(r.batches) {
			r.batches[b].completed++
		}
	}
	if m.batch < 0 {
		return
	}
	r.owed--
	if r.config.Arrivals == Alone {
		b, now, flits := &r.batches[m.batch], r.crossings(), uint64(r.config.Flits+r.config.Header)
		b.channels += (now.links - r.before.links) / flits
		if r.shared {
			b.ends += (now.ends - r.before.ends) / flits
		}
	}
	r.batches[m.batch].add(m)
}

// end is the cycle after the last batch; Never where batches have no length.
func (r *run) end() noc.Cycle {
	if r.config.Arrivals != Exponential {
		return noc.Never
	}
	return noc.Cycle(r.config.BatchCycles * (1 + r.config.Batches))
}

// wanted is the number of messages from the first to the last of the batches.
func (r *run) wanted() int {
	n := r.config.Batches * r.config.BatchMessages
	if r.config.Arrivals == Network {
		n += r.config.BatchMessages
	}
	if r.config.Arrivals == Normalized {
		n += r.config.WarmBatches * r.config.BatchMessages
	}
	return n
}

// measureLoads gives each batch the load that was delivered during it, where arrivals have one.
func (r *run) measureLoads() {
	if r.config.Arrivals == Normalized && len(r.marks) == len(r.batches) {
		// Everything had arrived before the message that ends the last batch.
		r.marks = append(r.marks, mark{r.generator.born, r.generated, r.delivered, r.network.Releases()})
	}
	for i := range r.batches {
		b := &r.batches[i]
		switch r.config.Arrivals {
		case Normalized:
			if i+1 < len(r.marks) && r.marks[i+1].at > r.marks[i].at {
				begin, end := &r.marks[i], &r.marks[i+1]
				each := r.perCopy / float64(end.at-begin.at)
				b.tokens, b.waited = end.tokens.Given-begin.tokens.Given, end.tokens.Waited-begin.tokens.Waited
				b.offered, b.load = each*float64(end.generated-begin.generated), each*float64(end.delivered-begin.delivered)
			}
		case Exponential:
			each := float64(r.config.Flits) / float64(r.network.Nodes()) / float64(r.config.BatchCycles)
			b.offered, b.load = each*float64(b.generated), each*float64(b.completed)
		default:
			b.offered, b.load = math.NaN(), math.NaN()
		}
	}
}

// progress is how much of the batches has been generated; above 1 the load goes on without being
// measured.
func (r *run) progress(now noc.Cycle) float64 {
	if r.config.Arrivals == Exponential {
		return float64(now) / float64(r.end())
	}
	return float64(r.generator.made) / float64(r.wanted())
}

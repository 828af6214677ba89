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
	marks     []mark  // when each batch began, and the last ended
	perCopy   float64 // of Normalized: the load of one copy per cycle
	shared    bool    // nodes share routers, so that channels to nodes count as traffic
	judgement
}

// mark is a time between two batches, and what had happened by then: how many messages had arisen and arrived,
// tokens that headers had got and waited for, and flits that had crossed channels between routers, and
// between nodes and routers.
type mark struct {
	at          noc.Cycle
	flows       flows
	tokens      wormholeideal.Releases
	links, ends uint64
}

// mark appends the time of the next message.
func (r *run) mark() {
	m := mark{at: r.generator.born, flows: r.flows, tokens: r.network.Releases(), links: r.network.Totals().PhitHops}
	for _, a := range r.network.Activity(nil) {
		m.ends += a.InjectPhits + a.EjectPhits
	}
	r.marks = append(r.marks, m)
}

// sent is a message that has not reached all its destinations.
type sent struct {
	born    noc.Cycle
	owed    int
	copies  int
	batch   int
	kind    kind
	tails   moments // of the copies' latencies
	headers moments // and of the times until their headers came
	last    uint64
}

// Run does a point. It reports now and then which share of its batches have been generated. Where
// they leave in doubt whether the network carries the load, the point is done again with longer
// batches, and the share begins at 0 once more.
func Run(ctx context.Context, c Config, seed uint64, report func(share float64)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	for {
		last := c.Arrivals != Normalized || c.BatchMessages >= longBatch
		result, err := simulate(ctx, c, seed, last, report)
		if result != nil || err != nil {
			return result, err
		}
		c.BatchMessages = longBatch
	}
}

// simulate does a point with batches of one length. It returns no result where these leave in doubt whether the
// network carries the load, unless they are the last try.
func simulate(ctx context.Context, c Config, seed uint64, last bool, report func(share float64)) (*Result, error) {
	network, err := build(c)
	if err != nil {
		return nil, err
	}
	l, err := topology.Open(c.Topology)
	if err != nil {
		return nil, err
	}
	c.BatchMessages = c.batchMessages(l.Nodes())
	r := &run{config: c, network: network, generator: newGenerator(c, l, seed), shared: !l.Wiring.Direct(), perCopy: math.NaN(),
		lines: queue.NewLines[noc.Packet](network.Nodes(), 1), batches: make([]sums, c.Batches), judgement: judgement{last: last}}
	if c.Arrivals == Normalized {
		r.perCopy = perCopy(l.Multistage, c.Flits)
	}
	network.OnHeader = func(message noc.Tag, from noc.Cycle) {
		m := r.sent.At(message)
		m.headers.add(uint64(from - m.born))
	}
	err = traffic.Drive(ctx, traffic.Networks{network}, r, noc.Never, func() { report(min(1, r.progress(network.Now()))) })
	if err != nil || r.doubt {
		return nil, err
	}
	if len(r.marks) == len(r.batches) { // everything has arrived before the message that ends the last batch
		r.mark()
	}
	r.measureLoads()
	result := &Result{Cycles: network.Now(), Saturated: r.saturated || r.fallsShort()}
	for i := range r.batches {
		result.Batches = append(result.Batches, r.batches[i].finish(&c, c.destinations(l.Nodes()), result.Saturated))
	}
	return result, nil
}

// Serve implements [traffic.Source]: it offers messages until those of all batches have arrived, or the network
// turns out not to carry them.
func (r *run) Serve(now noc.Cycle) (next noc.Cycle, done bool, err error) {
	r.lines.Offer(func(_ int, p noc.Packet) bool { return r.network.Offer(p) })
	if r.sent.Len() == 0 {
		r.generator.empty(now)
	}
	r.generate(now)
	r.saturated = r.isSaturated(now)
	return r.generator.born, r.saturated || r.measured && !r.judging && r.owed == 0, nil
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
		if r.generator.made == (r.generator.warm+len(r.marks))*r.config.BatchMessages && len(r.marks) <= len(r.batches) {
			r.mark()
		}
		m := r.generator.take()
		if m.batch >= 0 {
			if !r.measured && !r.judging {
				r.judgeFromNow()
			}
			r.owed++
			r.batches[m.batch].generated++
		}
		n := m.to.Count()
		tag, x := r.sent.New()
		*x = sent{born: m.born, owed: n, copies: n, batch: m.batch, kind: m.kind}
		r.flows[m.kind].generate(n)
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
	r.flows[m.kind].underWay.copies--
	if m.owed--; m.owed > 0 {
		return
	}
	r.flows[m.kind].underWay.messages--
	r.sent.Free(d.Tag)
	if r.config.Arrivals == Exponential {
		if b := int(d.Arrived)/r.config.BatchCycles - 1; b >= 0 && b < len(r.batches) {
			r.batches[b].completed++
		}
	}
	if m.batch >= 0 {
		r.owed--
		r.batches[m.batch].add(m)
	}
}

// measureLoads gives each batch what was generated and delivered during it, and the channels that were crossed.
func (r *run) measureLoads() {
	flits := uint64(r.config.Flits + r.config.Header)
	for i := range r.batches {
		b := &r.batches[i]
		if r.config.Arrivals == Exponential {
			each := float64(r.config.Flits) / float64(r.network.Nodes()) / float64(r.config.BatchCycles)
			b.offered, b.load = each*float64(b.generated), each*float64(b.completed)
		} else if i+1 < len(r.marks) && r.marks[i+1].at > r.marks[i].at {
			begin, end := &r.marks[i], &r.marks[i+1]
			each := r.perCopy / float64(end.at-begin.at)
			generated, underWay := end.flows.copies(&begin.flows)
			b.offered, b.load = each*float64(generated), each*float64(generated-underWay)
			b.tokens, b.waited = end.tokens.Given-begin.tokens.Given, end.tokens.Waited-begin.tokens.Waited
			b.channels = (end.links - begin.links) / flits
			if r.shared {
				b.ends = (end.ends - begin.ends) / flits
			}
		}
	}
}

// progress is how much of the batches has been generated; above 1 the load goes on without being
// measured.
func (r *run) progress(now noc.Cycle) float64 {
	if r.config.Arrivals == Exponential {
		return float64(now) / float64(r.config.BatchCycles*(1+r.config.Batches))
	}
	return float64(r.generator.made) / float64((r.generator.warm+r.config.Batches)*r.config.BatchMessages)
}

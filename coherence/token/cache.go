package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// l1 is the L1 controller of one core. Its instruction and data arrays share MSHRs, the persistent
// slot and the coherence node; a block is in at most one of the arrays. Frames of the instruction
// array are numbered after those of the data array.
type l1 struct {
	agent
	controller.L1
	others noc.NodeSet // every other core

	miss []miss // by MSHR

	deactivation deactivation
	deactivated  coherence.Block // the block of a deactivation that is owed or leaving
	persistent   int             // slot of the miss that is persistent, or none

	random random.Stream

	answers   latency // of the core's transient requests
	doublings uint8   // how often the timeout is doubled
}

// deactivation is how far the deactivation of the last persistent request has come.
type deactivation uint8

const (
	deactivationNone    deactivation = iota
	deactivationOwed                 // to be sent when there is room
	deactivationLeaving              // sent; its last copy is still in the interface
)

// miss is what an MSHR knows beyond its block and targets.
type miss struct {
	issues     uint8
	exhausted  bool // has used up its transient requests
	persistent bool
	gotData    bool
	first      request // of the current kind
	latest     request // of the same kind
}

// request is a transient request of a miss.
type request struct {
	number uint32    // generation of the MSHR, which answers repeat
	left   noc.Cycle // it has left the interface, or was made
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{agent: p.newAgent(coherence.Cache, core, &p.starving[core]), persistent: none}
	p.tables[core] = &c.table
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, controller.Rules{Start: c.start, Send: c.issue, GiveUp: c.giveUp, Gathers: true})
	if p.config.Hold > 0 {
		c.Until = make([]noc.Cycle, len(c.Lines))
	}
	c.others = noc.NewNodeSet(p.Cores)
	for n := range p.Cores {
		if n != core {
			c.others.Add(noc.NodeID(n))
		}
	}
	c.miss = make([]miss, p.MSHRs)
	c.answers = latencyOf(p.config.AdaptiveStart)
	c.random = random.Stream(p.seed ^ uint64(core+1)*random.Gamma)
	return c
}

// line returns the line in a frame.
func (c *l1) line(f int32) *line { return (*line)(&c.Lines[f]) }

// newHitTable says what accesses need and leave behind. A prefetch changes nothing.
func newHitTable(c Config) (r coherence.HitTable) {
	atomic := dirty
	if c.AtomicMigrates {
		atomic |= wrote
	}
	for f := range flags(combinations) {
		if f&valid != 0 {
			r[f].Next[coherence.Load], r[f].Next[coherence.Fetch] = f, f
		}
		if f&all != 0 {
			next := &r[f].Next
			next[coherence.Store], next[coherence.Atomic], next[coherence.Prefetch] = f|dirty|wrote, f|atomic, f
		}
	}
	return r
}

// giveUp sends a line to its home bank, or returns false when there is no room for that.
func (c *l1) giveUp(f int32, out *coherence.Effects) bool {
	if out.Room[WriteBack] < 1 {
		c.Cramped = true
		return false
	}
	b, l := c.Block(f), c.line(f)
	c.Took(b, l.state(), onEvict)
	s := l.everything()
	s.data = s.owner || c.p.evictData
	c.give(out, b, l, s, WriteBack, c.BankOf(b))
	c.Gone(f, out)
	return true
}

// start opens a miss for a line without one.
func (c *l1) start(a coherence.Access, f int32) int {
	l := c.line(f)
	s := l.state()
	if l.Count == 0 {
		s = stateNP
	}
	if array, local := c.Place(f); array == &c.Arrays[controller.ArrayOf(a.Kind)] {
		array.Touch(local)
	}
	slot := c.Start(a, f, s)
	wants := readMiss
	if a.Kind.IsWrite() {
		wants = writeMiss
	}
	l.State |= wants
	c.miss[slot] = miss{}
	return slot
}

// The timeout of a transient request is the time in which nearly every answer comes: the mean time
// of the answers that the core has had plus four mean deviations, as TCP's retransmission timer
// (Jacobson, Congestion Avoidance and Control, SIGCOMM 1988). Answers repeat the number of the
// request that they answer, as TCP's timestamps do, so that an answer to a re-issued request is not
// taken for a late one to the first. So timeouts do not change the estimate: a lost race leaves it
// as it is, and a slow network lengthens it. TokenB waits for twice the mean time of all misses,
// which contains the waits themselves: two cores that lose every second race would wait longer and
// longer. The estimate starts from what answers on the chip take in an empty network. Unlike in TCP,
// the first answer does not replace it: where caches are empty, that one comes from memory and takes
// several times as long as the answers that decide races.

// latency estimates the time of answers.
type latency struct {
	mean, deviation int64 // latencyScale times the cycles
}

// latencyOf returns the estimate with a timeout: its mean is a third of it, its deviation a sixth.
func latencyOf(timeout noc.Cycle) latency {
	mean := (int64(timeout)*latencyScale + 2) / 3
	return latency{mean, (mean + 1) / 2}
}

const (
	latencyScale = 1024 // of the estimates, integers

	// Parts of a new difference that the estimates take up, as in TCP.
	meanGain      = 8
	deviationGain = 4
)

// learn takes up the time of an answer.
func (e *latency) learn(took noc.Cycle) {
	difference := int64(took)*latencyScale - e.mean
	e.mean += difference / meanGain
	e.deviation += (max(difference, -difference) - e.deviation) / deviationGain
}

// timeout returns the time in which nearly every answer comes. It is at least one and a half means:
// answers that all took equally long say little about the next.
func (e *latency) timeout() noc.Cycle {
	return noc.Cycle((e.mean + max(4*e.deviation, e.mean/2)) / latencyScale)
}

// observe learns from the answer that completed a miss. An answer to a persistent request, or to a
// transient one between the first and the latest, is not used.
func (c *l1) observe(m *miss, answered uint32) {
	switch answered {
	case 0:
	case m.latest.number:
		c.answers.learn(c.Now - m.latest.left)
	case m.first.number:
		c.answers.learn(c.Now - m.first.left)
	}
	if answered == m.first.number && answered != 0 && c.doublings > 0 {
		c.doublings--
	}
}

// waited returns how long a miss waited for a timeout to repeat the request that was answered.
func (m *miss) waited(answered uint32) noc.Cycle {
	if answered == m.first.number || m.first.number == 0 {
		return 0
	}
	return m.latest.left - m.first.left
}

// maxDoublings bounds how often the timeout doubles.
const maxDoublings = 4

// timeout returns the shortest time to wait for an answer. It doubles with each miss that had to
// become persistent, and halves with each that the first request satisfied: if many cores want one
// block, early requests only delay the core that is being served.
func (c *l1) timeout() noc.Cycle {
	if !c.p.config.Adaptive {
		return c.p.config.Timeout
	}
	return min(max(c.answers.timeout(), 1)<<c.doublings, c.p.config.AdaptiveHigh)
}

// maxBackoff bounds how often the range of random waits doubles.
const maxBackoff = 10

// wait returns the cycles to wait for an answer to the latest request of a miss. The wait for a
// re-issue is longer by a random part: with the fixed timeout by a few cycles, enough to tell cores
// apart; with the adaptive one by up to a half, three halves, seven halves of the timeout and so
// on, which relieves a network that is overloaded.
func (c *l1) wait(m *miss) noc.Cycle {
	limit := c.timeout()
	again := min(int(m.issues)-1, maxBackoff)
	longest := c.p.config.Jitter
	if c.p.config.Adaptive {
		longest = (limit<<again - limit) / 2
	}
	if again == 0 || longest == 0 {
		return limit
	}
	return limit + noc.Cycle(c.random.Uint64()%uint64(longest+1))
}

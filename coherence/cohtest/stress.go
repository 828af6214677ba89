package cohtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Stress is a random test. The same values give the same run.
type Stress struct {
	Seed uint64
	Size
	Blocks     int
	Operations int // accesses performed or started
	// Outstanding bounds the open accesses of a core.
	Outstanding int
	// Writes, Fetches and Prefetches are percentages of the accesses.
	Writes, Fetches, Prefetches int
	// Cramped is the percentage of steps in which each class has room for at most one message.
	Cramped int
	// OpenLimit is how many cycles an access may stay open.
	OpenLimit noc.Cycle
	New       Maker
}

// Report sums up a run.
type Report struct {
	Operations, Messages uint64
	Cells                []coherence.Cell // of the test's own protocol
}

// Run performs the test and returns the first fault, which names the seed.
func (s Stress) Run() (report Report, err error) {
	var r *stress
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("seed %d: panic: %v", s.Seed, broken)
			if r != nil {
				report.Operations = uint64(r.operations)
			}
		}
	}()
	r = &stress{Stress: s, chip: NewChip(s.Size, s.Seed, s.New), random: rand.New(rand.NewPCG(s.Seed, 1))}
	r.waiting = make([]noc.Cycle, s.Cores)
	for r.chip.Err == nil && (r.operations < s.Operations || !r.quiet()) {
		r.cycle()
	}
	if r.chip.Err == nil {
		r.chip.CheckAll(true)
	}
	report = Report{uint64(r.operations), r.chip.born, r.chip.Protocol.Cells()}
	if r.chip.Err != nil {
		return report, fmt.Errorf("seed %d: %w", s.Seed, r.chip.Err)
	}
	return report, nil
}

// stress is a run under way.
type stress struct {
	Stress
	chip       *Chip
	random     *rand.Rand
	operations int
	started    noc.Cycle   // of the last operation
	waiting    []noc.Cycle // per core: since when it has waited for a retry, 0 not at all
}

func (r *stress) quiet() bool {
	c := r.chip
	return len(c.Open)+len(c.Bag)+len(c.Reads)+len(c.Receipts) == 0 && !slices.ContainsFunc(c.Agents(), func(a coherence.Agent) bool {
		return c.Controller(a).HasDeferred() || c.Controller(a).Explain() != ""
	})
}

// cycle makes a random selection of the possible events happen.
func (r *stress) cycle() {
	c := r.chip
	c.Now++
	for i := 0; i < len(c.Alarms); {
		if c.Alarms[i].At <= c.Now {
			r.room()
			c.Fire(i)
		} else {
			i++
		}
	}
	if core := r.random.IntN(r.Cores); r.operations < r.Operations {
		r.access(core)
	}
	r.retire()
	for n := 1 + len(c.Bag)/8; n > 0 && len(c.Bag) > 0; n-- {
		if i := r.random.IntN(len(c.Bag)); c.MayDeliver(i) {
			r.room()
			c.Deliver(i)
		}
	}
	if len(c.Reads) > 0 && r.random.IntN(4) == 0 {
		r.room()
		c.FinishRead(r.random.IntN(len(c.Reads)))
	}
	for n := len(c.Receipts); n > 0; n-- {
		if r.random.IntN(4) == 0 {
			r.room()
			c.GiveReceipt(r.random.IntN(len(c.Receipts)))
		}
	}
	for _, a := range c.Agents() {
		if c.Controller(a).HasDeferred() && r.random.IntN(3) == 0 {
			r.room()
			c.Continue(a)
		}
	}
	for _, core := range c.Retried {
		r.waiting[core] = 0
	}
	c.Retried = c.Retried[:0]
	r.checkOpen()
	if c.Now%1024 == 0 {
		c.CheckAll(false)
	}
}

// retire ends, now and then, what is speculative of a core's loads of one block; after the last
// operation, of all.
func (r *stress) retire() {
	c := r.chip
	if c.readers == nil {
		return
	}
	for core := range r.Cores {
		for b := range coherence.Block(r.Blocks) {
			if c.readers[core][b] && (r.operations >= r.Operations || r.random.IntN(16) == 0) {
				r.room()
				c.Retire(core, b)
			}
		}
	}
}

// room limits what the next step may send.
func (r *stress) room() {
	c := r.chip
	c.Unlimited()
	if r.random.IntN(100) < r.Cramped {
		for class := range c.Room {
			c.Room[class] = r.random.IntN(2)
		}
		c.ReadRoom = r.random.IntN(2)
	}
}

func (r *stress) access(core int) {
	c := r.chip
	if r.waiting[core] != 0 {
		return
	}
	open := 0
	for i := range c.Open {
		if c.Open[i].Core == core {
			open++
		}
	}
	if open >= r.Outstanding {
		return
	}
	kind := coherence.Load
	switch p := r.random.IntN(100); {
	case p < r.Writes:
		kind = coherence.Store
		if p%4 == 0 {
			kind = coherence.Atomic
		}
	case p < r.Writes+r.Fetches:
		kind = coherence.Fetch
	case p < r.Writes+r.Fetches+r.Prefetches:
		kind = coherence.Prefetch
	}
	r.room()
	if c.Access(core, kind, coherence.Block(r.random.IntN(r.Blocks))) == coherence.Refused {
		r.waiting[core] = c.Now
		return
	}
	r.operations++
	r.started = c.Now
}

func (r *stress) checkOpen() {
	c := r.chip
	if c.Now-r.started > 2*r.OpenLimit {
		c.CheckAll(true)
		c.fault("nothing has been started since cycle %d and there is no end", r.started)
	}
	for i := range c.Open {
		if o := &c.Open[i]; c.Now-o.Since > r.OpenLimit {
			c.fault("core %d has waited for block %#x since cycle %d: %s", o.Core, uint32(o.Access.Block), o.Since,
				c.Caches[o.Core].Explain())
		}
	}
	for core, since := range r.waiting {
		if since != 0 && c.Now-since > r.OpenLimit {
			c.fault("core %d was refused in cycle %d and never told to retry", core, since)
		}
	}
}

package cohtest

import (
	"slices"

	"github.com/carousel-sim/carousel/coherence"
)

// finish carries out the effects of a step and verifies the laws for the blocks it touched.
func (c *Chip) finish(a coherence.Agent, touched ...coherence.Block) {
	e := &c.effects
	for class, room := range e.Room {
		if room < 0 {
			c.fault("%s sent more messages of class %d than there was room for", AgentName(a), class)
		}
	}
	if e.ReadRoom < 0 {
		c.fault("%s started more reads than there was room for", AgentName(a))
	}
	for i := range e.Completions {
		c.complete(int(a.Index), e.Completions[i])
	}
	for _, list := range [][]coherence.Block{e.Lost, e.Evicted} {
		for _, b := range list {
			c.log("  loses %s", b)
			if c.Caches[a.Index].Line(b).Readable {
				c.fault("%s says it has lost block %#x and can read it", AgentName(a), uint32(b))
			}
			if c.readers != nil {
				delete(c.readers[a.Index], b)
			}
		}
	}
	if e.Kept {
		c.log("  keeps what it has evicted")
	}
	for i := range e.Sends {
		c.send(a, &e.Sends[i])
		touched = append(touched, e.Sends[i].Block)
	}
	for _, t := range e.Timers {
		c.Alarms = append(c.Alarms, Alarm{int(a.Index), t})
		if t.At <= c.Now {
			c.fault("%s wants a timer in the past", AgentName(a))
		}
	}
	for _, b := range e.Reads {
		c.log("  reads %s", b)
		c.Reads = append(c.Reads, Read{int(a.Index), b})
	}
	for _, b := range e.Writes {
		c.log("  writes %s", b)
	}
	if e.Retry {
		c.log("  retry")
		c.Retried = append(c.Retried, int(a.Index))
	}
	slices.Sort(touched)
	for _, b := range slices.Compact(touched) {
		c.CheckBlock(b)
	}
}

// send puts one copy per destination into the bag.
func (c *Chip) send(a coherence.Agent, s *coherence.Send) {
	if s.From != a {
		c.fault("%s sends a message from %s", AgentName(a), AgentName(s.From))
	}
	if s.Many && s.Count != 0 {
		c.fault("%s sends %d tokens to many", AgentName(a), s.Count)
	}
	c.log("  sends %s", s)
	c.receivers = s.AppendReceivers(c.receivers[:0], c.Homes)
	for _, t := range c.receivers {
		f := Flying{Message: s.Message, To: t, Ordered: s.Ordered, Born: c.born}
		c.born++
		if s.Ordered {
			pair := [2]coherence.Agent{s.From, t}
			f.Sequence = c.sequence[pair]
			c.sequence[pair]++
		}
		c.Bag = append(c.Bag, f)
	}
	if s.Receipt {
		c.Receipts = append(c.Receipts, Receipt{int(a.Index), s.Message})
	}
}

func (c *Chip) complete(core int, done coherence.Completion) {
	i := slices.IndexFunc(c.Open, func(o Open) bool { return o.Core == core && o.Access.Handle == done.Handle })
	if i < 0 {
		c.fault("core %d: completion of an access that does not wait: %+v", core, done)
		return
	}
	o := c.Open[i]
	c.Open = slices.Delete(c.Open, i, i+1)
	how := ""
	if done.Persistent {
		how = ", persistent"
	}
	if done.Merged {
		how += ", merged"
	}
	if done.Overtaken {
		how += ", overtaken"
	}
	c.log("  %s %s of %s is done: version %d, from %s, requests %d%s", cacheOf(core), done.Kind, o.Access.Block, done.Version, done.Supplier, done.Issues, how)
	if done.Kind != o.Access.Kind || done.Since > c.Now || !done.Merged && done.Since != o.Since {
		c.fault("core %d: %+v completes %+v", core, done, o)
	}
	if done.Overtaken {
		c.past(o, done)
		return
	}
	c.data(core, o.Access.Block, done.Kind, done.Version)
}

// data holds an access to the single-writer law: permission and access are one step, so a load
// returns exactly the latest version and a store makes the next one.
func (c *Chip) data(core int, b coherence.Block, k coherence.AccessKind, v coherence.Version) {
	switch {
	case k == coherence.Prefetch:
	case k.IsWrite():
		c.latest[b]++
		if v != c.latest[b] {
			c.fault("core %d makes version %d of block %#x; version %d is next", core, v, uint32(b), c.latest[b])
		}
		for other, r := range c.readers {
			if other != core && r[b] {
				c.fault("core %d writes block %#x, and core %d, which has read it early, has not been told", core, uint32(b), other)
			}
		}
	case v != c.latest[b]:
		c.fault("core %d reads version %d of block %#x; the latest is %d", core, v, uint32(b), c.latest[b])
	case k == coherence.Load && c.readers != nil:
		c.readers[core][b] = true
	}
}

// past holds a read whose block was invalidated before its data came to what it may still return: a
// version that was the latest at some time since the access.
func (c *Chip) past(o Open, done coherence.Completion) {
	if done.Kind.IsWrite() || done.Version < o.latest || done.Version > c.latest[o.Access.Block] {
		c.fault("core %d: %+v completes %+v; versions %d to %d were the latest meanwhile", o.Core, done, o, o.latest, c.latest[o.Access.Block])
	}
}

// untouched verifies that a refusal left no effects, except that the core may try again.
func (c *Chip) untouched(what string) {
	e := c.effects
	if e.Retry = false; !e.Quiet() {
		c.fault("%s had effects: %+v", what, e)
	}
}

// mayRefuse verifies that a message was refused for lack of room that its class may need, or
// because the controller has a queue for class 0 and says that it is full.
func (c *Chip) mayRefuse(f Flying) {
	for _, class := range c.about.Generates[f.To.Role][f.Class] {
		if c.Room[class] < 1 {
			return
		}
	}
	if q, ok := c.Controller(f.To).(interface{ Full() bool }); ok && f.Class == 0 && q.Full() {
		return
	}
	if f.To.Role == coherence.Memory && c.ReadRoom < 1 {
		return
	}
	c.fault("%s refuses %s although there is room", AgentName(f.To), c.messageName(f))
}

// mayGenerate verifies the table of generated classes. Classes below or at the input's come from
// reserved state.
func (c *Chip) mayGenerate(f Flying) {
	legal := c.about.Generates[f.To.Role][f.Class]
	for i := range c.effects.Sends {
		if class := c.effects.Sends[i].Class; class > f.Class && !slices.Contains(legal, class) {
			c.fault("%s answers %s with class %s", AgentName(f.To), c.messageName(f), c.about.Classes[class])
		}
	}
}

// CheckBlock verifies the protocol's laws for one block.
func (c *Chip) CheckBlock(b coherence.Block) {
	c.messages = c.messages[:0]
	for i := range c.Bag {
		if c.Bag[i].Block == b {
			c.messages = append(c.messages, c.Bag[i].Message)
		}
	}
	if err := c.CheckOne(b, c.lines[:0], c.messages); err != nil {
		c.fault("%w", err)
	}
}

// CheckAll verifies the protocol's laws for every block.
func (c *Chip) CheckAll(final bool) {
	c.InFlight = c.InFlight[:0]
	for i := range c.Bag {
		c.InFlight = append(c.InFlight, c.Bag[i].Message)
	}
	if err := c.Check(final); err != nil {
		c.fault("%w", err)
	}
	if final && len(c.Open)+len(c.Bag)+len(c.Reads)+len(c.Receipts) > 0 {
		c.fault("at the end %d accesses, %d messages, %d reads and %d receipts are open",
			len(c.Open), len(c.Bag), len(c.Reads), len(c.Receipts))
	}
}

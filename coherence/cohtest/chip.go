package cohtest

import (
	"fmt"
	"io"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Size is the number of each kind of controller, and the size of each L1's victim buffer. If there
// is one, loads stay speculative until they retire: no other core may write a block that they have
// read before the core has been told.
type Size struct{ Cores, Banks, Memories, Victims int }

// Maker makes the protocol under test for a chip.
type Maker func(coherence.System) coherence.Protocol

// Chip is a set of controllers and a bag of messages. Its methods let one thing happen each; the
// first broken law is kept in Err.
type Chip struct {
	coherence.Audit
	about *coherence.Description
	Now   noc.Cycle
	Err   error
	// Room and ReadRoom are what the next steps may use.
	Room     [noc.MaxClasses]int
	ReadRoom int
	Log      io.Writer

	Bag      []Flying
	Alarms   []Alarm
	Reads    []Read
	Receipts []Receipt
	// Open are the accesses that wait for a completion, Retried the cores that may repeat a refused
	// one.
	Open    []Open
	Retried []int

	readers  []reader // by core
	effects  coherence.Effects
	latest   map[coherence.Block]coherence.Version
	sequence map[[2]coherence.Agent]uint32
	handles  uint32
	born     uint64
	// Buffers.
	lines     []coherence.AgentLine
	messages  []coherence.Message
	receivers []coherence.Agent
}

// Flying is one copy of a message in the bag.
type Flying struct {
	coherence.Message
	To      coherence.Agent
	Ordered bool
	Born    uint64 // position in the order of creation
}

// Alarm is a timer of a core.
type Alarm struct {
	Core int
	coherence.Timer
}

// Read is a DRAM read under way.
type Read struct {
	Memory int
	Block  coherence.Block
}

// Receipt is a message whose last copy is about to leave its interface.
type Receipt struct {
	Core    int
	Message coherence.Message
}

// Open is an access that waits.
type Open struct {
	Core   int
	Access coherence.Access
	Since  noc.Cycle
	latest coherence.Version // when the access began
}

// NewChip returns a chip with nothing in flight and unlimited room.
func NewChip(size Size, seed uint64, make Maker) *Chip {
	homes := &coherence.Homes{Banks: size.Banks}
	for b := range size.Banks {
		homes.MemoryOfBank = append(homes.MemoryOfBank, uint16(b%size.Memories))
	}
	c := &Chip{latest: map[coherence.Block]coherence.Version{}, sequence: map[[2]coherence.Agent]uint32{}}
	protocol := make(coherence.System{Cores: size.Cores, Homes: homes, Seed: seed, Victims: size.Victims})
	c.about = protocol.Describe()
	c.Audit = coherence.NewAudit(protocol, homes, size.Cores, size.Memories)
	for range size.Cores {
		if size.Victims > 0 {
			c.readers = append(c.readers, reader{})
		}
	}
	c.Unlimited()
	return c
}

// Unlimited gives the next steps all the room they want.
func (c *Chip) Unlimited() {
	c.effects.Reset()
	c.Room, c.ReadRoom = c.effects.Room, c.effects.ReadRoom
}

func (c *Chip) begin(a coherence.Agent) {
	c.effects.Reset()
	c.effects.Room, c.effects.ReadRoom, c.effects.Reader = c.Room, c.ReadRoom, nil
	if a.Role == coherence.Cache && c.readers != nil {
		c.effects.Reader = c.readers[a.Index]
	}
}

// reader is a core with speculative loads: the blocks whose values it still uses.
type reader map[coherence.Block]bool

// Speculative reports whether a speculative load has read a block.
func (r reader) Speculative(b coherence.Block) bool { return r[b] }

// Retire makes the loads of a core that have read a block stop being speculative; false when there
// are none.
func (c *Chip) Retire(core int, b coherence.Block) bool {
	if c.readers == nil || !c.readers[core][b] {
		return false
	}
	delete(c.readers[core], b)
	c.begin(cacheOf(core))
	c.log("%s retires its loads of %s", cacheOf(core), b)
	c.Caches[core].Settle(c.Now, &c.effects)
	c.finish(cacheOf(core), b)
	return true
}

// Access performs an access of a core.
func (c *Chip) Access(core int, kind coherence.AccessKind, b coherence.Block) coherence.Outcome {
	c.begin(cacheOf(core))
	c.handles++
	a := coherence.Access{Block: b, Handle: c.handles, Kind: kind}
	deferred := c.Caches[core].HasDeferred()
	outcome, version := c.Caches[core].Access(a, c.Now, &c.effects)
	c.log("%s %s %s: %s", cacheOf(core), kind, b, outcome)
	switch outcome {
	case coherence.Hit:
		c.data(core, b, kind, version)
	case coherence.Pending:
		if kind != coherence.Prefetch {
			c.Open = append(c.Open, Open{core, a, c.Now, c.latest[b]})
		}
	case coherence.Refused:
		c.untouched("a refused access")
	}
	if outcome != coherence.Refused && c.effects.Quiet() && !deferred && c.Caches[core].HasDeferred() {
		c.fault("core %d: an access without effects has deferred work", core)
	}
	c.finish(cacheOf(core), b)
	return outcome
}

// MayDeliver reports whether a message in the bag is not held back by an earlier ordered one.
func (c *Chip) MayDeliver(i int) bool {
	f := c.Bag[i]
	if !f.Ordered {
		return true
	}
	for _, g := range c.Bag {
		if g.Ordered && g.From == f.From && g.To == f.To && g.Born < f.Born {
			return false
		}
	}
	return true
}

// Deliver gives message i of the bag to its receiver; false when that refuses it.
func (c *Chip) Deliver(i int) bool {
	f := c.Bag[i]
	c.begin(f.To)
	taken := c.Controller(f.To).Accept(f.Message, c.Now, &c.effects)
	if !taken {
		c.log("%s refuses %s", f.To, &f)
		c.untouched("a refused message")
		c.mayRefuse(f)
		return false
	}
	c.log("%s takes %s", f.To, &f)
	c.Bag = slices.Delete(c.Bag, i, i+1)
	c.mayGenerate(f)
	c.finish(f.To, f.Block)
	return true
}

// Fire calls timer i.
func (c *Chip) Fire(i int) {
	a := c.Alarms[i]
	c.Alarms = slices.Delete(c.Alarms, i, i+1)
	c.begin(cacheOf(a.Core))
	c.log("%s timer in cycle %d", cacheOf(a.Core), c.Now)
	c.Caches[a.Core].Timeout(a.Timer, c.Now, &c.effects)
	c.finish(cacheOf(a.Core))
}

// FinishRead ends DRAM read i.
func (c *Chip) FinishRead(i int) {
	r := c.Reads[i]
	c.Reads = slices.Delete(c.Reads, i, i+1)
	m := coherence.Agent{Role: coherence.Memory, Index: uint16(r.Memory)}
	c.begin(m)
	c.log("%s has read %s", m, r.Block)
	c.Memories[r.Memory].MemoryDone(r.Block, c.Now, &c.effects)
	c.finish(m, r.Block)
}

// GiveReceipt gives receipt i to the sender: its message has left.
func (c *Chip) GiveReceipt(i int) {
	r := c.Receipts[i]
	c.Receipts = slices.Delete(c.Receipts, i, i+1)
	c.begin(cacheOf(r.Core))
	c.log("%s: %s has left", cacheOf(r.Core), c.about.Kinds[r.Message.Kind])
	c.Caches[r.Core].Sent(r.Message, c.Now, &c.effects)
	c.finish(cacheOf(r.Core), r.Message.Block)
}

// Continue makes an agent do its deferred work.
func (c *Chip) Continue(a coherence.Agent) {
	c.begin(a)
	c.log("%s continues", a)
	c.Controller(a).Continue(c.Now, &c.effects)
	c.finish(a)
}

// Latest returns the latest version of a block.
func (c *Chip) Latest(b coherence.Block) coherence.Version { return c.latest[b] }

// Evict lets an agent give a block up as if its frame were needed; false when it does not have it
// or cannot.
func (c *Chip) Evict(a coherence.Agent, b coherence.Block) bool {
	c.begin(a)
	e, ok := c.Controller(a).(coherence.ExplorableController)
	if !ok || !e.Evict(b, c.Now, &c.effects) {
		return false
	}
	c.log("%s gives up %s", a, b)
	c.finish(a, b)
	return true
}

func cacheOf(core int) coherence.Agent {
	return coherence.Agent{Role: coherence.Cache, Index: uint16(core)}
}

func (c *Chip) fault(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("cycle %d: %w", c.Now, fmt.Errorf(format, args...))
		c.log("LAW BROKEN: %v", c.Err)
	}
}

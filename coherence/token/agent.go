package token

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// agent is what the three kinds of controllers have in common.
type agent struct {
	controller.Agent
	p     *Protocol
	table activations
}

// newAgent returns what an agent has in common with others; starving is where its table counts.
func (p *Protocol) newAgent(r coherence.Role, index int, starving *int32) agent {
	return agent{Agent: controller.NewAgent(&p.Chip, r, index), p: p, table: newActivations(p.Cores, starving)}
}

// give takes tokens from a line and sends them. The line's owner releases the frame when nothing is
// left.
func (a *agent) give(out *coherence.Effects, b coherence.Block, l *line, s share, class noc.Class, to coherence.Agent) {
	if s.tokens < 1 || s.tokens > l.Count || s.owner && !l.has(owner) || s.data && !l.has(valid) ||
		l.has(owner) && !s.owner && s.tokens == l.Count {
		a.Fail(b, "%+v cannot be given from %+v", s, *l)
	}
	m := coherence.Message{Block: b, Version: l.Version, Kind: Tokens, Class: class, Count: s.tokens, Sequence: s.answers}
	if to.Role == coherence.Cache {
		m.Requestor = to.Index
	}
	if s.data {
		m.Flags |= coherence.HasData
	}
	if s.owner {
		m.Flags |= isOwner
		if l.has(dirty) && a.p.Seeded != forgetDirty {
			m.Flags |= isDirty
		}
		l.State &^= owner | dirty
	}
	l.Count -= s.tokens
	l.State &^= wrote | all
	if l.Count == 0 && a.p.Seeded != keepValid {
		l.State &^= valid
	}
	if a.p.Seeded == extraToken && class == Response {
		m.Count++
	}
	a.Send(out, m, to)
}

// activations is the table of persistent requests that every agent keeps: one entry per core. The
// agents agree on the core that is served first for a block, because all use the same order, the
// lowest core number.
type activations struct {
	entries  []activation
	active   noc.NodeSet // cores with an active entry
	owed     noc.NodeSet // those whose payment waits for room
	count    *int32      // active entries
	hashed   []uint16    // active entries by hash of their block, so that most searches end at once
	deferred int         // payments that wait for room
}

type activation struct {
	block    coherence.Block
	expected uint32 // sequence number of the core's next message to this agent
	write    bool
	marked   bool // this core has been served after the entry's core had begun to wait: it may not enter before
}

func newActivations(cores int, count *int32) activations {
	return activations{count: count, entries: make([]activation, cores), hashed: make([]uint16, 1<<bits.Len(uint(4*cores))),
		active: noc.NewNodeSet(cores), owed: noc.NewNodeSet(cores)}
}

// waiting returns how many active entries have a block's hash.
func (t *activations) waiting(b coherence.Block) *uint16 {
	return &t.hashed[uint32(b)*0x9e3779b1>>16&uint32(len(t.hashed)-1)]
}

func (t *activations) isActive(core int) bool { return t.active.Has(noc.NodeID(core)) }

// top returns the starver that holders of a block must serve: the lowest active core.
func (t *activations) top(b coherence.Block) (core int, ok bool) {
	if *t.count == 0 || *t.waiting(b) == 0 {
		return 0, false
	}
	for core, ok := t.active.Next(0); ok; core, ok = t.active.Next(core + 1) {
		if t.entries[core].block == b {
			return int(core), true
		}
	}
	return 0, false
}

func (t *activations) set(core int, b coherence.Block, write bool) {
	e := &t.entries[core]
	e.block, e.write, e.marked = b, write, false
	t.active.Add(noc.NodeID(core))
	*t.count++
	*t.waiting(b)++
}

func (t *activations) clear(core int) {
	t.entries[core].marked = false
	t.active.Remove(noc.NodeID(core))
	*t.count--
	*t.waiting(t.entries[core].block)--
	t.paid(core)
}

// mark remembers the cores that wait for a block now.
func (t *activations) mark(b coherence.Block) {
	for core, ok := t.active.Next(0); ok; core, ok = t.active.Next(core + 1) {
		if e := &t.entries[core]; e.block == b {
			e.marked = true
		}
	}
}

// marked reports whether a core that must be served before this one waits for the block.
func (t *activations) marked(b coherence.Block) bool {
	for core, ok := t.active.Next(0); ok; core, ok = t.active.Next(core + 1) {
		if e := &t.entries[core]; e.marked && e.block == b {
			return true
		}
	}
	return false
}

// deferPayment notes that the starver of an entry could not be paid for lack of room, paid that this
// has ended.
func (t *activations) deferPayment(core int) {
	if !t.owed.Has(noc.NodeID(core)) {
		t.owed.Add(noc.NodeID(core))
		t.deferred++
	}
}

func (t *activations) paid(core int) {
	if t.owed.Has(noc.NodeID(core)) {
		t.owed.Remove(noc.NodeID(core))
		t.deferred--
	}
}

// nextDeferred takes the lowest core from the given one on whose payment is deferred, or none.
func (t *activations) nextDeferred(core int) int {
	next, ok := t.owed.Next(noc.NodeID(core))
	if !ok {
		return none
	}
	t.paid(int(next))
	return int(next)
}

// record enters an activation or deactivation that has arrived, and checks that none before it is
// missing.
func (a *agent) record(m coherence.Message) {
	core := int(m.Requestor)
	e := &a.table.entries[core]
	if m.Sequence != e.expected {
		a.Fail(m.Block, "%s of core %d is number %d; number %d must come first", kindNames[m.Kind], core, m.Sequence, e.expected)
	}
	e.expected++
	if a.table.isActive(core) == (m.Kind != Deactivate) || m.Kind == Deactivate && e.block != m.Block {
		a.Fail(m.Block, "%s of core %d, whose entry is %+v", kindNames[m.Kind], core, *e)
	}
	if m.Kind == Deactivate {
		a.table.clear(core)
	} else {
		a.table.set(core, m.Block, m.Kind == ActivateWrite)
	}
}

// line is one controller's share of a block. The version is that of the data, when valid; the state
// is a set of flags; block and miss are for L1s only.
type line coherence.CacheLine

const none = controller.None

// flags are the facts about a line from which its state follows.
type flags = uint8

const (
	valid     flags = 1 << iota // the data is current: set by tokens that come with data, cleared with the last token
	owner                       // the owner token is here
	dirty                       // property of the owner token: the data differs from memory
	wrote                       // this core wrote since it got all tokens: the block is migratory
	all                         // every token is here
	readMiss                    // an open miss wants to read
	writeMiss                   // an open miss wants to write

	combinations = 1 << 7 // of flags
)

// slot returns the MSHR of a line's open miss, or none.
func (l *line) slot() int { return int(l.Miss) - 1 }

func (l *line) has(f flags) bool { return l.State&f != 0 }

// merge adds the tokens of a message to a line.
func (a *agent) merge(l *line, m coherence.Message) {
	if m.Count < 1 || l.Count+m.Count > a.p.tokens {
		a.Fail(m.Block, "%d tokens arrive where %d are; a block has %d", m.Count, l.Count, a.p.tokens)
	}
	l.Count += m.Count
	if l.Count == a.p.tokens {
		l.State |= all
	}
	if m.Has(coherence.HasData) {
		if l.has(valid) && l.Version != m.Version {
			a.Fail(m.Block, "version %d arrives where version %d is", m.Version, l.Version)
		}
		l.Version = m.Version
		l.State |= valid
	}
	if a.p.Seeded == trustTokens {
		l.State |= valid
	}
	if m.Has(isOwner) {
		if l.has(owner) {
			a.Fail(m.Block, "a second owner token arrives")
		}
		l.State |= owner
		if m.Has(isDirty) {
			l.State |= dirty
		}
	}
	if l.has(owner) && !l.has(valid) {
		a.Fail(m.Block, "the owner token is here without data")
	}
	if l.has(all) && !l.has(owner) {
		a.Fail(m.Block, "all %d tokens are here and none is the owner", l.Count)
	}
}

// share is what a holder parts with.
type share struct {
	tokens  int16
	owner   bool
	data    bool
	answers uint32 // number of the transient request that it answers; 0 none
}

// everything returns all that a line has, with data if it has the owner token.
func (l *line) everything() share {
	return share{tokens: l.Count, owner: l.has(owner), data: l.has(owner)}
}

// readShare returns what a readable line answers a reader with when it does not part with the
// block: data and one token, a plain one if there is any.
func (l *line) readShare() share {
	return share{tokens: 1, owner: l.has(owner) && l.Count == 1, data: true}
}

// payment returns what a cache or bank owes the top starver. A starving writer gets everything; a
// starving reader leaves one plain token to every cache that has one.
func (l *line) payment(write bool) share {
	if write || l.Count == 1 && l.has(owner) {
		return l.everything()
	}
	return share{tokens: max(l.Count-1, 0), owner: l.has(owner), data: l.has(owner)}
}

// audit returns the line as seen from outside.
func (l *line) audit(state uint8) coherence.Line {
	return coherence.Line{
		State: state, Count: l.Count, Version: l.Version,
		Owner: l.has(owner), Dirty: l.has(dirty), Valid: l.has(valid),
		Readable: l.has(valid), Writable: l.has(all) && l.has(valid), Busy: l.has(readMiss | writeMiss),
	}
}

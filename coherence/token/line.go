package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

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

package cmp

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
)

// auditor verifies the protocol's laws while the chip runs: every AuditEvery cycles and at the end for
// the blocks that were touched since the caches were filled, and every CheckEvery cycles for those
// that were touched since the last check. What the caches are filled with was audited before.
type auditor struct {
	chip      *System
	checking  bool
	nextCheck noc.Cycle
	blocks    histories
	lines     []coherence.AgentLine
	messages  []coherence.Message
	parts     coherence.Audit
	used      coherence.BlockFilter // touched since the caches were filled
}

// startChecking turns on the checks of every access and every touched block.
func (a *auditor) startChecking() { a.checking, a.blocks = true, newHistories() }

// touch notes that a block's state may have changed.
func (a *auditor) touch(b coherence.Block) {
	a.used.Add(b)
	if a.checking {
		a.blocks.touch(b)
	}
}

// checkValue verifies that an access saw the latest data: a store makes the next version,
// everything else sees the last one made.
func (a *auditor) checkValue(core int, b coherence.Block, kind coherence.AccessKind, v coherence.Version) {
	h := a.blocks.Get(b)
	if kind.IsWrite() {
		h.write(a.chip.now)
	}
	if v != h.latest {
		a.chip.fail(fmt.Errorf("cycle %d, core %d, block %#x: the %s has version %d, but the latest is %d",
			a.chip.now, core, b, kind, v, h.latest))
	}
}

// checkPast verifies that a read whose block was invalidated before its data came saw a version
// that was the latest in or after the cycle in which its miss started.
func (a *auditor) checkPast(core int, b coherence.Block, d *coherence.Completion) {
	h := a.blocks.Get(b)
	if d.Kind.IsWrite() || d.Version > h.latest || h.replaced(d.Version) < d.Since {
		a.chip.fail(fmt.Errorf("cycle %d, core %d, block %#x: a read that started in cycle %d has version %d, which was no longer the latest then",
			a.chip.now, core, b, d.Since, d.Version))
	}
}

// check verifies the blocks touched since the last check, when it is time.
func (a *auditor) check() {
	if a.chip.now < a.nextCheck {
		return
	}
	a.nextCheck = (a.chip.now/a.chip.config.CheckEvery + 1) * a.chip.config.CheckEvery
	for _, b := range a.blocks.touched {
		a.blocks.Get(b).touched = false
		if err := a.checkBlock(b); err != nil {
			a.chip.fail(err)
			return
		}
	}
	a.blocks.touched = a.blocks.touched[:0]
}

// checkBlock verifies one block together with its messages in flight. It checks the protocol's
// laws, and that an L1 still has the block, or has requested it again, if a speculative load of its
// core has read it.
func (a *auditor) checkBlock(b coherence.Block) error {
	a.lines = a.lines[:0]
	a.gather(func(m *coherence.Message) bool { return m.Block == b })
	if err := a.parts.CheckOne(b, a.lines, a.messages); err != nil {
		return fmt.Errorf("cycle %d: %w", a.chip.now, err)
	}
	for i := range a.chip.cores {
		c := &a.chip.cores[i]
		if !c.Speculative(b) {
			continue
		}
		if l := c.cache.Line(b); !l.Readable && !l.Busy {
			return fmt.Errorf("cycle %d, core %d, block %#x: a load has read the block before an older load, and the L1 has given the block up", a.chip.now, i, uint32(b))
		}
	}
	return nil
}

// gather lists the messages in flight that are wanted.
func (a *auditor) gather(wanted func(m *coherence.Message) bool) {
	a.messages = a.messages[:0]
	for i := range a.chip.nic.flights.all {
		if f := &a.chip.nic.flights.all[i]; f.live && wanted(&f.send.Message) {
			a.messages = append(a.messages, f.send.Message)
		}
	}
}

// checkNow verifies every block that was touched or that any message carries.
func (a *auditor) checkNow() error {
	a.gather(func(*coherence.Message) bool { return true })
	for i := range a.messages {
		a.used.Add(a.messages[i].Block)
	}
	a.parts.InFlight = a.messages
	if err := a.parts.Check(false); err != nil {
		return fmt.Errorf("cycle %d: %w", a.chip.now, err)
	}
	return nil
}

// checkEnd verifies every block that was touched, and that nothing waits, once all is quiet.
func (a *auditor) checkEnd() error {
	a.parts.InFlight = nil
	if err := a.parts.Check(true); err != nil {
		return fmt.Errorf("at the end, in cycle %d: %w", a.chip.now, err)
	}
	return nil
}

// rememberedVersions bounds how many of a block's latest versions are kept with the cycle in which
// they were made.
const rememberedVersions = 1024

// history is what checks know of one block.
type history struct {
	touched bool // listed in histories.touched
	latest  coherence.Version
	// made holds when version v was made, at index (v-1)%rememberedVersions.
	made []noc.Cycle
}

// write notes that the next version has been made.
func (h *history) write(now noc.Cycle) {
	if at := int(h.latest % rememberedVersions); at < len(h.made) {
		h.made[at] = now
	} else {
		h.made = append(h.made, now)
	}
	h.latest++
}

// replaced returns when version v ceased to be the latest, which is when the next one was made;
// Never while it is. Of older versions than those kept it returns the latest time at
// which that can have been.
func (h *history) replaced(v coherence.Version) noc.Cycle {
	if v >= h.latest {
		return noc.Never
	}
	if h.latest > rememberedVersions {
		v = max(v, h.latest-rememberedVersions)
	}
	return h.made[v%rememberedVersions]
}

// histories are those of every block that a checked run has used.
type histories struct {
	blocktable.Table[coherence.Block, history]
	touched []coherence.Block // whose state may have changed since the last check
}

func newHistories() histories {
	return histories{Table: blocktable.New[coherence.Block](history{})}
}

// touch lists a block for the next check.
func (t *histories) touch(b coherence.Block) {
	if h := t.Get(b); !h.touched {
		h.touched = true
		t.touched = append(t.touched, b)
	}
}

package cmp

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// audit verifies the protocol's laws while the chip runs: now and then and at the end for all blocks, and
// every CheckEvery cycles for the blocks touched since the last time.
type audit struct {
	checking  bool
	nextCheck noc.Cycle
	blocks    histories
	lines     []coherence.AgentLine
	messages  []coherence.Message
	parts     coherence.Audit
}

// startChecking makes every access and every block touched be verified.
func (a *audit) startChecking() { a.checking, a.blocks = true, newHistories() }

// touch notes that a block's state may have changed.
func (s *System) touch(b coherence.Block) {
	if s.checking {
		s.blocks.touch(b)
	}
}

// checkValue verifies that an access saw the latest data: a store makes the next version, everything else
// sees the last one made.
func (s *System) checkValue(core int, b coherence.Block, kind coherence.AccessKind, v coherence.Version) {
	h := &s.blocks.all[s.blocks.get(b)]
	if kind.IsWrite() {
		h.write(s.now)
	}
	if v != h.latest {
		s.fail(fmt.Errorf("cycle %d, core %d, block %#x: an access of kind %d has version %d, but the latest is %d",
			s.now, core, b, kind, v, h.latest))
	}
}

// checkHit verifies an access that has been performed at once.
func (s *System) checkHit(core int, b coherence.Block, kind coherence.AccessKind, v coherence.Version) {
	s.touch(b)
	s.checkValue(core, b, kind, v)
}

// checkPast verifies that a read whose block was invalidated before its data came saw a version that was
// the latest in or after the cycle in which its miss started.
func (s *System) checkPast(core int, b coherence.Block, d *coherence.Completion) {
	h := &s.blocks.all[s.blocks.get(b)]
	if d.Kind.IsWrite() || d.Version > h.latest || h.replaced(d.Version) < d.Since {
		s.fail(fmt.Errorf("cycle %d, core %d, block %#x: a read that started in cycle %d has version %d, which was no longer the latest then",
			s.now, core, b, d.Since, d.Version))
	}
}

// check verifies the blocks touched since the last check, when it is time.
func (s *System) check() {
	if s.now < s.nextCheck {
		return
	}
	s.nextCheck = (s.now/s.config.CheckEvery + 1) * s.config.CheckEvery
	for _, i := range s.blocks.touched {
		h := &s.blocks.all[i]
		h.touched = false
		if err := s.checkBlock(h.block); err != nil {
			s.fail(err)
			return
		}
	}
	s.blocks.touched = s.blocks.touched[:0]
}

// checkBlock verifies one block with the messages in flight for it.
func (s *System) checkBlock(b coherence.Block) error {
	s.lines, s.messages = s.lines[:0], s.messages[:0]
	for i := range s.flights.all {
		if f := &s.flights.all[i]; f.live && f.send.Block == b {
			s.messages = append(s.messages, f.send.Message)
		}
	}
	if err := s.parts.CheckOne(b, s.lines, s.messages); err != nil {
		return fmt.Errorf("cycle %d: %w", s.now, err)
	}
	return nil
}

// checkNow verifies every block that any controller knows or any message carries.
func (s *System) checkNow() error {
	s.messages = s.messages[:0]
	for i := range s.flights.all {
		if f := &s.flights.all[i]; f.live {
			s.messages = append(s.messages, f.send.Message)
		}
	}
	s.parts.InFlight = s.messages
	if err := s.parts.Check(false); err != nil {
		return fmt.Errorf("cycle %d: %w", s.now, err)
	}
	return nil
}

// checkEnd verifies every block that any controller knows, and that nothing waits, once all is quiet.
func (s *System) checkEnd() error {
	s.parts.InFlight = nil
	if err := s.parts.Check(true); err != nil {
		return fmt.Errorf("at the end, in cycle %d: %w", s.now, err)
	}
	return nil
}

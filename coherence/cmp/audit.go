package cmp

import (
	"fmt"
	"sort"

	"github.com/carousel-sim/carousel/coherence"
)

// audit verifies the protocol's laws while the chip runs: after every cycle for the blocks touched in it
// when CheckEvery is 1, and for all blocks at the end of every run.
type audit struct {
	checking bool
	touched  []coherence.Block
	latest   map[coherence.Block]coherence.Version
	lines    []coherence.AgentLine
	messages []coherence.Message
}

func newAudit() audit {
	return audit{checking: true, latest: map[coherence.Block]coherence.Version{}}
}

// touch notes that a block's state may have changed.
func (s *System) touch(b coherence.Block) {
	if s.checking {
		s.touched = append(s.touched, b)
	}
}

// checkValue verifies that an access saw the latest data: a store makes the next version, everything else
// sees the last one made.
func (s *System) checkValue(core int, b coherence.Block, kind coherence.AccessKind, v coherence.Version) {
	want := s.latest[b]
	if kind.IsWrite() {
		want++
		s.latest[b] = v
	}
	if v != want {
		s.fail(fmt.Errorf("cycle %d, core %d, block %#x: an access of kind %d has version %d, but the latest is %d",
			s.now, core, b, kind, v, want))
	}
}

// check verifies the blocks touched since the last check, when it is time.
func (s *System) check() {
	if !s.checking || s.now%s.config.CheckEvery != 0 {
		return
	}
	for _, b := range s.touched {
		if err := s.checkBlock(b, false); err != nil {
			s.fail(err)
			return
		}
	}
	s.touched = s.touched[:0]
}

// checkBlock gives the protocol every controller's line and every message of a block.
func (s *System) checkBlock(b coherence.Block, final bool) error {
	s.lines, s.messages = s.lines[:0], s.messages[:0]
	for i, c := range s.caches {
		s.lines = append(s.lines, coherence.AgentLine{Agent: s.agentOf(i), Line: c.Line(b)})
	}
	for _, a := range []int{s.bankAgent(b), s.memoryAgent(b)} {
		s.lines = append(s.lines, coherence.AgentLine{Agent: s.agentOf(a), Line: s.controller(a).Line(b)})
	}
	for i := range s.flights.all {
		if f := &s.flights.all[i]; f.live && f.send.Block == b {
			s.messages = append(s.messages, f.send.Message)
		}
	}
	if err := s.protocol.CheckBlock(b, s.lines, s.messages, final); err != nil {
		return fmt.Errorf("cycle %d, block %#x: %w", s.now, b, err)
	}
	return nil
}

// checkAll verifies every block that any controller knows.
func (s *System) checkAll(final bool) error {
	seen := map[coherence.Block]bool{}
	for _, c := range s.agents {
		c.VisitLines(func(b coherence.Block, _ coherence.Line) { seen[b] = true })
	}
	blocks := make([]coherence.Block, 0, len(seen))
	for b := range seen {
		blocks = append(blocks, b)
	}
	sort.Slice(blocks, func(i, k int) bool { return blocks[i] < blocks[k] })
	for _, b := range blocks {
		if err := s.checkBlock(b, final); err != nil {
			return err
		}
	}
	return nil
}

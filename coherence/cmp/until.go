package cmp

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// reached reports whether the run has come to the end of the part that is measured, or to a limit of its
// configuration, and says when to ask again. A
// limit ends the run at the start of a cycle, whatever is under way: it depends on neither the form of
// the core nor the cycles that are visited.
func (s *System) reached() bool {
	if s.now < s.mayReach {
		return false
	}
	s.mayReach = noc.Never
	if s.part.to > 0 {
		if over := s.part.come(s); over || !s.part.started { // limits are those of the part
			return over
		}
	}
	if at := s.config.UntilCycles; at > 0 {
		s.mayReach = s.part.start + at
	}
	if most := s.config.UntilInstructions; most > 0 && s.running > 0 {
		var retired uint64
		for i := range s.cores {
			retired += s.cores[i].instructions()
		}
		for i := range s.part.base.cores {
			retired -= s.part.base.cores[i].Result.Instructions
		}
		if retired >= most {
			return true
		}
		cycles := (most - retired - 1) / uint64(s.config.Core.Width*len(s.cores))
		s.mayReach = min(s.mayReach, s.now+1+noc.Cycle(cycles))
	}
	return s.now >= s.mayReach && s.running > 0
}

// conclude verifies the protocol's laws at the end of a run.
func (s *System) conclude() error {
	if s.running > 0 {
		s.finish = s.now
	}
	switch {
	case s.part.to > 0 && !s.part.started:
		return fmt.Errorf("measuring starts after %d records of all cores, and the trace has %d; sample it again", s.part.from, s.progress().Records)
	case s.running > 0 || s.part.over:
		return s.audit.checkNow()
	}
	return s.audit.checkEnd()
}

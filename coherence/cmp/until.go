package cmp

import "github.com/carousel-sim/carousel/noc"

// reached reports whether the run has come to a limit of its configuration, and says when to ask again. A
// limit ends the run at the start of a cycle, whatever is under way: it depends on neither the form of
// the core nor the cycles that are visited.
func (s *System) reached() bool {
	if s.now < s.mayReach {
		return false
	}
	s.mayReach = noc.Never
	if at := s.config.UntilCycles; at > 0 {
		s.mayReach = at
	}
	if most := s.config.UntilInstructions; most > 0 && s.running > 0 {
		var retired uint64
		for i := range s.cores {
			retired += s.cores[i].instructions()
		}
		if retired >= most {
			return true
		}
		cycles := (most - retired - 1) / uint64(s.config.Core.Width*len(s.cores))
		s.mayReach = min(s.mayReach, s.now+1+noc.Cycle(cycles))
	}
	return s.now >= s.mayReach && s.running > 0
}

// conclude ends the accounts of cores that a limit has stopped, and verifies the protocol's laws.
func (s *System) conclude() error {
	if s.running == 0 {
		return s.audit.checkEnd()
	}
	for i := range s.cores {
		if c := &s.cores[i]; !c.finished {
			c.chargeStall(s.now)
			c.result.FinishCycle = s.now
		}
	}
	s.finish = s.now
	return s.audit.checkNow()
}

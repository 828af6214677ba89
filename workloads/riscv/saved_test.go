package riscv

import (
	"context"
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// TestImpossibleStates: what a saved state says is checked before anything relies on it.
func TestImpossibleStates(t *testing.T) {
	c := DefaultConfig()
	c.Threads, c.Arguments = 2, []string{"barriers", "2", "2"}
	p := must.Get(Load("kernels", kernels.Executable, c))
	list := must.Get(p.Windows(context.Background(), WindowConfig{Windows: 1, Instructions: 500}))
	for name, change := range map[string]func(s *saved, pages map[uint32]*page){
		"":                          func(*saved, map[uint32]*page) {},
		"sleeper of no hart":        func(s *saved, _ map[uint32]*page) { s.Sleepers = append(s.Sleepers, savedSleep{Hart: 2}) },
		"sleeper before the first":  func(s *saved, _ map[uint32]*page) { s.Sleepers = append(s.Sleepers, savedSleep{Hart: -1}) },
		"sleeps twice":              func(s *saved, _ map[uint32]*page) { s.Sleepers = []savedSleep{{Hart: 1}, {Hart: 1}} },
		"a hart too few":            func(s *saved, _ map[uint32]*page) { s.Harts = s.Harts[1:] },
		"page behind the last":      func(_ *saved, pages map[uint32]*page) { pages[spacePages] = &page{} },
		"state behind the last":     func(s *saved, _ map[uint32]*page) { s.States = append(s.States, stretch{First: spacePages}) },
		"states that go back":       func(s *saved, _ map[uint32]*page) { s.States = []stretch{{5, mapped}, {3, mapped}} },
		"mapping behind the last":   func(s *saved, _ map[uint32]*page) { s.Mappings = []mapping{{End: spacePages + 1}} },
		"mapping that goes back":    func(s *saved, _ map[uint32]*page) { s.Mappings[0].First = s.Mappings[0].End + 1 },
		"backed without a mapping":  func(s *saved, _ map[uint32]*page) { s.Mappings = nil },
		"mapping of a huge address": func(s *saved, _ map[uint32]*page) { s.Mappings = []mapping{{First: 1 << 63, End: 1<<63 + 1}} },
	} {
		s, pages := list.list[0].save(&packed{}).saved, map[uint32]*page{}
		for _, x := range list.list[0].memory.pages {
			pages[x.number] = x.page
		}
		change(&s, pages)
		if _, err := s.window(p, pages); (name == "") != (err == nil) || err != nil && !errors.Is(err, errState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

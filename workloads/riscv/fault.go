package riscv

import (
	"debug/elf"
	"fmt"
	"sort"
	"strings"
)

// Fault is what ends a program that cannot go on: what it did, where, and what to do about it.
type Fault struct {
	Program string
	Thread  int    // of the program, from 0; -1 where it is not one thread's
	Place   string // address, and function where the executable has symbols
	What    string
	Hint    string
	Wrote   string // what the program wrote last, if it was not shown
}

// Error names the place and the fix.
func (f *Fault) Error() string {
	text := f.Program + ": "
	if f.Thread >= 0 {
		text += fmt.Sprintf("thread %d at %s: ", f.Thread, f.Place)
	}
	return text + f.What + "; " + f.Hint + f.Wrote
}

func faultf(format string, values ...any) *Fault {
	return &Fault{What: fmt.Sprintf(format, values...)}
}

// fix says what to do about it.
func (f *Fault) fix(hint string) *Fault {
	f.Hint = hint
	return f
}

// fail ends the program because of what a hart has done, or because of the whole program if h is
// nil. The first fault counts.
func (m *Machine) fail(h *hart, f *Fault) {
	if m.fault != nil {
		return
	}
	f.Program, f.Thread = m.program.Name, -1
	if h != nil {
		f.Thread, f.Place = h.id, m.program.place(h.pc)
	}
	f.Wrote = m.wrote()
	m.fault = f
}

// symbols are the functions of an executable, by address.
type symbols []elf.Symbol

func newSymbols(f *elf.File) symbols {
	all, err := f.Symbols()
	if err != nil {
		return nil // a stripped executable has none
	}
	var list symbols
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC || elf.ST_TYPE(s.Info) == elf.STT_NOTYPE && !strings.HasPrefix(s.Name, "$") && s.Value != 0 {
			list = append(list, s)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Value < list[j].Value })
	return list
}

// place names an address, with its function and the offset in it if that is known.
func (p *Program) place(address uint64) string {
	text, list := fmt.Sprintf("%#x", address), p.symbols
	i := sort.Search(len(list), func(i int) bool { return list[i].Value > address }) - 1
	if i < 0 || list[i].Size > 0 && address >= list[i].Value+list[i].Size {
		return text
	}
	if offset := address - list[i].Value; offset > 0 {
		return fmt.Sprintf("%s (%s+%#x)", text, list[i].Name, offset)
	}
	return text + " (" + list[i].Name + ")"
}

package riscv

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/carousel-sim/carousel/traces"
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

// fail ends the program because of what a hart has done, or because of the whole program if h is
// nil. The hint says what to do about it. The first fault counts.
func (m *Machine) fail(h *hart, hint, what string, values ...any) {
	if m.fault != nil {
		return
	}
	m.fault = &Fault{Program: m.program.Name, Thread: -1, What: fmt.Sprintf(what, values...), Hint: hint, Wrote: m.wrote()}
	if h != nil {
		m.fault.Thread, m.fault.Place = h.id, m.program.place(h.pc)
	}
}

// symbolsOf lists the functions of an executable that is loaded at a base, by address.
func symbolsOf(f *elf.File, base uint64) (list []elf.Symbol) {
	all, err := f.Symbols()
	if err != nil {
		return nil // a stripped executable has none
	}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC || elf.ST_TYPE(s.Info) == elf.STT_NOTYPE && !strings.HasPrefix(s.Name, "$") && s.Value != 0 {
			s.Value += base
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return list
}

// variablesOf lists the variables of an executable that is loaded at a base, by address. Constants
// are left out: no core takes them from another one.
func variablesOf(f *elf.File, base uint64) (list []traces.Symbol) {
	all, _ := f.Symbols()
	for _, s := range all {
		section := int(s.Section) // below the special numbers
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Size > 0 && section < len(f.Sections) && f.Sections[section].Flags&elf.SHF_WRITE != 0 {
			list = append(list, traces.Symbol{Name: s.Name, Address: base + s.Value, Bytes: s.Size})
		}
	}
	slices.SortStableFunc(list, func(a, b traces.Symbol) int { return cmp.Compare(a.Address, b.Address) })
	return list
}

// SymbolsAt implements [traces.Named].
func (m *Machine) SymbolsAt(block, bytes uint64) ([]string, error) {
	for i, p := range m.memory.pages {
		if virtual := uint64(i)<<pageBits | block%pageBytes; p != nil && physical(virtual) == block {
			return traces.SymbolsIn(m.program.variables, virtual, bytes), nil
		}
	}
	return nil, nil
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

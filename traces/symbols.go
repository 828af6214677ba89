package traces

import (
	"slices"
	"sort"
)

// Symbol is a variable of a recorded program, which has a place of its own in memory.
type Symbol struct {
	Name    string `json:"name"`
	Address uint64 `json:"address"` // virtual
	Bytes   uint64 `json:"bytes"`
}

// Named is implemented by sources that know variables of the program.
type Named interface {
	// SymbolsAt names the variables that have some of the bytes of a block of LineBytes at a physical
	// address, in the order of their addresses. bytes has a bit for each byte that counts.
	SymbolsAt(block, bytes uint64) ([]string, error)
}

// SymbolsIn names the symbols that have some of the bytes of a block at a virtual address. The list
// is ordered by address.
func SymbolsIn(list []Symbol, block, bytes uint64) (names []string) {
	end := sort.Search(len(list), func(i int) bool { return list[i].Address >= block+LineBytes })
	for _, s := range list[:end] {
		from, to := max(s.Address, block), min(s.Address+s.Bytes, block+LineBytes)
		if from < to && bytes>>(from-block)<<(64-(to-from)) != 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// SymbolsAt implements [Named], for recordings with symbols, whose cores share one address space.
func (f *File) SymbolsAt(block, bytes uint64) ([]string, error) {
	if len(f.metadata.Symbols) == 0 {
		return nil, nil
	}
	pages, err := f.ReadPages(0)
	i := slices.IndexFunc(pages, func(p Page) bool { return p.Frame == block/PageBytes })
	if err != nil || i < 0 {
		return nil, err
	}
	return SymbolsIn(f.metadata.Symbols, pages[i].Virtual*PageBytes+block%PageBytes, bytes), nil
}

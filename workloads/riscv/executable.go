package riscv

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/traces"
)

const compileHint = "compile it with riscv64-linux-gnu-gcc -static, or zig cc -target riscv64-linux-musl -static"

// elfFile is an executable in ELF format. Reading it takes little more memory than the file has
// bytes, whatever they are, which package elf does not promise.
type elfFile struct {
	elf.Header64
	content  []byte
	segments []elf.Prog64
	sections []elf.Section64
}

// mostSegments is how many program headers Linux accepts.
const mostSegments = 65536 / 56

// readExecutable reads the headers of an executable for RISC-V.
func readExecutable(content []byte) (*elfFile, error) {
	if !bytes.HasPrefix(content, []byte(elf.ELFMAG)) {
		return nil, fmt.Errorf("it is not in ELF format; %s", compileHint)
	}
	e := &elfFile{content: content}
	if _, err := binary.Decode(content, binary.LittleEndian, &e.Header64); err != nil {
		return nil, e.truncated()
	}
	machine, class, data := elf.Machine(e.Machine), elf.Class(e.Ident[elf.EI_CLASS]), elf.Data(e.Ident[elf.EI_DATA])
	switch kind := elf.Type(e.Type); {
	case machine != elf.EM_RISCV || class != elf.ELFCLASS64 || data != elf.ELFDATA2LSB:
		return nil, fmt.Errorf("it is for %v, %v, %v; %s", machine, class, data, compileHint)
	case kind != elf.ET_EXEC && kind != elf.ET_DYN:
		return nil, fmt.Errorf("it is of type %v, and must be an executable; %s", kind, compileHint)
	case e.Phnum > mostSegments:
		return nil, fmt.Errorf("it has %d program headers, and %d are allowed; %s", e.Phnum, mostSegments, compileHint)
	}
	err := readTable(e, &e.segments, e.Phoff, e.Phnum, e.Phentsize)
	if err == nil {
		err = readTable(e, &e.sections, e.Shoff, e.Shnum, e.Shentsize)
	}
	return e, err
}

func (e *elfFile) truncated() error {
	return fmt.Errorf("it ends after %d bytes, before its headers do; the file is truncated, or not an executable", len(e.content))
}

// part returns some bytes of the file.
func (e *elfFile) part(at, bytes uint64) ([]byte, bool) {
	if all := uint64(len(e.content)); at > all || bytes > all-at {
		return nil, false
	}
	return e.content[at:][:bytes], true
}

// readTable reads headers, each of which has so many bytes.
func readTable[T any](e *elfFile, into *[]T, at uint64, count, bytes uint16) error {
	want := binary.Size(*new(T))
	if count > 0 && int(bytes) != want {
		return fmt.Errorf("it has headers of %d bytes, and not of %d; %s", bytes, want, compileHint)
	}
	part, ok := e.part(at, uint64(count)*uint64(want))
	if !ok {
		return e.truncated()
	}
	*into = make([]T, count)
	_, err := binary.Decode(part, binary.LittleEndian, *into)
	return err
}

// load puts the executable and the first stack into memory.
func (p *Program) load(content []byte) error {
	e, err := readExecutable(content)
	if err != nil {
		return err
	}
	base := uint64(0)
	if elf.Type(e.Type) == elf.ET_DYN {
		base = 1 << 16 // linked statically, it moves itself to where it is
	}
	headers, end := uint64(0), uint64(lowest)
	for i := range e.segments {
		s := &e.segments[i]
		switch elf.ProgType(s.Type) {
		case elf.PT_INTERP:
			return fmt.Errorf("it is linked dynamically; %s", compileHint)
		case elf.PT_GNU_STACK:
			p.onStack |= permissions(s.Flags) & executable
		case elf.PT_LOAD:
			if end, err = p.segment(e, s, base, end); err != nil {
				return err
			}
			if s.Off <= e.Phoff && e.Phoff < s.Off+s.Filesz {
				headers = base + s.Vaddr + e.Phoff - s.Off
			}
		}
	}
	if p.end == 0 {
		return fmt.Errorf("it has no segments to load; %s", compileHint)
	}
	p.entry = base + e.Entry
	if err := p.readSymbols(e, base); err != nil {
		return err
	}
	return p.firstStack(headers, uint64(len(e.segments)))
}

// Places in the address space.
const (
	lowest     = 1 << 16
	heapLimit  = 1 << 30                 // of executable and heap
	mapsTop    = (1<<spaceBits - 32<<20) // memory mappings lie below, growing downwards
	stackTop   = 1<<spaceBits - 64<<10   // of the first thread's
	stackPages = 8 << 20 >> pageBits     // its size
)

// permissions returns the state of the pages of a segment.
func permissions(flags uint32) state {
	bits := uint64(0)
	for i, flag := range []elf.ProgFlag{elf.PF_R, elf.PF_W, elf.PF_X} {
		if elf.ProgFlag(flags)&flag != 0 {
			bits |= 1 << i
		}
	}
	return protection(bits)
}

// segment loads one segment, which lies behind those before it, and returns its end.
func (p *Program) segment(e *elfFile, s *elf.Prog64, base, before uint64) (end uint64, err error) {
	from, end := base+s.Vaddr, base+s.Vaddr+s.Memsz
	switch {
	case from < lowest || end < from || end > heapLimit || s.Filesz > s.Memsz:
		return 0, fmt.Errorf("a segment lies at %#x to %#x; programs must lie between %#x and %#x, where linkers put them", from, end, lowest, heapLimit)
	case from < before:
		return 0, fmt.Errorf("a segment lies at %#x to %#x, and the one before it ends at %#x; segments must have ascending addresses, as linkers put them", from, end, before)
	}
	data, ok := e.part(s.Off, s.Filesz)
	if !ok {
		return 0, fmt.Errorf("a segment of %d bytes cannot be read; the file may be truncated", s.Filesz)
	}
	first, last, inside := from>>pageBits, pagesFor(end), pagesFor(from+s.Filesz)
	p.image.set(first, last, protection(2)) // neighbours may share a page
	p.image.copyIn(from, data)
	p.image.set(first, last, permissions(s.Flags))
	if s.Filesz > 0 {
		p.image.set(first, inside, permissions(s.Flags)|backed)
		p.image.mappings = append(p.image.mappings, mapping{First: first, End: inside})
	}
	if s.Flags&uint32(elf.PF_X) != 0 {
		for at := 0; at+4 <= len(data) && !p.marked; at += 2 {
			p.marked = binary.LittleEndian.Uint32(data[at:]) == RegionBegin
		}
	}
	p.end = max(p.end, last<<pageBits)
	return end, nil
}

// mostNames is how many bytes the names of all symbols may have together.
const mostNames = 64 << 20

// readSymbols lists the functions and the variables of an executable that is loaded at a base. A
// stripped executable has none.
func (p *Program) readSymbols(e *elfFile, base uint64) error {
	i := slices.IndexFunc(e.sections, func(s elf.Section64) bool { return elf.SectionType(s.Type) == elf.SHT_SYMTAB })
	if i < 0 {
		return nil
	}
	table := &e.sections[i]
	if int(table.Link) >= len(e.sections) {
		return errors.New("its symbols have no names; strip it, or link it again")
	}
	texts := &e.sections[table.Link]
	if (table.Flags|texts.Flags)&uint64(elf.SHF_COMPRESSED) != 0 {
		return errors.New("its symbol table is compressed; strip it, or link it again without compression")
	}
	part, ok1 := e.part(table.Off, table.Size)
	names, ok2 := e.part(texts.Off, texts.Size)
	if !ok1 || !ok2 {
		return fmt.Errorf("its symbol table lies behind its end at %d bytes; the file may be truncated", len(e.content))
	}
	all, bytes, text := make([]elf.Sym64, len(part)/elf.Sym64Size), 0, string(names)
	_, _ = binary.Decode(part, binary.LittleEndian, all) // as many as part has
	for i := range all {
		s := &all[i]
		name := text[min(len(text), int(s.Name)):]
		if n := strings.IndexByte(name, 0); n >= 0 {
			name = name[:n]
		}
		if bytes += len(name); bytes > mostNames {
			return fmt.Errorf("the names of its symbols take more than %d bytes; strip it", mostNames)
		}
		p.addSymbol(e, s, printable.Name(name), base)
	}
	slices.SortStableFunc(p.symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	slices.SortStableFunc(p.variables, func(a, b traces.Symbol) int { return cmp.Compare(a.Address, b.Address) })
	return nil
}

// addSymbol takes a symbol if it is a function or a variable. Constants are left out: no core takes
// them from another one.
func (p *Program) addSymbol(e *elfFile, s *elf.Sym64, name string, base uint64) {
	switch kind, section := elf.ST_TYPE(s.Info), int(s.Shndx); {
	case kind == elf.STT_FUNC, kind == elf.STT_NOTYPE && !strings.HasPrefix(name, "$") && s.Value != 0:
		p.symbols = append(p.symbols, elf.Symbol{Name: name, Value: base + s.Value, Size: s.Size})
	case kind == elf.STT_OBJECT && s.Size > 0 && section < len(e.sections) && e.sections[section].Flags&uint64(elf.SHF_WRITE) != 0:
		p.variables = append(p.variables, traces.Symbol{Name: name, Address: base + s.Value, Bytes: s.Size})
	}
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

package riscv

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// withSymbols adds sections with symbols and their names to an executable.
func withSymbols(content []byte, symbols []elf.Sym64, names []byte, flags elf.SectionFlag) []byte {
	content = slices.Clone(content)
	add := func(s elf.Section64, part []byte) elf.Section64 {
		s.Off, s.Size = uint64(len(content)), uint64(len(part))
		content = append(content, part...)
		return s
	}
	table := must.Get(binary.Append(nil, binary.LittleEndian, symbols))
	sections := []elf.Section64{{},
		add(elf.Section64{Type: uint32(elf.SHT_SYMTAB), Link: 2, Flags: uint64(flags)}, table),
		add(elf.Section64{Type: uint32(elf.SHT_STRTAB), Flags: uint64(flags)}, names),
		{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_WRITE)}}
	at := len(content)
	content = must.Get(binary.Append(content, binary.LittleEndian, sections))
	binary.LittleEndian.PutUint64(content[40:], uint64(at)) // Shoff
	binary.LittleEndian.PutUint16(content[58:], 64)
	binary.LittleEndian.PutUint16(content[60:], uint16(len(sections)))
	return content
}

// withSegments makes an executable with other segments.
func withSegments(content []byte, segments []elf.Prog64) []byte {
	content = slices.Clone(content)
	binary.LittleEndian.PutUint64(content[32:], uint64(len(content))) // Phoff
	binary.LittleEndian.PutUint16(content[56:], uint16(len(segments)))
	return must.Get(binary.Append(content, binary.LittleEndian, segments))
}

// plainProgram is an executable that ends at once.
func plainProgram(t *testing.T) []byte {
	p := &program{t: t}
	p.call(94)
	return p.elf()
}

// Functions and variables have their names and places.
func TestSymbols(t *testing.T) {
	const function, object = byte(elf.STT_FUNC), byte(elf.STT_OBJECT)
	content := withSymbols(plainProgram(t), []elf.Sym64{{},
		{Name: 5, Info: object, Shndx: 3, Value: dataAt + 8, Size: 8}, {Name: 1, Info: function, Value: codeAt, Size: 4},
		{Name: 8, Info: object, Shndx: 1, Value: codeAt, Size: 8}, // a constant
		{Name: 1 << 30, Info: function, Value: codeAt + 4},        // without a name
	}, []byte("\x00run\x00var\x00"), 0)
	p := must.Get(Load("test", content, DefaultConfig()))
	if got := p.place(codeAt); got != "0x10000 (run)" {
		t.Errorf("the first instruction is at %s", got)
	}
	if len(p.variables) != 1 || p.variables[0].Name != "var" || p.variables[0].Address != dataAt+8 || p.variables[0].Bytes != 8 {
		t.Errorf("the variables are %v", p.variables)
	}
}

// Executables that would take much memory or time are refused.
func TestExecutablesThatAreRefused(t *testing.T) {
	var packed bytes.Buffer
	_ = binary.Write(&packed, binary.LittleEndian, elf.Chdr64{Type: uint32(elf.COMPRESS_ZLIB), Size: 1 << 30, Addralign: 1})
	w := zlib.NewWriter(&packed)
	must.Get(w.Write(make([]byte, 1<<20)))
	must.Do(w.Close())
	names := append(bytes.Repeat([]byte("n"), 1<<20), 0)
	load := func(at, bytes uint64, flags elf.ProgFlag) elf.Prog64 {
		return elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: at, Memsz: bytes, Flags: uint32(flags)}
	}
	most := uint64(heapLimit - lowest)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"compressed symbols", withSymbols(plainProgram(t), nil, packed.Bytes(), elf.SHF_COMPRESSED), "its symbol table is compressed; strip it"},
		{"long names", withSymbols(plainProgram(t), make([]elf.Sym64, 1<<10), names, 0), "the names of its symbols take more than 67108864 bytes; strip it"},
		{"many segments", withSegments(plainProgram(t), slices.Repeat([]elf.Prog64{load(lowest, most, elf.PF_R)}, mostSegments+1)), "it has 1171 program headers, and 1170 are allowed"},
		{"large segments, one over the other", withSegments(plainProgram(t), slices.Repeat([]elf.Prog64{load(lowest, most, elf.PF_R)}, mostSegments)), "segments must have ascending addresses"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Load("test", c.content, DefaultConfig())
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v; want one with %q", c.name, err, c.want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
			t.Errorf("%s: the refusal takes %d bytes", c.name, taken)
		}
	}
	path := filepath.Join(t.TempDir(), "large")
	must.Do(os.WriteFile(path, nil, 0o666))
	must.Do(os.Truncate(path, 40<<30))
	if _, err := Open(path, DefaultConfig()); err == nil || !strings.Contains(err.Error(), "it has 42949672960 bytes, and 1073741824 are allowed") {
		t.Errorf("a large file: the error is %v", err)
	}
}

// A program whose stack is for code executes code on its stack.
func TestStackForCode(t *testing.T) {
	p := &program{t: t}
	p.set(t0, int(encode(t, "ecall", 0, 0, 0, 0)))
	p.S("sw", stack, t0, -4)
	p.set(a0, 5)
	p.set(a7, 94)
	p.I("jalr", zero, stack, -4)
	content := p.elf()
	for flags, want := range map[elf.ProgFlag]string{elf.PF_R | elf.PF_W: "which is not executable", elf.PF_R | elf.PF_W | elf.PF_X: ""} {
		e := must.Get(readExecutable(content))
		list := append(e.segments, elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(flags)})
		_, status, err := finish(t, withSegments(content, list), DefaultConfig())
		if want == "" && (err != nil || status != 5) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("with a stack of %v the program ends with status %d, %v", flags, status, err)
		}
	}
}

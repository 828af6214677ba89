package riscv

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
)

// Config says how a program runs.
type Config struct {
	Threads   int      // harts, which are the cores of the chip
	Arguments []string // after the program's name
	// Files is the folder that the program may read; "" for none.
	Files   string
	Fetches bool // records of fetched lines
	// Output takes what the program writes to standard output and standard error; nil drops it.
	Output io.Writer
}

// DefaultConfig runs a program without arguments and files on 16 harts.
func DefaultConfig() Config { return Config{Threads: 16, Fetches: true} }

// Validate checks the numbers.
func (c Config) Validate() error {
	if c.Threads < 1 || c.Threads > 1024 {
		return fmt.Errorf("threads is %d; 1 to 1024 are allowed", c.Threads)
	}
	return nil
}

// Program is an executable that can be started again and again.
type Program struct {
	Name      string
	Config    Config
	Digest    string // of everything that decides what the program does
	symbols   []elf.Symbol
	variables []traces.Symbol // ordered by address
	image     *memory
	entry     uint64
	stack     uint64 // pointer at the start
	end       uint64 // of the program's own data, where the heap begins
	marked    bool   // the program has the marker of a region's begin
	files     fs.FS
}

// ErrProgram: the executable is not one that this front end runs.
var ErrProgram = errors.New("not a program that Carousel can run")

const compileHint = "compile it with riscv64-linux-gnu-gcc -static, or zig cc -target riscv64-linux-musl -static"

// Open reads an executable.
func Open(path string, c Config) (*Program, error) {
	content, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	return Load(filepath.Base(path), content, c)
}

// Load makes a program of the content of an executable.
func Load(name string, content []byte, c Config) (*Program, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	p := &Program{Name: name, Config: c, image: newMemory()}
	if err := p.load(content); err != nil {
		return nil, fmt.Errorf("%s is %w: %w", name, ErrProgram, err)
	}
	if err := p.openFiles(content); err != nil {
		return nil, err
	}
	return p, nil
}

// load puts the executable and the first stack into memory.
func (p *Program) load(content []byte) error {
	f, err := elf.NewFile(bytes.NewReader(content))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it ends after %d bytes, before its headers do; the file is truncated, or not an executable", len(content))
	}
	if err != nil {
		return fmt.Errorf("%w; %s", err, compileHint)
	}
	defer f.Close()
	if f.Machine != elf.EM_RISCV || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return fmt.Errorf("it is for %v, %v; %s", f.Machine, f.Class, compileHint)
	}
	base := uint64(0)
	switch f.Type {
	case elf.ET_EXEC:
	case elf.ET_DYN:
		base = 1 << 16 // linked statically, it moves itself to where it is
	default:
		return fmt.Errorf("it is of type %v, and must be an executable; %s", f.Type, compileHint)
	}
	var headers uint64
	for _, s := range f.Progs {
		switch s.Type {
		case elf.PT_INTERP:
			return fmt.Errorf("it is linked dynamically; %s", compileHint)
		case elf.PT_LOAD:
			if err := p.segment(s, base); err != nil {
				return err
			}
			if s.Off == 0 {
				headers = base + s.Vaddr + 64
			}
		}
	}
	if p.end == 0 {
		return fmt.Errorf("it has no segments to load; %s", compileHint)
	}
	p.entry, p.symbols, p.variables = base+f.Entry, symbolsOf(f, base), variablesOf(f, base)
	return p.firstStack(headers, uint64(len(f.Progs)))
}

// Places in the address space.
const (
	lowest     = 1 << 16
	heapLimit  = 1 << 30                 // of executable and heap
	mapsTop    = (1<<spaceBits - 32<<20) // memory mappings lie below, growing downwards
	stackTop   = 1<<spaceBits - 64<<10   // of the first thread's
	stackPages = 8 << 20 >> pageBits     // its size
)

// segment loads one segment.
func (p *Program) segment(s *elf.Prog, base uint64) error {
	from, end := base+s.Vaddr, base+s.Vaddr+s.Memsz
	if from < lowest || end < from || end > heapLimit || s.Filesz > s.Memsz {
		return fmt.Errorf("a segment lies at %#x to %#x; programs must lie between %#x and %#x, where linkers put them", from, end, lowest, heapLimit)
	}
	data := make([]byte, s.Filesz)
	if _, err := io.ReadFull(s.Open(), data); err != nil {
		return fmt.Errorf("a segment of %d bytes cannot be read: %w; the file may be truncated", s.Filesz, err)
	}
	first := from >> pageBits
	pages := (end+pageBytes-1)>>pageBits - first
	p.image.protect(first, pages, writable) // neighbours may share a page
	p.image.copyIn(from, data)
	if s.Flags&elf.PF_W == 0 {
		p.image.protect(first, pages, readable)
	}
	if s.Flags&elf.PF_X != 0 {
		for at := 0; at+4 <= len(data) && !p.marked; at += 2 {
			p.marked = binary.LittleEndian.Uint32(data[at:]) == RegionBegin
		}
	}
	p.end = max(p.end, (end+pageBytes-1)&^(pageBytes-1))
	return nil
}

// Numbers of the auxiliary vector.
const (
	auxHeaders     = 3
	auxHeaderBytes = 4
	auxHeaderCount = 5
	auxPageBytes   = 6
	auxEntry       = 9
	auxCapability  = 16
	auxTicks       = 17
	auxSecure      = 23
	auxRandom      = 25
)

// capability has a bit per extension: I, M, A, F, D, C.
const capability = 1<<('i'-'a') | 1<<('m'-'a') | 1 | 1<<('f'-'a') | 1<<('d'-'a') | 1<<('c'-'a')

// firstStack lays the stack of the first thread out: arguments, environment and auxiliary vector.
// It depends on nothing of this computer.
func (p *Program) firstStack(headers, count uint64) error {
	p.image.protect(stackTop>>pageBits-stackPages, stackPages, writable)
	at := uint64(stackTop)
	text := func(s string) uint64 {
		at -= uint64(len(s) + 1)
		p.image.copyIn(at, append([]byte(s), 0))
		return at
	}
	words := []uint64{uint64(1 + len(p.Config.Arguments)), text(p.Name)}
	for _, a := range p.Config.Arguments {
		words = append(words, text(a))
	}
	words = append(words, 0)
	// The environment: as many threads of OpenMP as there are harts, which sleep while they wait, as
	// where a program is recorded under QEMU.
	words = append(words, text(fmt.Sprintf("OMP_NUM_THREADS=%d", p.Config.Threads)), text("OMP_WAIT_POLICY=passive"))
	random := text("carousel: random")
	words = append(words, 0, auxHeaders, headers, auxHeaderBytes, 56, auxHeaderCount, count, auxPageBytes, pageBytes, auxEntry, p.entry,
		auxCapability, capability, auxTicks, 100, auxSecure, 0, auxRandom, random, 0, 0)
	if at -= uint64(8 * len(words)); stackTop-at > stackPages<<pageBits/2 {
		return errors.New("the arguments take too much memory; give shorter ones")
	}
	at &^= 15
	for i, w := range words {
		p.image.write(at+uint64(8*i), 3, w)
	}
	p.stack = at
	return nil
}

// openFiles opens the folder and digests everything that decides what the program does.
func (p *Program) openFiles(content []byte) error {
	h := sha256.New()
	note := func(b []byte) {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(b))) // a hash does not fail
		h.Write(b)
	}
	note(fmt.Appendf(nil, "front end %d, %d harts, fetches %t", version, p.Config.Threads, p.Config.Fetches))
	note([]byte(p.Name))
	note(content)
	for _, a := range p.Config.Arguments {
		note([]byte(a))
	}
	if p.Config.Files != "" {
		root, err := os.OpenRoot(p.Config.Files)
		if err != nil {
			return fmt.Errorf("the folder of the program's files cannot be opened: %w", err)
		}
		p.files = root.FS()
		err = fs.WalkDir(p.files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := fs.ReadFile(p.files, path)
			note([]byte(path))
			note(b)
			return err
		})
		if err != nil {
			return fmt.Errorf("the folder of the program's files cannot be read: %w", err)
		}
	}
	p.Digest = hex.EncodeToString(h.Sum(nil))
	return nil
}

// version goes up when the front end changes what programs do.
const version = 3

// blanks separate arguments.
const blanks = " \t\n\r\v\f"

// argument is one argument with the blanks behind it: in double quotes, with Go's escapes, or without blanks.
var argument = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|[^"\s\v][^\s\v]*)(?:[\s\v]+|$)`)

// JoinArguments writes the arguments of a program as one text.
func JoinArguments(list []string) string {
	quoted := make([]string, len(list))
	for i, a := range list {
		if quoted[i] = a; a == "" || a[0] == '"' || strings.ContainsAny(a, blanks) {
			quoted[i] = strconv.Quote(a)
		}
	}
	return strings.Join(quoted, " ")
}

// SplitArguments reads such a text.
func SplitArguments(text string) (list []string, err error) {
	for rest := strings.TrimLeft(text, blanks); rest != ""; {
		found := argument.FindString(rest)
		if found == "" {
			return nil, fmt.Errorf("is %s; an argument that begins with a double quote must end with one, before a blank", text)
		}
		rest = rest[len(found):]
		one := strings.TrimRight(found, blanks)
		if one[0] == '"' {
			if one, err = strconv.Unquote(one); err != nil {
				return nil, fmt.Errorf("has %s: %w", found, err)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

package riscv

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/noc/leaf/printable"
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
	content   []byte // of the executable
	symbols   []elf.Symbol
	variables []traces.Symbol // ordered by address
	image     *memory
	entry     uint64
	stack     uint64  // pointer at the start
	onStack   state   // of the pages of the first stack
	end       uint64  // of the program's own data, where the heap begins
	marked    bool    // the program has the marker of a region's begin
	files     *folder // nil for none
}

// ErrProgram: the executable is not one that this front end runs.
var ErrProgram = errors.New("not a program that Carousel can run")

// Open reads an executable.
func Open(path string, c Config) (*Program, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > heapLimit {
		return nil, fmt.Errorf("%s is %w: it has %d bytes, and %d are allowed; strip it", filepath.Base(path), ErrProgram, info.Size(), heapLimit)
	}
	content, err := wholefile.Read(path, heapLimit)
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
	p := &Program{Name: printable.Name(name), Config: c, content: content, image: newMemory(), onStack: protection(3)}
	if err := p.load(content); err != nil {
		return nil, fmt.Errorf("%s is %w: %w", name, ErrProgram, err)
	}
	if err := p.openFiles(content); err != nil {
		return nil, err
	}
	return p, nil
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
	p.image.set(stackTop>>pageBits-stackPages, stackTop>>pageBits, p.onStack)
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
		var err error
		if p.files, err = openFolder(p.Config.Files); err != nil {
			return err
		}
		if err := p.files.digest(note); err != nil {
			return err
		}
	}
	p.Digest = hex.EncodeToString(h.Sum(nil))
	return nil
}

// version goes up when the front end changes what programs do.
const version = 3

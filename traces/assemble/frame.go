package assemble

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Frame is what importers have in common that make a core of each file.
type Frame struct {
	Version string // names the importer in the files that it writes; it goes up when its output changes
	Target  string // instruction set, if it is known
	Notes   []string
	Counts  []string // what a Core counts
	// Shared says that the files share an address space. Otherwise each has one of its own.
	Shared bool
	// InTurn lets the files take turns, a step each. Otherwise they are read one after the other.
	InTurn bool
	// Open begins with a file. It returns what takes the next step, an instruction or a line, and io.EOF at the end.
	Open func(k *Core) (step func() error, err error)
}

// Core is a file that becomes the stream of a core.
type Core struct {
	In       *packed.Entries
	Anyway   bool     // take values that are not plausible
	Executed uint64   // instructions
	N        []uint64 // by place in Frame.Counts

	to     *Builder
	number int
	limit  uint64 // of instructions; 0 is none
	step   func() error
	ended  bool
}

// Full reports whether the core has all instructions that it may have.
func (k *Core) Full() bool { return k.limit != 0 && k.Executed >= k.limit }

// Execute counts instructions that belong to the next record, up to the limit, and returns how many.
func (k *Core) Execute(instructions uint64) uint64 {
	if k.limit != 0 {
		instructions = min(instructions, k.limit-min(k.limit, k.Executed))
	}
	k.Executed += instructions
	k.to.Execute(k.number, instructions)
	return instructions
}

// Fetch is that of Builder, and so are the other methods.
func (k *Core) Fetch(address, size uint64) (problem string) {
	return k.to.Fetch(k.number, address, size)
}

// Access adds an access.
func (k *Core) Access(r traces.Record, size uint64) (problem string) {
	return k.to.Access(k.number, r, size)
}

// Accesses returns how many records are accesses so far.
func (k *Core) Accesses() uint64 { return k.to.Accesses(k.number) }

// Note adds a remark about the trace.
func (k *Core) Note(text string) { k.to.Note(text) }

// Import reads one file per core.
func (f Frame) Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	if len(paths) == 0 {
		return traces.Imported{}, errors.New("no files given: name one per core")
	}
	m := traces.DefaultMetadata(c.Workload, len(paths))
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, f.Version, cmp.Or(f.Target, "unknown"), "mapped"
	if !f.Shared {
		m.AddressSpaces = len(paths)
	}
	m.Notes = slices.Concat(f.Notes, packed.CutNotes(paths...))
	for _, path := range paths {
		m.CoreNames = append(m.CoreNames, filepath.Base(path))
	}
	return Write(m, to, func(b *Builder) ([]traces.Count, error) {
		cores := make([]*Core, len(paths))
		for i := range cores {
			cores[i] = &Core{Anyway: c.Anyway, N: make([]uint64, len(f.Counts)), to: b, number: i, limit: c.Instructions}
		}
		defer func() {
			for _, k := range cores {
				k.close()
			}
		}()
		err := f.run(cores, paths, c)
		sum := make([]traces.Count, len(f.Counts))
		for i, name := range f.Counts {
			sum[i].Name = name
			for _, k := range cores {
				sum[i].N += k.N[i]
			}
		}
		return sum, err
	})
}

// run is the loop over the steps of all files.
func (f Frame) run(cores []*Core, paths []string, c traces.ImportConfig) error {
	for running := true; running; {
		running = false
		for i, k := range cores {
			for !k.ended {
				if err := f.next(k, paths[i], c); err != nil {
					return err
				}
				if running = true; f.InTurn {
					break
				}
			}
		}
	}
	return nil
}

func (f Frame) next(k *Core, path string, c traces.ImportConfig) (err error) {
	if k.step == nil {
		if k.In, err = packed.OpenEntries(path, k.number, 0, c); err == nil {
			k.step, err = f.Open(k)
		}
		if err != nil {
			return err
		}
	}
	if err = k.step(); err != io.EOF {
		return cmp.Or(err, k.to.Err())
	}
	k.ended = true
	k.close()
	if f.Shared {
		return k.to.Err()
	}
	return k.to.End(k.number)
}

func (k *Core) close() {
	if k.In != nil && k.In.Reader != nil {
		k.In.Close()
		k.In = nil
	}
}

// Dependence returns the distance from the next access to one, counted from 1, that it depends on; 0 is none, or one
// too far back.
func (k *Core) Dependence(on uint64) uint16 {
	if distance := k.Accesses() + 1 - on; on != 0 && distance < 1<<16 {
		return uint16(distance)
	}
	return 0
}

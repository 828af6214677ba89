package champsim

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "champsim 1"

const (
	stackPointer       = 6
	flags              = 25
	instructionPointer = 26
	accessBytes        = 8
)

// core turns the instructions of one file into records.
type core struct {
	in       *packed.Entries
	layout   layout
	anyway   bool
	to       *assemble.Builder
	producer [256]uint64 // per register: the access, counted from 1, that its value comes from
	read     uint64
	loads    uint64
	stores   uint64
	ended    bool
}

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if len(paths) == 0 {
		return none, errors.New("no files given: name one ChampSim trace per core")
	}
	cores := make([]*core, 0, len(paths))
	defer func() {
		for _, c := range cores {
			c.in.Close()
		}
	}()
	m := traces.DefaultMetadata(c.Workload, len(paths))
	m.Origin, m.Importer, m.Target, m.Addresses, m.AddressSpaces = c.Origin, Version, "x86_64", "mapped", len(paths)
	m.Notes = []string{"every access is taken as 8 bytes: the format has no sizes", "programs are independent: no edges"}
	for i, path := range paths {
		in, err := packed.OpenEntries(path, i, 0, c)
		if err != nil {
			return none, err
		}
		k := &core{in: in, layout: layouts[0], anyway: c.Anyway}
		cores = append(cores, k)
		if k.layout, err = choose(in, c.Anyway); err != nil {
			return none, err
		}
		in.Bytes = k.layout.bytes
		if k.layout.note != "" && !slices.Contains(m.Notes, k.layout.note) {
			m.Notes = append(m.Notes, k.layout.note)
		}
		m.CoreNames = append(m.CoreNames, filepath.Base(path))
	}
	m.Notes = append(m.Notes, packed.CutNotes(paths...)...)
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		for _, k := range cores {
			k.to = b
		}
		err := run(cores, c.Instructions)
		return counts(cores), err
	})
}

// run is the loop: one instruction of each file in turn.
func run(cores []*core, limit uint64) (err error) {
	for running := len(cores); running > 0; {
		for _, k := range cores {
			if k.ended {
				continue
			}
			if k.ended, err = k.step(limit); err != nil {
				return err
			}
			if k.ended {
				running--
			}
			if err := k.to.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// step reads one instruction and reports whether the file has ended.
func (k *core) step(limit uint64) (done bool, err error) {
	if limit != 0 && k.read == limit {
		return true, nil
	}
	if k.in.Ended() {
		return true, nil
	}
	b, err := k.in.Next(k.layout.bytes, fmt.Sprintf("an instruction of %d", k.layout.bytes), "fetch it again", "fetch it again")
	if err != nil {
		return true, err
	}
	i := k.layout.decode(b)
	if problem := k.layout.implausible(b, &i); problem != "" && !k.anyway {
		return true, k.in.Fault(k.in.Offset, traces.ErrIllegal, problem, "")
	}
	if err := k.in.Pass(k.layout.bytes); err != nil {
		return true, err
	}
	k.read++
	k.to.Execute(k.in.Core, 1)
	if problem := k.take(&i); problem != "" {
		return true, k.in.Fault(k.in.Offset, traces.ErrIllegal, problem, "")
	}
	return false, nil
}

// take writes the accesses of an instruction and tells what is wrong with them.
func (k *core) take(i *instruction) (problem string) {
	problem = k.to.Fetch(k.in.Core, i.address, 1)
	var from uint64
	for _, r := range i.sources {
		if carries(r) {
			from = max(from, k.producer[r])
		}
	}
	made := from
	for _, a := range i.loads {
		if a != 0 {
			problem = cmp.Or(problem, k.access(traces.Load, a, from))
			made = k.to.Accesses(k.in.Core)
			k.loads++
		}
	}
	for _, a := range i.stores {
		if a != 0 {
			problem = cmp.Or(problem, k.access(traces.Store, a, from))
			k.stores++
		}
	}
	for _, r := range i.destinations {
		if carries(r) {
			k.producer[r] = made
		}
	}
	return problem
}

// carries reports whether values that loads have produced travel through a register.
func carries(r uint8) bool {
	return r != 0 && r != stackPointer && r != flags && r != instructionPointer
}

// access adds an access, cut at the end of its line; from is the access that it depends on, counted
// from 1, or 0.
func (k *core) access(kind traces.Kind, virtual, from uint64) (problem string) {
	size := uint64(accessBytes)
	if room := traces.LineBytes - virtual%traces.LineBytes; room < size {
		size = 1 << (bits.Len64(room) - 1)
	}
	r := traces.Record{Kind: kind, Address: virtual}
	if distance := k.to.Accesses(k.in.Core) + 1 - from; from != 0 && distance < 1<<16 {
		r.Dependence = uint16(distance)
	}
	return k.to.Access(k.in.Core, r, size)
}

func counts(cores []*core) []traces.Count {
	var read, loads, stores uint64
	for _, k := range cores {
		read += k.read
		loads += k.loads
		stores += k.stores
	}
	return []traces.Count{{Name: "instructions", N: read}, {Name: "source memory operands", N: loads}, {Name: "destination memory operands", N: stores}}
}

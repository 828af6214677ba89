package champsim

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
)

const (
	stackPointer       = 6
	flags              = 25
	instructionPointer = 26
	accessBytes        = 8
)

// What is counted.
const (
	read = iota
	loads
	stores
	branches
)

// core turns the instructions of one file into records.
type core struct {
	*assemble.Core
	layout   layout
	producer [256]uint64 // per register: the access, counted from 1, that its value comes from
}

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return assemble.Frame{Version: "champsim 1", Target: "x86_64", InTurn: true, Open: open,
		Notes:  []string{"every access is taken as 8 bytes: the format has no sizes", "programs are independent: no edges"},
		Counts: []string{"instructions", "source memory operands", "destination memory operands", "branches, of which only the fetches are kept"}}.Import(paths, c, to)
}

func open(of *assemble.Core) (step func() error, err error) {
	k := &core{Core: of}
	if k.layout, err = choose(of.In, of.Anyway); err != nil {
		return nil, err
	}
	if of.In.Bytes = k.layout.bytes; k.layout.note != "" {
		of.Note(k.layout.note)
	}
	return k.step, nil
}

func (k *core) step() error {
	if k.Full() || k.In.Ended() {
		return io.EOF
	}
	b, err := k.In.Next(k.layout.bytes, fmt.Sprintf("an instruction of %d", k.layout.bytes), "fetch it again", "fetch it again")
	if err != nil {
		return err
	}
	i := k.layout.decode(b)
	problem := ""
	if !k.Anyway {
		problem = k.layout.implausible(b, &i)
	}
	if problem == "" {
		k.N[read] += k.Execute(1)
		k.N[branches] += uint64(b[8] & 1)
		problem = k.take(&i)
	}
	if problem != "" {
		return k.In.Fault(k.In.Offset, traces.ErrIllegal, problem, "")
	}
	return k.In.Pass(k.layout.bytes)
}

// take writes the accesses of an instruction and tells what is wrong with them.
func (k *core) take(i *instruction) (problem string) {
	problem = k.Fetch(i.address, 1)
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
			made = k.Accesses()
			k.N[loads]++
		}
	}
	for _, a := range i.stores {
		if a != 0 {
			problem = cmp.Or(problem, k.access(traces.Store, a, from))
			k.N[stores]++
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
	return k.Core.Access(traces.Record{Kind: kind, Address: virtual, Dependence: k.Dependence(from)}, size)
}

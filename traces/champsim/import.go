package champsim

import (
	"errors"
	"math/bits"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "champsim 1"

const (
	stackPointer       = 6
	flags              = 25
	instructionPointer = 26
	accessSize         = 3 // log2 of 8 bytes
	bufferRecords      = 4096
)

// core turns the instructions of one file into records.
type core struct {
	in           *input
	pages        *frames.Map
	line         uint64 // of the last fetch
	fetched      bool
	instructions uint64 // since the last record
	accesses     uint64
	producer     [256]uint64 // per register: the access, counted from 1, that its value comes from
	buffer       []traces.Record
	read         uint64
	loads        uint64
	stores       uint64
	ended        bool
}

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if len(paths) == 0 {
		return none, errors.New("no files given: name one ChampSim trace per core")
	}
	var counter frames.Counter
	cores := make([]*core, 0, len(paths))
	defer func() {
		for _, c := range cores {
			c.in.from.Close()
		}
	}()
	m := traces.DefaultMetadata(c.Workload, len(paths))
	m.Origin, m.Importer, m.Target, m.Addresses, m.AddressSpaces = c.Origin, Version, "x86_64", "mapped", len(paths)
	m.Notes = []string{"every access is taken as 8 bytes: the format has no sizes", "programs are independent: no edges"}
	for i, path := range paths {
		in, err := openInput(path, i, c.Passed)
		if err != nil {
			return none, err
		}
		cores = append(cores, &core{in: in, pages: frames.NewMap(&counter), buffer: make([]traces.Record, 0, bufferRecords)})
		m.CoreNames = append(m.CoreNames, filepath.Base(path))
	}
	w, err := to(m)
	if err != nil {
		return none, err
	}
	if err := run(cores, c, w); err != nil {
		w.Abort()
		return none, err
	}
	if err := w.Close(); err != nil {
		return none, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: counts(cores)}, nil
}

// run is the loop: one instruction of each file in turn.
func run(cores []*core, c traces.ImportConfig, w *traces.Writer) error {
	for running := len(cores); running > 0; {
		for i, k := range cores {
			if k.ended {
				continue
			}
			done, err := k.step(c.Instructions)
			if err != nil {
				return err
			}
			if done {
				k.ended = true
				running--
				k.buffer = append(k.buffer, traces.Record{Kind: traces.End, Instructions: uint32(min(k.instructions, 1<<32-1))})
			}
			if done || len(k.buffer) > bufferRecords-16 {
				if err := w.WriteRecords(i, k.buffer); err != nil {
					return err
				}
				k.buffer = k.buffer[:0]
			}
		}
	}
	for i, k := range cores {
		if err := w.WritePages(i, k.pages.Pages()); err != nil {
			return err
		}
	}
	return nil
}

// step reads one instruction and reports whether the file has ended.
func (k *core) step(limit uint64) (done bool, err error) {
	if limit != 0 && k.read == limit {
		return true, nil
	}
	i, ok, err := k.in.next()
	if err != nil || !ok {
		return true, err
	}
	k.read++
	k.instructions++
	if line := i.address / traces.LineBytes; !k.fetched || line != k.line {
		k.line, k.fetched = line, true
		k.access(traces.Fetch, line*traces.LineBytes, 6, 0)
	}
	var from uint64
	for _, r := range i.sources {
		if carries(r) {
			from = max(from, k.producer[r])
		}
	}
	made := from
	for _, a := range i.loads {
		if a != 0 {
			k.access(traces.Load, a, accessSize, from)
			made = k.accesses
			k.loads++
		}
	}
	for _, a := range i.stores {
		if a != 0 {
			k.access(traces.Store, a, accessSize, from)
			k.stores++
		}
	}
	for _, r := range i.destinations {
		if carries(r) {
			k.producer[r] = made
		}
	}
	return false, nil
}

// carries reports whether values that loads have produced travel through a register.
func carries(r uint8) bool {
	return r != 0 && r != stackPointer && r != flags && r != instructionPointer
}

// access appends a record; from is the access that it depends on, counted from 1, or 0.
func (k *core) access(kind traces.Kind, virtual uint64, size uint8, from uint64) {
	if room := traces.LineBytes - virtual%traces.LineBytes; room < 1<<size {
		size = uint8(bits.Len64(room) - 1)
	}
	r := traces.Record{Address: k.pages.Physical(virtual), Instructions: uint32(min(k.instructions, 1<<32-1)), Size: size, Kind: kind}
	k.accesses++
	if distance := k.accesses - from; from != 0 && distance < 1<<16 {
		r.Dependence = uint16(distance)
	}
	k.instructions = 0
	k.buffer = append(k.buffer, r)
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

// Sniff reports whether a file that begins like this, decompressed, may be such a trace: there
// is no magic, so plausibility must do.
func Sniff(head []byte) bool {
	if len(head) < instructionBytes {
		return false
	}
	for ; len(head) >= instructionBytes; head = head[instructionBytes:] {
		if head[8] > 1 || head[9] > 1 || decode(head).address == 0 {
			return false
		}
	}
	return true
}

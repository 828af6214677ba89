// Package elastic imports elastic traces of gem5: the data dependences of instructions that its O3 core has
// committed, in one file per core (inst_dep_record.proto; ElasticTrace of gem5). Among them are squashed loads whose
// request was sent, which the format does not mark.
//
// A file begins with "gem5", and then has protobuf messages behind their lengths: an InstDepRecordHeader, and an
// InstDepRecord for each instruction that was kept. A record is an instruction, and so is each one that was filtered
// out before it (weight). Loads and stores become accesses at their physical addresses, which the cores of a chip
// share. A load depends on the latest load from which its registers come (reg_dep), also through instructions that
// only compute. Swaps and atomic operations become atomics, and so do stores that are locked or exclusive.
//
// Left out and counted: prefetches, delays of computations, and order without data (rob_dep). Instruction fetches
// are in another file of gem5, and the format has no order between cores. An access has as many bytes as a power of
// two within its line; further ones are counted.
//
// There is one function, [Import].
package elastic

import (
	"errors"
	"fmt"
	"io"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/wire"
)

const magic = "gem5"

// The types of records.
const (
	load = 1 + iota
	store
	compute
)

// Flags of a request of gem5.
const (
	locked   = 0x00100000
	linked   = 0x00200000                                        // load-linked and store-conditional
	atomic   = 0x00400000 | 0x00800000 | 0x40000000 | 0x80000000 // swaps, operations that return the old value or do not
	prefetch = 0x01000000 | 0x02000000                           // for reading, for writing
)

// kept bounds how many sequence numbers back a dependence is known; gem5 writes those of a few windows of its core.
const kept = 1 << 16

// maker is the access, counted from 1, that the value of an instruction comes from; its number is one more than that
// of the sequence.
type maker struct{ number, made uint64 }

// core turns the records of one file into records of a trace.
type core struct {
	*assemble.Core
	in     wire.Reader
	last   uint64      // sequence number
	recent [kept]maker // by the last bits of their numbers
}

// What is counted.
const (
	read = iota
	instructions
	loads
	stores
	atomics
	prefetches
	delays
	orders
	empties
	shortened
	lost // dependences that are too far back
)

var counts = []string{"records read", "instructions", "loads", "stores", "atomic operations, and locked and exclusive stores", "prefetches, left out",
	"delays of computations, left out", "dependences without data, left out", "accesses of no bytes, left out",
	"bytes beyond a power of two or the end of a line, left out", "dependences on instructions that are not in the file, left out"}

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	f := assemble.Frame{Version: "gem5 2", Shared: true, InTurn: true, Counts: counts, Open: open,
		Notes: []string{"instruction fetches are in another file of gem5, and are left out"}}
	if len(paths) > 1 {
		f.Notes = append(f.Notes, "no order between cores: the format has none")
	}
	return f.Import(paths, c, to)
}

func open(of *assemble.Core) (step func() error, err error) {
	k := &core{Core: of, in: wire.Reader{Entries: of.In}}
	return k.step, k.head()
}

// head reads what stands before the records.
func (k *core) head() error {
	begin, err := k.in.Peek(len(magic))
	if string(begin) != magic {
		if err != nil && err != io.EOF {
			problem, condition := packed.Condition(err)
			return k.in.Fault(condition, problem)
		}
		return k.in.Fault(traces.ErrNotATrace, `a protobuf file of gem5 begins with "gem5"`)
	}
	if err := k.in.Pass(len(magic)); err != nil {
		return err
	}
	message, err := k.in.Next("the header")
	windowed := false
	if err == nil {
		err = wire.Fields(message, func(field protowire.Number, kind protowire.Type, _ []byte, _ uint64) error {
			windowed = windowed || field == 4 && kind == protowire.VarintType
			return nil
		})
	}
	if errors.As(err, new(*traces.Error)) {
		return err
	}
	if err != nil || !windowed {
		return k.in.Fault(traces.ErrNotATrace, "a protobuf file of gem5, but not an elastic trace with data dependences: its header has no size of the window")
	}
	return nil
}

type record struct {
	number, kind, address, size, flags, delay, weight uint64
	addressed                                         bool
	registers                                         []uint64
	orders                                            int
}

func (k *core) step() error {
	if k.Full() {
		return io.EOF
	}
	message, err := k.in.Next(fmt.Sprintf("record %d", k.N[read]))
	if err != nil {
		return err
	}
	var r record
	numbers := [...]*uint64{1: &r.number, 2: &r.kind, 3: &r.address, 4: &r.size, 5: &r.flags, 7: &r.delay, 9: &r.weight}
	err = wire.Fields(message, func(field protowire.Number, kind protowire.Type, bytes []byte, value uint64) error {
		if wanted := protowire.VarintType; field <= 12 && kind != wanted && !(kind == protowire.BytesType && (field == 6 || field == 8)) {
			return fmt.Errorf("field %d has the wire type %d", field, kind)
		}
		switch {
		case field == 6:
			r.orders++
		case field == 8:
			r.registers, err = wire.Append(r.registers, kind, bytes, value)
			return err
		case int(field) < len(numbers) && numbers[field] != nil:
			*numbers[field] = value
		}
		r.addressed = r.addressed || field == 3
		return nil
	})
	problem := ""
	if err != nil {
		problem = err.Error()
	} else {
		problem = k.take(&r)
	}
	if problem != "" {
		return k.in.Fault(traces.ErrIllegal, fmt.Sprintf("record %d, instruction %d: %s", k.N[read], r.number, problem))
	}
	k.N[read]++
	return nil
}

// take writes what an instruction accesses, and tells what is wrong with it.
func (k *core) take(r *record) (problem string) {
	switch {
	case r.kind < load || r.kind > compute:
		return fmt.Sprintf("type %d is not known; 1 to 3 are", r.kind)
	case k.N[read] > 0 && r.number <= k.last:
		return fmt.Sprintf("it follows instruction %d; numbers increase", k.last)
	case r.kind != compute && !r.addressed:
		return "it has no address"
	case r.size > assemble.LimitBytes || r.weight >= 1<<31:
		return fmt.Sprintf("it has %d bytes and the weight %d; at most %d and %d are possible", r.size, r.weight, assemble.LimitBytes, 1<<31-1)
	}
	k.last = r.number
	k.N[instructions] += k.Execute(1 + r.weight)
	k.N[orders] += uint64(r.orders)
	if r.delay > 0 {
		k.N[delays]++
	}
	var from uint64
	for _, d := range r.registers {
		switch m := k.recent[d%kept]; {
		case d >= r.number:
			return fmt.Sprintf("it depends on instruction %d, which comes later", d)
		case m.number != d+1:
			k.N[lost]++
		default:
			from = max(from, m.made)
		}
	}
	made := from
	switch {
	case r.kind == compute:
	case r.flags&prefetch != 0:
		k.N[prefetches]++
	case r.size == 0:
		k.N[empties]++
	default:
		if problem = k.put(r, from); r.kind == load {
			made = k.Accesses()
		}
	}
	k.recent[r.number%kept] = maker{r.number + 1, made}
	return problem
}

// put adds an access. from is the one that it depends on, counted from 1, or 0.
func (k *core) put(r *record, from uint64) string {
	x, count := traces.Record{Kind: traces.Load, Address: r.address}, loads
	if r.kind == store {
		x.Kind, count = traces.Store, stores
	}
	if r.flags&atomic != 0 || r.kind == store && r.flags&(locked|linked) != 0 {
		x.Kind, count = traces.Atomic, atomics
	}
	k.N[count]++
	// It must not be cut, because cuts would change what dependences count.
	size := uint64(1) << (bits.Len64(min(r.size, traces.LineBytes-r.address%traces.LineBytes)) - 1)
	k.N[shortened] += r.size - size
	x.Dependence = k.Dependence(from)
	return k.Access(x, size)
}

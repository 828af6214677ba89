package flat

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// reader walks a file.
type reader struct {
	name   string
	from   *bufio.Reader
	offset int64
	head   head
}

// Import reads one file.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	if len(paths) != 1 {
		return traces.Imported{}, fmt.Errorf("%d files given: a binary stream is one file for all cores", len(paths))
	}
	from, err := packed.Open(paths[0], c.Passed)
	if err != nil {
		return traces.Imported{}, err
	}
	defer from.Close()
	return importFrom(&reader{name: paths[0], from: from.Reader}, c, to)
}

func importFrom(r *reader, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if err := r.readHead(); err != nil {
		return none, err
	}
	m := traces.DefaultMetadata(c.Workload, r.head.cores)
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, Version, "unknown", "mapped"
	if r.head.flags&flagPhysical != 0 {
		m.Addresses = "physical"
	}
	if r.head.flags&flagSeparate != 0 {
		m.AddressSpaces = r.head.cores
	}
	w, err := to(m)
	if err != nil {
		return none, err
	}
	b := assemble.New(w, m)
	input, err := r.rows(b)
	if err == nil {
		err = b.Finish()
	}
	if err != nil {
		w.Abort()
		return none, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: input}, nil
}

func (r *reader) readHead() error {
	b, err := r.next(headBytes)
	if err != nil {
		return err
	}
	if !Sniff(b) {
		return r.fault(0, traces.ErrNotATrace, "the first eight bytes are others")
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return r.fault(8, traces.ErrVersion, fmt.Sprintf("version %d, and this program reads %d", v, version))
	}
	r.head = head{flags: int(binary.LittleEndian.Uint16(b[10:])), cores: int(binary.LittleEndian.Uint32(b[12:]))}
	if r.head.flags&flagValues != 0 {
		return r.fault(10, traces.ErrIllegal, "flag 8 was removed: traces do not hold what accesses read and wrote; write accesses without values")
	}
	if r.head.flags&^(flagVirtual|flagPhysical|flagSeparate) != 0 || r.head.flags&(flagVirtual|flagPhysical) == 0 {
		return r.fault(10, traces.ErrIllegal, fmt.Sprintf("flags %#x; 1 virtual, 2 physical or both, and perhaps 4 are known", r.head.flags))
	}
	if r.head.cores < 1 || r.head.cores > 1<<16 {
		return r.fault(12, traces.ErrIllegal, fmt.Sprintf("%d cores; 1 to 65536 are allowed", r.head.cores))
	}
	return nil
}

// rows is the loop.
func (r *reader) rows(b *assemble.Builder) ([]traces.Count, error) {
	records, edges := uint64(0), uint64(0)
	for {
		begin := r.offset
		bytes, err := r.next(recordBytes)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		x := decode(bytes)
		if problem := r.row(&x, b); problem != "" {
			return nil, r.fault(begin, traces.ErrIllegal, problem)
		}
		if x.kind == kindEdge {
			edges++
		} else {
			records++
		}
		if err := b.Flush(int(x.core)); err != nil {
			return nil, err
		}
	}
	for core := range r.head.cores {
		if !b.Ended(core) {
			return nil, r.fault(r.offset, traces.ErrTruncated, fmt.Sprintf("the file ends before core %d does", core))
		}
	}
	return []traces.Count{{Name: "records", N: records}, {Name: "edges", N: edges}}, nil
}

// row takes a record or edge and tells what is wrong with it.
func (r *reader) row(x *row, b *assemble.Builder) string {
	core, kind := int(x.core), traces.Kind(x.kind)
	if core >= r.head.cores {
		return fmt.Sprintf("core %d of %d", core, r.head.cores)
	}
	if field := x.needless(); field != "" {
		return field + " must be zero"
	}
	if x.kind == kindEdge {
		if x.size != 0 || x.dependence != 0 {
			return "an edge has neither size nor dependence"
		}
		return b.After(core, x.count, x.virtual)
	}
	record := traces.Record{Address: x.virtual, Instructions: x.gap, Dependence: x.dependence, Size: x.size, Kind: kind, Count: x.count}
	if !kind.IsAccess() || kind >= traces.Kinds {
		return b.Append(core, record)
	}
	if r.head.flags&flagPhysical == 0 {
		if x.physical != 0 || x.size > 6 || x.virtual%traces.LineBytes+1<<x.size > traces.LineBytes {
			return fmt.Sprintf("an access of 2^%d bytes at %#x, physically at %#x; it must stay within a line, and the header declares no physical addresses",
				x.size, x.virtual, x.physical)
		}
		return b.Access(core, record, 1<<x.size)
	}
	record.Address = x.physical
	if r.head.flags&flagVirtual == 0 && x.virtual != 0 {
		return fmt.Sprintf("the virtual address is %#x, but the header declares no virtual addresses", x.virtual)
	}
	if x.virtual != 0 {
		if problem := b.Learn(core, x.virtual, x.physical); problem != "" {
			return problem
		}
	}
	return b.Append(core, record)
}

// next reads some bytes; io.EOF is the end of the file between two records.
func (r *reader) next(n int) ([]byte, error) {
	b, err := r.from.Peek(n)
	switch {
	case err == nil:
		if _, err := r.from.Discard(n); err != nil {
			return nil, err
		}
		r.offset += int64(n)
		return b, nil
	case err == io.EOF && len(b) == 0 && r.offset > 0:
		return nil, io.EOF
	case err == io.EOF:
		return nil, r.fault(r.offset, traces.ErrTruncated, fmt.Sprintf("the file ends %d bytes into %d", len(b), n))
	}
	problem, condition := packed.Condition(err)
	return nil, r.fault(r.offset, condition, problem)
}

func (r *reader) fault(offset int64, condition error, problem string) error {
	return &traces.Error{File: r.name, Core: -1, Offset: offset, Err: condition, Problem: problem}
}

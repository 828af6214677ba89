// Package assemble is what importers have in common. A [Frame] imports formats with a file for each core. A
// [Builder], which [Write] gives to any importer, takes records of any core in any order and writes streams,
// edges and page maps. Its methods return what is wrong as a sentence, and the importer adds the place.
//
// Rules: an access of any size and address is cut into the fewest pieces of 1, 2, 4 to 64 bytes that
// cover it exactly and do not cross a line; pieces after the first have Instructions 0 and no
// dependence. Positions and distances count records, so a file that has edges or dependences must
// have no access that needs cutting. Virtual pages get frames as package frames says. A stream
// without an End gets one.
package assemble

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
)

// LimitBytes bounds one access; larger ones are taken for mistakes.
const LimitBytes = 4096

// Builder writes the records of several cores. Core c of window w has the number w times the cores
// plus c.
type Builder struct {
	to     *traces.Writer
	m      traces.Metadata
	cores  []core        // of all windows, window by window
	spaces []*frames.Map // one, or one per core
	cut    bool          // an access has been cut
	placed bool          // an edge or a dependence counts records
	taken  uint64        // records, without the ends that finish adds
}

// core is what is known of a core between two of its records.
type core struct {
	position, accesses uint64 // records and accesses so far
	instructions       uint64 // to be added to the next record
	line               uint64 // of the last fetch
	fetched            bool
	ended              bool
}

// Write makes a trace of what give puts into a builder, with the number of cores and address spaces
// of its metadata, and drops it where that fails. give returns what it has counted.
func Write(m traces.Metadata, to traces.Destination, give func(*Builder) ([]traces.Count, error)) (traces.Imported, error) {
	w, err := to(m)
	if err != nil {
		return traces.Imported{}, err
	}
	b := newBuilder(w, m)
	input, err := give(b)
	for _, c := range input {
		if c.N > 0 && strings.HasSuffix(c.Name, "left out") {
			b.Note(fmt.Sprintf("%s: %d", c.Name, c.N))
		}
	}
	if err == nil {
		err = b.finish()
	}
	if err != nil {
		w.Abort()
		return traces.Imported{Taken: b.taken}, err
	}
	m.Notes = slices.Concat(m.Notes, w.Notes())
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: input, Taken: b.taken}, nil
}

// GiveTickets is that of the writer.
func (b *Builder) GiveTickets(own [][]uint64) { b.to.GiveTickets(own) }

// Note adds a remark about the trace to its notes, behind those of its metadata, once.
func (b *Builder) Note(text string) {
	if !slices.Contains(b.to.Notes(), text) {
		b.to.Note(text)
	}
}

func newBuilder(to *traces.Writer, m traces.Metadata) *Builder {
	b := &Builder{to: to, m: m, cores: make([]core, m.WindowCount()*m.Cores), spaces: make([]*frames.Map, m.AddressSpaces)}
	var counter frames.Counter
	for i := range b.spaces {
		b.spaces[i] = frames.NewMap(&counter)
	}
	return b
}

func (b *Builder) space(core int) *frames.Map { return b.spaces[min(core%b.m.Cores, len(b.spaces)-1)] }

// Execute counts instructions of a core that belong to its next record.
func (b *Builder) Execute(core int, instructions uint64) { b.cores[core].instructions += instructions }

// Learn takes the physical address of a virtual one from the file.
func (b *Builder) Learn(core int, virtual, physical uint64) (problem string) {
	page := traces.Page{Virtual: virtual / traces.PageBytes, Frame: physical / traces.PageBytes}
	if virtual%traces.PageBytes != physical%traces.PageBytes {
		return fmt.Sprintf("virtual address %#x cannot be at physical address %#x: they are at different places of their pages of %d bytes",
			virtual, physical, traces.PageBytes)
	}
	if frame, differs := b.space(core).Learn(page); differs {
		return fmt.Sprintf("virtual address %#x is in frame %#x here, and was in frame %#x before", virtual, page.Frame, frame)
	}
	return ""
}

// Join gives a core of all windows the address space of another core.
func (b *Builder) Join(core, with int) { b.spaces[core] = b.spaces[with] }

// Position returns how many records a core has so far.
func (b *Builder) Position(core int) uint64 { return b.cores[core].position }

// Accesses returns how many records of a core are accesses so far.
func (b *Builder) Accesses(core int) uint64 { return b.cores[core].accesses }

// Fetch adds the fetch of an instruction's bytes: a record for each line that is not the line of
// the fetch before.
func (b *Builder) Fetch(core int, address, size uint64) (problem string) {
	c := &b.cores[core]
	for line, last := address/traces.LineBytes, (address+size-1)/traces.LineBytes; problem == ""; line++ {
		if !c.fetched || line != c.line {
			c.line, c.fetched = line, true
			problem = b.Access(core, traces.Record{Kind: traces.Fetch, Address: line * traces.LineBytes}, traces.LineBytes)
		}
		if line == last {
			break
		}
	}
	return problem
}

// Access adds an access of any size at a virtual address, whose page it maps to a frame.
func (b *Builder) Access(core int, r traces.Record, size uint64) (problem string) {
	if size == 0 || size > LimitBytes || r.Address+size-1 < r.Address {
		return fmt.Sprintf("an access has 1 to %d bytes within the address space, and this one has %d at %#x", LimitBytes, size, r.Address)
	}
	virtual := r.Address
	for first := true; size > 0; first = false {
		r.Size = uint8(bits.Len64(min(size, traces.LineBytes-virtual%traces.LineBytes)) - 1)
		if b.cut = b.cut || !first; b.cut && b.placed {
			return "the access must be cut into pieces, which would change what edges and dependences count; write one record per piece"
		}
		r.Address = b.space(core).Physical(virtual)
		if problem := b.Append(core, r); problem != "" {
			return problem
		}
		r.Instructions, r.Dependence = 0, 0
		virtual, size = virtual+1<<r.Size, size-1<<r.Size
	}
	return ""
}

// Append takes a record as it is.
func (b *Builder) Append(core int, r traces.Record) (problem string) {
	c := &b.cores[core]
	if c.ended {
		return fmt.Sprintf("a record follows the end of core %d", core)
	}
	if b.placed = b.placed || r.Dependence != 0; b.placed && b.cut {
		return "a dependence counts accesses, and an earlier one was cut into pieces; write one record per piece"
	}
	if problem := traces.Illegal(&r, b.m.Cores, c.accesses); problem != "" {
		return problem
	}
	if r.Kind.IsAccess() {
		c.accesses++
	}
	r.Instructions = uint32(min(uint64(r.Instructions)+c.instructions, 1<<32-1))
	c.instructions = 0
	c.ended = r.Kind == traces.End
	c.position++
	if r.Kind != traces.End {
		b.taken++
	}
	_ = b.to.WriteRecords(core, []traces.Record{r}) // Err tells
	return ""
}

// After says that the next record of a core waits for a record of another one.
func (b *Builder) After(core int, producer uint16, position uint64) (problem string) {
	if b.placed = true; b.cut {
		return "an edge counts records, and an earlier access was cut into pieces; write one record per piece"
	}
	return b.Order(core, b.cores[core].position, producer, position)
}

// Order is After, for a record at a position, for importers that know positions as the builder counts
// them. The record has been written already, or is the next one. Edges of a core come in order of the
// records that wait.
func (b *Builder) Order(core int, at uint64, producer uint16, position uint64) (problem string) {
	if core := core % b.m.Cores; int(producer) >= b.m.Cores || int(producer) == core {
		return fmt.Sprintf("core %d waits for core %d; it must be another one of 0 to %d", core, producer, b.m.Cores-1)
	}
	_ = b.to.WriteEdges(core, []traces.Edge{{At: at, Position: position, Producer: producer}})
	return ""
}

// Err returns why the trace cannot be written any more.
func (b *Builder) Err() error { return b.to.Err() }

// End ends a core that has an address space of its own.
func (b *Builder) End(core int) error {
	if err := b.end(core); err != nil {
		return err
	}
	pages := b.spaces[core].Pages()
	b.spaces[core] = nil
	return b.to.WritePages(core, pages)
}

// end ends a core's stream, if it has no end.
func (b *Builder) end(core int) error {
	if !b.cores[core].ended {
		b.Append(core, traces.Record{Kind: traces.End})
	}
	return b.Err()
}

// finish writes the rest and the page maps, and closes the trace.
func (b *Builder) finish() error {
	for i := range b.cores {
		if err := b.end(i); err != nil {
			return err
		}
	}
	for i, s := range b.spaces {
		if s == nil {
			continue
		}
		if err := b.to.WritePages(i, s.Pages()); err != nil {
			return err
		}
	}
	return b.to.Close()
}

// Package serial holds the common part of the importers of text traces. Each file is one
// single-threaded program, and each line names an access, in program order.
//
// There are two types: a [Core] takes a program's instructions and accesses and makes records of
// them; a [Format] says how a line calls it. [Import] is the loop: lines of every file, one file
// per core.
//
// Rules:
//
//   - Every file is a program of its own address space; there are no edges. Virtual pages get
//     physical frames in order of first touch, file by file.
//   - A fetch is a record where its line differs from that of the fetch before.
//   - An access becomes as few aligned-by-line pieces of 1, 2, 4, ... 64 bytes as cover it exactly;
//     pieces after the first have Instructions 0.
//   - Files may be compressed in any way that package packed reads. Errors name the line and its
//     byte offset, decompressed.
//
// To add a format of this kind, write a package with a Format and a line in traces/formats;
// packages lackey and din are examples.
package serial

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Core gives the steps of one program to a builder, up to a limit of instructions.
type Core struct {
	to       *assemble.Builder
	number   int
	limit    uint64 // 0 is none
	pc       uint64 // of the line before
	counted  bool   // an access has counted as an instruction
	over     bool   // the instruction beyond the limit has begun
	executed uint64
	kinds    [traces.Kinds]uint64 // accesses taken, before they are cut into pieces
	skipped  uint64
	foreign  uint64        // lines of something else
	first    *traces.Error // about the first of these lines
	text     string        // what is wrong with the foreign line read last
	problem  string        // what the builder says first of an access
}

// Instruction counts an instruction; its accesses follow.
func (c *Core) Instruction() {
	if c.over = c.limit != 0 && c.executed == c.limit; !c.over {
		c.executed++
		c.to.Execute(c.number, 1)
	}
}

// Begins reports whether the address of an instruction differs from that of the line before.
func (c *Core) Begins(pc uint64) bool {
	before, first := c.pc, c.kinds[traces.Fetch] == 0
	c.pc = pc
	return first || pc != before
}

// Execute counts instructions without accesses.
func (c *Core) Execute(instructions uint64) {
	if c.limit != 0 {
		instructions = min(instructions, c.limit-c.executed)
	}
	c.executed += instructions
	c.to.Execute(c.number, instructions)
}

// Data takes a data access, or a load and a store, by one instruction. Up to the first fetch of a file
// it counts as an instruction, so that a trace of data alone has a time.
func (c *Core) Data(address, size uint64, kinds ...traces.Kind) {
	if c.kinds[traces.Fetch] == 0 {
		c.Instruction()
		c.counted = true
	}
	for _, kind := range kinds {
		c.Access(kind, address, size)
	}
}

// Skip counts a line that holds nothing to import.
func (c *Core) Skip() { c.skipped++ }

// Foreign counts a line that something else has written, such as the traced program. problem says
// what is wrong with it. A file may have at most as many of them as lines of its format.
func (c *Core) Foreign(problem string) { c.text = problem }

// lines counts the lines that were taken.
func (c *Core) lines() (n uint64) {
	for _, k := range c.kinds {
		n += k
	}
	return n
}

// Fetch takes the fetch of an instruction's bytes.
func (c *Core) Fetch(address, size uint64) {
	if !c.over && c.problem == "" {
		c.kinds[traces.Fetch]++
		c.problem = c.to.Fetch(c.number, address, size)
	}
}

// Access takes a load or store of 1 to assemble.LimitBytes bytes.
func (c *Core) Access(kind traces.Kind, address, size uint64) {
	if !c.over && c.problem == "" {
		c.kinds[kind]++
		c.problem = c.to.Access(c.number, traces.Record{Kind: kind, Address: address}, size)
	}
}

// Format is one format of text.
type Format struct {
	Version string // names the importer in the files that it writes
	Notes   []string
	// Line takes a line, without its end. It returns what is wrong with it, or "".
	Line func(line []byte, c *Core) (problem string)
}

// Import reads one file per core.
func Import(f Format, paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	if len(paths) == 0 {
		return traces.Imported{}, errors.New("no files given: name one per core")
	}
	m := traces.DefaultMetadata(c.Workload, len(paths))
	m.Origin, m.Importer, m.Target, m.Addresses, m.AddressSpaces = c.Origin, f.Version, "unknown", "mapped", len(paths)
	m.Notes = slices.Concat([]string{"programs are independent: no edges"}, f.Notes, packed.CutNotes(paths...))
	for _, path := range paths {
		m.CoreNames = append(m.CoreNames, filepath.Base(path))
	}
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		var sum Core
		for i, path := range paths {
			core := &Core{to: b, number: i, limit: c.Instructions}
			err := f.read(path, c, core)
			if (err == nil || errors.Is(err, traces.ErrHead)) && core.foreign > core.lines() {
				core.first.Hint = fmt.Sprintf("%d of %d lines are of something else; let the tool write to a file of its own, as valgrind --log-file does", core.foreign, core.foreign+core.lines())
				err = core.first
			}
			if err == nil {
				err = b.End(i)
			}
			if err != nil {
				return nil, err
			}
			if core.counted {
				b.Note(fmt.Sprintf("no instructions in %s: every access counts as one", filepath.Base(path)))
			}
			sum.executed, sum.skipped, sum.foreign = sum.executed+core.executed, sum.skipped+core.skipped, sum.foreign+core.foreign
			for kind, n := range core.kinds {
				sum.kinds[kind] += n
			}
		}
		return []traces.Count{{Name: "instructions read", N: sum.executed}, {Name: "fetches", N: sum.kinds[traces.Fetch]},
			{Name: "loads", N: sum.kinds[traces.Load]}, {Name: "stores", N: sum.kinds[traces.Store]},
			{Name: "lines without an access", N: sum.skipped}, {Name: "lines of something else, left out", N: sum.foreign}}, nil
	})
}

// read reads one file to its end, or to the limit of instructions.
func (f Format) read(path string, config traces.ImportConfig, c *Core) error {
	from, err := packed.OpenFor(path, config)
	if err != nil {
		return err
	}
	defer from.Close()
	for line, offset := uint64(0), int64(0); ; line++ {
		fault := func(condition error, problem string) *traces.Error {
			return &traces.Error{File: path, Stream: traces.RecordStream, Core: c.number, Record: line, Offset: offset, Problem: problem, Err: condition}
		}
		text, problem, condition := from.Line(from.Size())
		switch {
		case condition == traces.ErrIllegal:
			return fault(condition, fmt.Sprintf("line %d is longer than %d bytes", line+1, from.Size()))
		case problem != "":
			return fault(condition, problem)
		case text == nil:
			return nil
		}
		problem = f.Line(bytes.TrimRight(text, "\r\n"), c)
		if c.text != "" {
			if c.foreign++; c.foreign == 1 {
				c.first = fault(traces.ErrIllegal, fmt.Sprintf("line %d: %s", line+1, c.text))
			}
			c.text = ""
		}
		if problem == "" {
			problem = c.problem
		}
		if problem != "" {
			return fault(traces.ErrIllegal, fmt.Sprintf("line %d: %s", line+1, problem))
		}
		if c.over {
			return nil
		}
		offset += int64(len(text))
		if err := c.to.Err(); err != nil {
			return err
		}
	}
}

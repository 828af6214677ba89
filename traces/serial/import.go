package serial

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Format is one format of text.
type Format struct {
	Version string // names the importer in the files that it writes
	Notes   []string
	// Line takes a line, without its end. It returns what is wrong with it, or "".
	Line func(line []byte, c *Core) (problem string)
}

const bufferRecords = 4096

// Import reads one file per core.
func Import(f Format, paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if len(paths) == 0 {
		return none, errors.New("no files given: name one per core")
	}
	m := traces.DefaultMetadata(c.Workload, len(paths))
	m.Origin, m.Importer, m.Target, m.Addresses, m.AddressSpaces = c.Origin, f.Version, "unknown", "mapped", len(paths)
	m.Notes = append([]string{"programs are independent: no edges"}, f.Notes...)
	for _, path := range paths {
		m.CoreNames = append(m.CoreNames, filepath.Base(path))
	}
	w, err := to(m)
	if err != nil {
		return none, err
	}
	var counter frames.Counter
	sum := &Core{}
	for i, path := range paths {
		core := &Core{pages: frames.NewMap(&counter)}
		if err := importFile(f, path, i, c, core, w); err != nil {
			w.Abort()
			return none, err
		}
		sum.executed, sum.skipped = sum.executed+core.executed, sum.skipped+core.skipped
		for kind, n := range core.kinds {
			sum.kinds[kind] += n
		}
	}
	if err := w.Close(); err != nil {
		return none, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: []traces.Count{{Name: "instructions read", N: sum.executed},
		{Name: "fetches", N: sum.kinds[traces.Fetch]}, {Name: "loads", N: sum.kinds[traces.Load]}, {Name: "stores", N: sum.kinds[traces.Store]},
		{Name: "lines without an access, left out", N: sum.skipped}}}, nil
}

// importFile reads one file to its end, or to the limit of instructions.
func importFile(f Format, path string, number int, config traces.ImportConfig, c *Core, w *traces.Writer) error {
	from, err := packed.Open(path, config.Passed)
	if err != nil {
		return err
	}
	defer from.Close()
	fault := func(line, offset uint64, condition error, problem string) error {
		return &traces.Error{File: path, Stream: traces.RecordStream, Core: number, Record: line, Offset: int64(offset), Problem: problem, Err: condition}
	}
	limit := config.Instructions
	var line, offset uint64
	for ; limit == 0 || c.executed <= limit; line++ {
		text, err := from.ReadSlice('\n')
		switch {
		case err == io.EOF && len(text) == 0:
			return finish(c, number, w)
		case errors.Is(err, bufio.ErrBufferFull):
			return fault(line, offset, traces.ErrIllegal, fmt.Sprintf("line %d is longer than %d bytes", line+1, from.Size()))
		case err != nil && err != io.EOF:
			problem, condition := packed.Condition(err)
			return fault(line, offset, condition, problem)
		}
		records, instructions, kinds := len(c.buffer), c.instructions, c.kinds
		if problem := f.Line(bytes.TrimRight(text, "\r\n"), c); problem != "" {
			return fault(line, offset, traces.ErrIllegal, fmt.Sprintf("line %d: %s", line+1, problem))
		}
		if limit != 0 && c.executed > limit { // the instruction beyond the limit is not wanted
			c.buffer, c.instructions, c.kinds = c.buffer[:records], instructions, kinds
			c.executed--
			break
		}
		offset += uint64(len(text))
		if len(c.buffer) >= bufferRecords {
			if err := w.WriteRecords(number, c.buffer); err != nil {
				return err
			}
			c.buffer = c.buffer[:0]
		}
	}
	return finish(c, number, w)
}

func finish(c *Core, number int, w *traces.Writer) error {
	c.buffer = append(c.buffer, traces.Record{Kind: traces.End, Instructions: uint32(min(c.instructions, 1<<32-1))})
	if err := w.WriteRecords(number, c.buffer); err != nil {
		return err
	}
	return w.WritePages(number, c.pages.Pages())
}

package drmemtrace

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "drmemtrace 1"

// Import reads one file per thread, or a folder of them.
func Import(files []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	m := traces.DefaultMetadata(c.Workload, len(files))
	m.Origin, m.Importer, m.Addresses = c.Origin, Version, "mapped"
	m.Notes = []string{"no order between threads is kept: the format has none but times"}
	if err := describe(&m, files, c); err != nil {
		return none, err
	}
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		var sum counts
		for core, path := range files {
			if err := importFile(path, core, c, b, &sum); err != nil {
				return nil, err
			}
		}
		return sum.list(), nil
	})
}

// Named reports whether a file's name is that of a thread.
func Named(name string) bool {
	return strings.Contains(name, ".trace") || strings.Contains(name, ".memtrace")
}

// describe learns from the files' first entries what they have in common.
func describe(m *traces.Metadata, files []string, c traces.ImportConfig) error {
	processes := map[uint64]int{}
	for core, path := range files {
		head, err := readHead(path, core, c)
		if err != nil {
			return err
		}
		processes[head.process]++
		m.CoreNames = append(m.CoreNames, fmt.Sprintf("thread %d", head.thread))
		m.Target = head.target()
		if head.fileType&filteredTypes != 0 && len(m.Notes) == 1 {
			m.Notes = append(m.Notes, "accesses that hit in a small cache were left out when the trace was recorded")
		}
	}
	switch len(processes) {
	case 1:
	case len(files):
		m.AddressSpaces = len(files)
	default:
		return fmt.Errorf("the %d files are of %d processes; import the threads of one process, or one thread of each", len(files), len(processes))
	}
	return nil
}

// importFile reads one thread.
func importFile(path string, core int, c traces.ImportConfig, b *assemble.Builder, sum *counts) error {
	in, err := packed.OpenEntries(path, core, entryBytes, c)
	if err != nil {
		return err
	}
	defer in.Close()
	t := &thread{in: in, to: b, counts: sum, locks: map[uint64]bool{}}
	return t.read(c.Instructions)
}

// counts are what the files held.
type counts struct {
	entries, instructions, turns, reads, writes, atomics, prefetches, flushes, empty, markers uint64
}

func (n *counts) list() []traces.Count {
	return []traces.Count{{Name: "entries", N: n.entries}, {Name: "instructions", N: n.instructions},
		{Name: "further turns of string instructions", N: n.turns}, {Name: "reads", N: n.reads}, {Name: "writes", N: n.writes},
		{Name: "pairs of them that are atomics", N: n.atomics}, {Name: "prefetches, left out", N: n.prefetches}, {Name: "flushes, left out", N: n.flushes},
		{Name: "accesses of no bytes, left out", N: n.empty}, {Name: "markers", N: n.markers}}
}

const entryBytes = 12

// entry is one of the file's.
type entry struct {
	kind, size uint16
	value      uint64
}

// next returns the next entry; a file that ends before its footer is cut off.
func next(in *packed.Entries) (entry, error) {
	b, err := in.Next(entryBytes, fmt.Sprintf("an entry of %d, before its footer", entryBytes), "record or copy it again", "copy it again")
	if err != nil {
		return entry{}, err
	}
	e := entry{kind: binary.LittleEndian.Uint16(b), size: binary.LittleEndian.Uint16(b[2:]), value: binary.LittleEndian.Uint64(b[4:])}
	if in.Offset == 0 && e.kind != typeHeader {
		return e, in.Fault(0, traces.ErrNotATrace, "the file does not start with a header",
			"final traces are read: DynamoRIO makes them of raw ones; compression with lz4 or snappy must be undone first")
	}
	return e, nil
}

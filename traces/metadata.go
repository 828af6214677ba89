package traces

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/counts"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
)

// Metadata says where a trace comes from. It is the JSON at the head of a file.
type Metadata struct {
	Workload string `json:"workload"`
	// Origin is how the trace came about: program, recorder, region, importer and its options.
	Origin string `json:"origin"`
	// Importer is the name and version of what wrote the file.
	Importer string `json:"importer"`
	Target   string `json:"target"` // instruction set of the program, such as "x86_64"
	// Addresses is "physical" when the recorder saw physical addresses, "mapped" when the importer
	// gave frames to virtual pages (the page map is in the file), "synthetic" for made-up ones.
	Addresses string `json:"addresses"`
	Cores     int    `json:"cores"`
	// AddressSpaces is 1 when all cores share one, else equal to Cores.
	AddressSpaces int `json:"address_spaces"`
	PageBytes     int `json:"page_bytes"`
	LineBytes     int `json:"line_bytes"` // granularity of fetch records
	// EdgeBytes is the granularity of the edges that the recorder found: 8 where a read comes after
	// the last writer of what it reads. Older recordings, without it, have edges by line, so a replay
	// orders threads that only share a line, too.
	EdgeBytes int      `json:"edge_bytes,omitempty"`
	CoreNames []string `json:"core_names,omitempty"`
	Streams   []string `json:"streams"` // streams that the file may hold
	// Windows says where each window comes from. A trace without is one window and begins cold.
	Windows []Window `json:"windows,omitempty"`
	// Drawn says how the windows were chosen, see also [NotBetweenBarriers].
	Drawn string `json:"drawn,omitempty"`
	// Timestamps is what the memory timestamp records of the windows are good for; nil when there
	// are none, so that windows begin cold.
	Timestamps *CacheLimit `json:"timestamps,omitempty"`
	// Executes tells that the file has no records: each window is the state of a program, which a chip
	// executes from there.
	Executes bool `json:"executes,omitempty"`
	// Tickets tells that atomics may be tickets, and loads may poll. Whether a replay gives them out is in the index.
	Tickets bool `json:"tickets,omitempty"`
	// Tries tells that loads may begin attempts to change a word.
	Tries bool `json:"tries,omitempty"`
	// Symbols are the variables of the program that the recorder knows, ordered by address, if all
	// cores share one address space.
	Symbols []Symbol `json:"symbols,omitempty"`
	// Notes are remarks for people: what the import merged, dropped or assumed.
	Notes []string `json:"notes,omitempty"`
}

// DefaultMetadata describes a trace of the given number of cores in one address space.
func DefaultMetadata(workload string, cores int) Metadata {
	return Metadata{Workload: workload, Cores: cores, AddressSpaces: 1, Addresses: "synthetic", Target: "none",
		PageBytes: PageBytes, LineBytes: LineBytes, Streams: []string{"records", "edges", "pages"}}
}

// PageBytes is the page size of importers, LineBytes the line size of fetch records.
const (
	PageBytes = 4096
	LineBytes = 64
)

// Validate checks what readers rely on.
func (m Metadata) Validate() error {
	if m.Cores < 1 || m.Cores > limitCores {
		return fmt.Errorf("metadata: cores is %d, and must be from 1 to %d", m.Cores, limitCores)
	}
	if n := m.WindowCount(); n > limitCores/m.Cores {
		return fmt.Errorf("metadata: %d windows of %d cores; all windows together may have %d", n, m.Cores, limitCores)
	}
	if m.Timestamps != nil {
		if len(m.Windows) == 0 || m.Cores > limitCores/2 {
			return fmt.Errorf("metadata: timestamps are for windows of at most %d cores, and there are %d of %d", limitCores/2, len(m.Windows), m.Cores)
		}
		if err := m.Timestamps.Validate(); err != nil {
			return fmt.Errorf("metadata: timestamps: %w", err)
		}
	}
	if m.Executes && len(m.Windows) == 0 {
		return errors.New("metadata: a file that is executed has windows, and there are none")
	}
	if len(m.CoreNames) != 0 && len(m.CoreNames) != m.Cores {
		return fmt.Errorf("metadata: %d core names for %d cores; give one per core or none", len(m.CoreNames), m.Cores)
	}
	return nil
}

// printable escapes what no terminal should see in the texts.
func (m *Metadata) printable() {
	m.CoreNames, m.Streams, m.Notes = slices.Clone(m.CoreNames), slices.Clone(m.Streams), slices.Clone(m.Notes)
	m.Windows, m.Symbols = slices.Clone(m.Windows), slices.Clone(m.Symbols)
	texts := []*string{&m.Workload, &m.Origin, &m.Importer, &m.Target, &m.Addresses, &m.Drawn}
	for _, list := range [][]string{m.CoreNames, m.Streams, m.Notes} {
		for i := range list {
			texts = append(texts, &list[i])
		}
	}
	for i := range m.Windows {
		texts = append(texts, &m.Windows[i].Name)
	}
	for i := range m.Symbols {
		texts = append(texts, &m.Symbols[i].Name)
	}
	for _, text := range texts {
		*text = printable.Name(*text)
	}
}

// NotBetweenBarriers is a part of Drawn, see [Metadata.CutsBarriers].
const NotBetweenBarriers = "not from barrier to barrier"

// CutsBarriers reports whether all cores of the long trace meet at barriers, and windows do not go from one to another.
func (m Metadata) CutsBarriers() bool { return strings.Contains(m.Drawn, NotBetweenBarriers) }

// EdgesByLine reports whether a recorder found the edges by line, as it did before it kept the last
// writer of each word: threads that only share a line are ordered, too.
func (m Metadata) EdgesByLine() bool {
	return m.EdgeBytes == 0 && (strings.HasPrefix(m.Importer, "record ") || strings.HasPrefix(m.Importer, "raw "))
}

// CoreTotals counts what one core's streams hold.
type CoreTotals struct {
	Records      uint64 `json:"records"` // all kinds, the End included
	Instructions uint64 `json:"instructions"`
	Loads        uint64 `json:"loads"`
	Stores       uint64 `json:"stores"`
	Atomics      uint64 `json:"atomics"`
	Fetches      uint64 `json:"fetches"`
	Others       uint64 `json:"others"`            // fences, locks, unlocks, barriers, creates, joins
	Tickets      uint64 `json:"tickets,omitempty"` // of the atomics
	Polls        uint64 `json:"polls,omitempty"`   // of the loads
	Tries        uint64 `json:"tries,omitempty"`   // likewise
	Edges        uint64 `json:"edges"`
	Pages        uint64 `json:"pages"`
	// Timestamps are the entries of a window's memory timestamp record, in the totals of its core
	// 0.
	Timestamps uint64 `json:"timestamps,omitempty"`
	// States are the entries of a window's state, in the totals of its core 0.
	States uint64 `json:"states,omitempty"`
	// Created tells that the core starts when another core's Create record names it.
	Created bool `json:"created,omitempty"`
}

// Accesses returns the number of data accesses.
func (t CoreTotals) Accesses() uint64 { return t.Loads + t.Stores + t.Atomics }

// Plus returns the sum of two totals; Created has no sum.
func (t CoreTotals) Plus(o CoreTotals) CoreTotals {
	counts.Add(&t, &o)
	t.Created = false
	return t
}

func (t *CoreTotals) count(records []Record) {
	var kinds [256]uint64
	for i := range records {
		kinds[records[i].Kind]++
		switch {
		case records[i].Count == 0:
		case records[i].Kind == Atomic:
			t.Tickets++
		case records[i].Kind == Load && records[i].Count == Tries:
			t.Tries++
		case records[i].Kind == Load:
			t.Polls++
		}
		t.Instructions += uint64(records[i].Instructions)
	}
	t.Records += uint64(len(records))
	t.Loads += kinds[Load]
	t.Stores += kinds[Store]
	t.Atomics += kinds[Atomic]
	t.Fetches += kinds[Fetch]
	for k := Fence; k < End; k++ {
		t.Others += kinds[k]
	}
}

// Window says where a window comes from.
type Window struct {
	// After is how many records all cores together had executed before the window.
	After uint64 `json:"after"`
	// Name tells windows apart for people, such as by the phase of the program.
	Name string `json:"name,omitempty"`
	// Lead and Measured are in records of all cores of the window. Measuring starts after Lead of them:
	// these warm more than caches. It ends after Measured more, and what follows keeps cores busy that are
	// faster than others. Measured 0 stands for the whole window.
	Lead     uint64 `json:"lead,omitempty"`
	Measured uint64 `json:"measured,omitempty"`
}

// WindowCount returns the number of windows, at least one.
func (m Metadata) WindowCount() int { return max(1, len(m.Windows)) }

// Alone returns the metadata of one window that stands by itself and begins cold.
func (m Metadata) Alone() Metadata {
	m.Windows, m.Drawn, m.Timestamps = nil, "", nil
	return m
}

// streams returns the number of streams of records: one for each window and core.
func (m Metadata) streams() int { return m.WindowCount() * m.Cores }

// Page maps one virtual page of an address space to the physical frame that its records use.
type Page struct {
	Virtual uint64 // page number
	Frame   uint64 // frame number: physical address / page size
}

// ActiveCores counts the cores that access memory, in one of the windows if there are several.
func ActiveCores(totals []CoreTotals, cores int) int {
	active := map[int]bool{}
	for i, t := range totals {
		if t.Accesses() > 0 {
			active[i%cores] = true
		}
	}
	return len(active)
}

// IdleNote warns when fewer than half of a trace's cores do anything, and else returns nothing.
func IdleNote(active, cores int) []string {
	switch {
	case active == 1 && cores > 1:
		return []string{fmt.Sprintf("only 1 of %d cores accesses memory, so the network carries the traffic of a single core", cores)}
	case 2*active < cores:
		return []string{fmt.Sprintf("only %d of %d cores access memory; the others do not use the network", active, cores)}
	}
	return nil
}

// ImportConfig has the options of importers; the zero value imports everything. Importers ignore
// options that do not apply to their formats.
type ImportConfig struct {
	Workload string // name in the metadata
	Origin   string // a sentence for the metadata
	// Instructions bounds what is read of each file; 0 is no bound.
	Instructions uint64
	// Passed is called, from any goroutine, with the number of bytes of a file, as it is stored,
	// that have been read since the last call. An error that it returns ends the import. It may be
	// nil.
	Passed func(bytes int) error
	// Head, if not 0, ends every file after so many bytes, decompressed, with ErrHead: to find out
	// whether the file has a format, one imports its head.
	Head int
	// Anyway takes records whose values are not plausible.
	Anyway bool
	// Times orders threads by the times in the files, where nothing else orders them.
	Times bool
}

// Importer turns foreign files into a trace: one file per core or thread, or a folder of them, as
// its format has it. Its errors name the file and the byte at which something is wrong.
type Importer func(paths []string, c ImportConfig, to Destination) (Imported, error)

// Destination makes the writer of a trace once an importer knows its metadata.
type Destination func(Metadata) (*Writer, error)

// ToFile writes to a path.
func ToFile(path string, c WriterConfig) Destination {
	return func(m Metadata) (*Writer, error) { return CreateFile(path, m, c) }
}

// ToStream writes to anything that takes bytes.
func ToStream(out io.Writer, c WriterConfig) Destination {
	return func(m Metadata) (*Writer, error) { return NewWriter(out, m, c) }
}

// Imported is what an importer reports.
type Imported struct {
	Metadata Metadata
	Totals   []CoreTotals // per core, as written
	// Input is what the foreign files held, and what became of it. A name that ends in "left out" is a
	// loss, which the trace keeps as a note.
	Input []Count
	// Taken counts the records that were made, also if the import has failed.
	Taken uint64
}

// Count is one number of an import's report.
type Count struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// Sum adds the totals of all cores.
func (i Imported) Sum() CoreTotals { return Survey{Totals: i.Totals}.Sum() }

// Symbol is a variable of a recorded program, which has a place of its own in memory.
type Symbol struct {
	Name    string `json:"name"`
	Address uint64 `json:"address"` // virtual
	Bytes   uint64 `json:"bytes"`
}

// Named is implemented by sources that know variables of the program.
type Named interface {
	// SymbolsAt names the variables that have some of the bytes of a block of LineBytes at a physical
	// address, in the order of their addresses. bytes has a bit for each byte that counts.
	SymbolsAt(block, bytes uint64) ([]string, error)
}

// SymbolsIn names the symbols that have some of the bytes of a block at a virtual address. The list
// is ordered by address.
func SymbolsIn(list []Symbol, block, bytes uint64) (names []string) {
	end := sort.Search(len(list), func(i int) bool { return list[i].Address >= block+LineBytes })
	for _, s := range list[:end] {
		from, to := max(s.Address, block), min(s.Address+s.Bytes, block+LineBytes)
		if from < to && bytes>>(from-block)<<(64-(to-from)) != 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// SymbolsAt implements [Named], for recordings with symbols, whose cores share one address space.
func (f *File) SymbolsAt(block, bytes uint64) ([]string, error) {
	if len(f.metadata.Symbols) == 0 {
		return nil, nil
	}
	pages, err := f.ReadPages(0)
	i := slices.IndexFunc(pages, func(p Page) bool { return p.Frame == block/PageBytes })
	if err != nil || i < 0 {
		return nil, err
	}
	return SymbolsIn(f.metadata.Symbols, pages[i].Virtual*PageBytes+block%PageBytes, bytes), nil
}

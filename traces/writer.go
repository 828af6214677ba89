package traces

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/klauspost/compress/zstd"
)

// WriterConfig sizes blocks and chooses how hard to compress.
type WriterConfig struct {
	// BlockRecords is the number of records of a block, up to 262,144. Larger blocks compress
	// better; a reader holds 2 to 3 bytes per record of one block and core.
	BlockRecords int
	// BlockBytes bounds what a reader holds of a block: one that takes more is written in parts. 0
	// is 1 MiB.
	BlockBytes int
	// Small spends ten times the time on compression.
	Small bool
	// Prove, if not nil, reads the new file back with this configuration and verifies it before it
	// gets its name. A trace that cannot be replayed is dropped, and the error is [Unproved].
	Prove *ReaderConfig
}

// DefaultWriterConfig returns a configuration with blocks that a reader holds in 64 KB, with all
// that it keeps of a stream.
func DefaultWriterConfig() WriterConfig {
	return WriterConfig{BlockRecords: 16 << 10, BlockBytes: 52 << 10}
}

// Validate checks the sizes of blocks.
func (c WriterConfig) Validate() error {
	if c.BlockRecords < 1 || c.BlockRecords > limitEntries {
		return fmt.Errorf("block records is %d, and must be from 1 to %d", c.BlockRecords, limitEntries)
	}
	if c.BlockBytes < 0 || c.BlockBytes > largestBlock {
		return fmt.Errorf("block bytes is %d, and must be from 0 to %d", c.BlockBytes, largestBlock)
	}
	return nil
}

const (
	largestBlock  = 1 << 20 // in bytes, columns plain
	edgesPerBlock = 4096
	pagesPerBlock = 4096
)

// coreWriter holds what is not yet a block.
type coreWriter struct {
	records []Record
	edges   []Edge
	pages   []Page
	written CoreTotals // of blocks written
	lastAt  uint64
	ended   bool
}

// Writer writes a trace file block by block; it holds one block per core. Calls for different cores
// may come in any order. Of a trace with windows, core c of window w has the number w times the
// cores plus c in its methods; edges and records name cores of their own window.
type Writer struct {
	out      io.Writer
	offset   uint64
	metadata Metadata
	config   WriterConfig
	cores    []coreWriter
	index    []blockRow
	zstd     *zstd.Encoder
	encoder  *recordEncoder
	columns  columns
	last     positions
	head     []byte
	payload  []byte
	file     *wholefile.File // nil when a stream is written
	path     string
	notes    []string // that were not known when the metadata was written
	tickets  bool
	own      [][]uint64
	err      error // the first error; everything after returns it
}

// NewWriter writes a trace to out, which need not seek.
func NewWriter(out io.Writer, m Metadata, c WriterConfig) (*Writer, error) {
	m.printable()
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.BlockBytes == 0 {
		c.BlockBytes = largestBlock
	}
	level := zstd.SpeedDefault
	if c.Small {
		level = zstd.SpeedBestCompression
	}
	// These options exist, so there is no error.
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	w := &Writer{out: out, metadata: m, config: c, cores: make([]coreWriter, m.streams()), zstd: z, encoder: &recordEncoder{shapes: make(map[shape]uint8, literalShape)}}
	text, _ := json.Marshal(m) // texts and numbers
	if len(text) > limitJSON {
		return nil, fmt.Errorf("metadata takes %d bytes, and may take %d", len(text), limitJSON)
	}
	head := append([]byte(headMagic), 0, 0, 0, 0, 0, 0, 0, 0)
	littleEndian.PutUint16(head[8:], majorVersion(m))
	littleEndian.PutUint16(head[10:], MinorVersion)
	littleEndian.PutUint32(head[12:], uint32(len(text)))
	head = append(head, text...)
	head = littleEndian.AppendUint32(head, checksum(head))
	w.write(head)
	return w, w.err
}

// majorVersion returns the version of a trace with that metadata.
func majorVersion(m Metadata) uint16 {
	switch {
	case m.Tries:
		return 6
	case m.Tickets:
		return 5
	case m.Executes:
		return 4
	case len(m.Windows) > 0:
		return 3
	}
	return 1
}

// CreateFile writes a trace file. It exists under its name only after Close, complete; until then
// it grows beside it under a name that begins with a dot.
func CreateFile(path string, m Metadata, c WriterConfig) (*Writer, error) {
	f, err := wholefile.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(f, m, c)
	if err != nil {
		f.Abort()
		return nil, err
	}
	w.file, w.path = f, path
	return w, nil
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(b)
	w.offset += uint64(n)
	w.err = err
}

// Note adds a note to those of the metadata, as many as fit.
func (w *Writer) Note(text string) {
	if text = printable.Name(text); textBytes(w.notes)+len(text) < limitNotes/8 {
		w.notes = append(w.notes, text)
	}
}

// GiveTickets lets replays give out the tickets of a trace whose metadata has some. own is that of
// [Ticketed]; what is beyond MostOwn lines is left out.
func (w *Writer) GiveTickets(own [][]uint64) {
	w.tickets = w.metadata.Tickets && len(own) == len(w.cores)
	for _, lines := range own {
		w.own = append(w.own, lines[:min(len(lines), MostOwn/len(own))])
	}
}

// MostOwn is how many lines of their own all cores together may have.
const MostOwn = limitOwnLines

// Notes returns what Note has added.
func (w *Writer) Notes() []string { return w.notes }

func textBytes(list []string) (n int) {
	for _, text := range list {
		n += len(text) + 4
	}
	return n
}

// Err returns the first error of a call, which all later calls return, too.
func (w *Writer) Err() error { return w.err }

// WriteRecords appends records to a core's stream. Nothing may follow its End.
func (w *Writer) WriteRecords(core int, records []Record) error {
	if w.err != nil {
		return w.err
	}
	c := &w.cores[core]
	for i := range records {
		if c.ended || records[i].Kind >= Kinds {
			w.err = w.fault(RecordStream, core, c.written.Records+uint64(len(c.records)), ErrIllegal, "a record follows the end, or its kind is unknown", "")
			return w.err
		}
		c.records = append(c.records, records[i])
		c.ended = records[i].Kind == End
		if cores := w.metadata.Cores; records[i].Kind == Create && records[i].Address < uint64(cores) {
			w.cores[core/cores*cores+int(records[i].Address)].written.Created = true
		}
		if len(c.records) == w.config.BlockRecords {
			w.flushRecords(core, c)
		}
	}
	return w.err
}

// fault is an error at an entry of a stream, which is of a core of some window.
func (w *Writer) fault(s Stream, stream int, entry uint64, condition error, problem, hint string) error {
	cores := w.metadata.Cores
	return &Error{File: w.path, Window: w.metadata.windowNumber(stream / cores), Stream: s, Core: stream % cores, Record: entry, Offset: -1,
		Problem: problem, Hint: hint, Err: condition}
}

// WriteEdges appends edges to a core's stream, ordered by At.
func (w *Writer) WriteEdges(core int, edges []Edge) error {
	if w.err != nil {
		return w.err
	}
	c := &w.cores[core]
	for _, e := range edges {
		if e.At < c.lastAt || int(e.Producer) >= w.metadata.Cores || int(e.Producer) == core%w.metadata.Cores {
			w.err = w.fault(EdgeStream, core, c.written.Edges+uint64(len(c.edges)), ErrIllegal,
				fmt.Sprintf("edge at %d on core %d record %d: edges are ordered and name another core of the trace", e.At, e.Producer, e.Position), "")
			return w.err
		}
		c.lastAt = e.At
		if c.edges = append(c.edges, e); len(c.edges) == edgesPerBlock {
			w.flushEdges(core, c)
		}
	}
	return w.err
}

// WritePages appends to the page map of a core's address space; spaces that all cores share are
// core 0's.
func (w *Writer) WritePages(core int, pages []Page) error {
	if w.err != nil {
		return w.err
	}
	c := &w.cores[core]
	for _, p := range pages {
		if c.pages = append(c.pages, p); len(c.pages) == pagesPerBlock {
			w.flushPages(core, c)
		}
	}
	return w.err
}

func (w *Writer) flushRecords(core int, c *coreWriter) {
	if len(c.records) == 0 {
		return
	}
	w.flushPart(core, c, c.records)
	c.records = c.records[:0]
}

// flushPart writes records as a block, or as several if one would be too large for its reader.
func (w *Writer) flushPart(core int, c *coreWriter, records []Record) {
	w.encoder.encode(records, &w.columns)
	if w.columns.size() > w.config.BlockBytes && len(records) > 1 {
		w.flushPart(core, c, records[:len(records)/2])
		w.flushPart(core, c, records[len(records)/2:])
		return
	}
	before := c.written.Instructions
	row := blockRow{stream: RecordStream, core: uint16(core), first: c.written.Records, instructions: before, entries: uint32(len(records))}
	c.written.count(records)
	w.block(row, c.written.Instructions-before)
}

func (w *Writer) flushEdges(core int, c *coreWriter) {
	if len(c.edges) == 0 {
		return
	}
	encodeEdges(c.edges, &w.columns, &w.last)
	w.block(blockRow{stream: EdgeStream, core: uint16(core), first: c.written.Edges, entries: uint32(len(c.edges))}, 0)
	c.written.Edges += uint64(len(c.edges))
	c.edges = c.edges[:0]
}

func (w *Writer) flushPages(core int, c *coreWriter) {
	if len(c.pages) == 0 {
		return
	}
	encodePages(c.pages, &w.columns)
	w.block(blockRow{stream: PageStream, core: uint16(core), first: c.written.Pages, entries: uint32(len(c.pages))}, 0)
	c.written.Pages += uint64(len(c.pages))
	c.pages = c.pages[:0]
}

// block compresses w.columns and appends the block.
func (w *Writer) block(row blockRow, covered uint64) {
	h := blockHead{blockRow: row, covered: covered, columns: make([]column, 0, limitColumns)}
	h.offset = w.offset
	w.payload = w.payload[:0]
	for id, plain := range w.columns {
		if len(plain) == 0 {
			continue
		}
		c := column{id: uint8(id), compression: compressionZstd, plain: uint32(len(plain))}
		start := len(w.payload)
		w.payload = w.zstd.EncodeAll(plain, w.payload)
		if len(w.payload)-start >= len(plain) {
			w.payload = append(w.payload[:start], plain...)
			c.compression = compressionNone
		}
		c.stored = uint32(len(w.payload) - start)
		h.columns = append(h.columns, c)
	}
	h.payload = checksum(w.payload)
	w.head = appendBlockHead(w.head[:0], &h)
	h.stored = uint32(len(w.head) + len(w.payload))
	w.index = append(w.index, h.blockRow)
	w.write(w.head)
	w.write(w.payload)
}

package traces

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
)

// streams are the reading positions in the streams of all cores of one window, or of all windows.
type streams struct {
	records []recordStream
	edges   []edgeStream
	rows    rows
}

// rows are those of the index by stream and core. Timestamps and states are of a window's first core only.
type rows [lastStream + 1][][]int32

// streams returns the streams with these blocks, at their beginnings.
func (r rows) streams() streams {
	n := len(r[RecordStream])
	s := streams{make([]recordStream, n), make([]edgeStream, n), r}
	for core := range n {
		s.records[core].rows, s.edges[core].rows = r[RecordStream][core], r[EdgeStream][core]
	}
	return s
}

// of returns the streams from first up to end. Windows share the page maps of the first one.
func (s *streams) of(first, end int) streams {
	own := streams{records: s.records[first:end], edges: s.edges[first:end]}
	for stream := range s.rows {
		own.rows[stream] = s.rows[stream][first:end]
	}
	own.rows[PageStream] = s.rows[PageStream][:end-first]
	return own
}

// Stamped is implemented by sources that may know what caches hold before the first record.
type Stamped interface {
	// ReadTimestamps returns the memory timestamp record, and the limit of the caches that it is
	// good for; nil and no error when nothing is known.
	ReadTimestamps() (*Timestamps, CacheLimit, error)
}

// Partial is implemented by sources of which a part may be measured.
type Partial interface {
	// Measured returns after how many records of all cores measuring starts, and how many are measured; 0
	// stands for all of them.
	Measured() (lead, records uint64)
}

// Measured implements [Partial].
func (f *File) Measured() (lead, records uint64) {
	if len(f.metadata.Windows) == 0 {
		return 0, 0
	}
	w := f.metadata.Windows[f.window]
	return w.Lead, w.Measured
}

// Windows returns the number of windows. The streams of an opened file are those of window 0.
func (f *File) Windows() int { return f.metadata.WindowCount() }

// Window returns the same file with the streams of a window, and with reading positions and buffers
// of its own, for another goroutine. It is good until f is closed, and closed by itself.
func (f *File) Window(window int) (*File, error) {
	own := f.Again()
	if err := own.Choose(window); err != nil {
		own.zstd.Close()
		return nil, err
	}
	return own, nil
}

// Choose makes the streams of the file those of a window, from their beginning.
func (f *File) Choose(window int) error {
	if window < 0 || window >= f.Windows() {
		return f.fault(-1, ErrMissingStream, fmt.Sprintf("window %d does not exist; there are windows 0 to %d", window, f.Windows()-1), "")
	}
	f.stand(window)
	f.Rewind()
	return nil
}

// stand makes the streams of a window those of the file.
func (f *File) stand(window int) {
	cores := f.metadata.Cores
	f.window = window
	f.streams = f.whole.of(window*cores, (window+1)*cores)
	if f.allTotals != nil {
		f.totals = f.allTotals[window*cores : (window+1)*cores]
	}
}

// windowNumber is what errors have for the file's window.
func (f *File) windowNumber() int { return f.metadata.windowNumber(f.window) }

// windowNumber is what errors have for a window: nothing when there is only one.
func (m Metadata) windowNumber(window int) int {
	if len(m.Windows) == 0 {
		return 0
	}
	return window + 1
}

// WindowNumber returns which window the file's streams are of.
func (f *File) WindowNumber() int { return f.window }

// ReadTimestamps implements [Stamped].
func (f *File) ReadTimestamps() (*Timestamps, CacheLimit, error) {
	limit := f.metadata.Timestamps
	if limit == nil {
		return nil, CacheLimit{}, nil
	}
	rows, entries := f.rows[TimestampStream][0], f.entries(TimestampStream, 0)
	if most := limit.entries(f.metadata.Cores); entries > most {
		return nil, *limit, f.damage(TimestampStream, 0, 0, int64(f.index[rows[0]].offset),
			fmt.Sprintf("there are %d timestamps; caches of the recorded limit hold at most %d blocks", entries, most))
	}
	if entries == 0 && f.metadata.Windows[f.window].After > 0 {
		return nil, *limit, &Error{File: f.name, Window: f.windowNumber(), Stream: TimestampStream, Offset: -1, Err: ErrMissingStream,
			Problem: "the window has no timestamps, though its metadata names some", Hint: "sample the trace again, or replay it with --cold"}
	}
	t := new(Timestamps)
	if err := f.decodeAll(rows, 0, func(entries int) bool { return decodeTimestamps(t, entries, &f.columns) }); err != nil {
		return nil, *limit, err
	}
	if entry, problem, condition := t.check(*limit, f.metadata.Cores, f.config.MemoryBytes); problem != "" {
		return nil, *limit, &Error{File: f.name, Window: f.windowNumber(), Stream: TimestampStream, Record: uint64(entry),
			Offset: f.offsetOf(rows, uint64(entry)), Err: condition, Problem: problem}
	}
	return t, *limit, nil
}

// WriteTimestamps writes the memory timestamp record of a window, once. The metadata must give its
// limit.
func (w *Writer) WriteTimestamps(window int, t *Timestamps) error {
	m, core := &w.metadata, window*w.metadata.Cores
	switch {
	case w.err != nil:
		return w.err
	case m.Timestamps == nil || window < 0 || window >= m.WindowCount():
		return w.fault(TimestampStream, core, 0, ErrIllegal, "the metadata names no such window, or no limit of timestamps", "")
	case w.cores[core].written.Timestamps > 0:
		return w.fault(TimestampStream, core, 0, ErrIllegal, "the window has its timestamps already", "")
	}
	if entry, problem, condition := t.check(*m.Timestamps, m.Cores, 1<<63); problem != "" {
		return w.fault(TimestampStream, core, uint64(entry), condition, problem, "")
	}
	for first := 0; first < len(t.Entries); first += timestampsPerBlock {
		end := min(first+timestampsPerBlock, len(t.Entries))
		encodeTimestamps(t, first, end, &w.columns)
		w.block(blockRow{stream: TimestampStream, core: uint16(core), first: uint64(first), entries: uint32(end - first)}, 0)
		w.cores[core].written.Timestamps += uint64(end - first)
	}
	return w.err
}

// CacheLimit bounds the caches whose content a memory timestamp record gives: any power of two of
// sets and any number of ways up to these.
type CacheLimit struct {
	L1Sets int `json:"l1_sets"` // of each L1, one for data and one for instructions per core
	L1Ways int `json:"l1_ways"`
	L2Sets int `json:"l2_sets"` // of the whole shared L2, all banks together
	L2Ways int `json:"l2_ways"`
}

// DefaultCacheLimit returns a limit of 128 KB for each L1 and 16 MB for the L2.
func DefaultCacheLimit() CacheLimit {
	return CacheLimit{L1Sets: 256, L1Ways: 8, L2Sets: 16 << 10, L2Ways: 16}
}

const (
	limitLog2Sets = 24
	limitWays     = 64
)

// Validate checks that the limits are such as caches may have.
func (c CacheLimit) Validate() error {
	for _, v := range []struct {
		name string
		sets int
		ways int
	}{{"l1", c.L1Sets, c.L1Ways}, {"l2", c.L2Sets, c.L2Ways}} {
		if v.sets < 1 || v.sets > 1<<limitLog2Sets || v.sets&(v.sets-1) != 0 {
			return fmt.Errorf("%s_sets is %d, and must be a power of two up to %d", v.name, v.sets, 1<<limitLog2Sets)
		}
		if v.ways < 1 || v.ways > limitWays {
			return fmt.Errorf("%s_ways is %d, and must be from 1 to %d", v.name, v.ways, limitWays)
		}
	}
	return nil
}

// entries returns how many entries a record for so many cores may have.
func (c CacheLimit) entries(cores int) uint64 {
	return 2*uint64(cores)*uint64(c.L1Sets)*uint64(c.L1Ways) + uint64(c.L2Sets)*uint64(c.L2Ways)
}

// Timestamps is a memory timestamp record (Barr, Pan, Zhang and Asanovic, ISPASS 2005): what the
// caches of a chip hold at the start of a window, for any size up to a limit and any protocol. It
// keeps the order of last touches in place of their times.
type Timestamps struct {
	// Entries are in the order of the last touch, the latest last. A block that several caches may
	// hold has an entry for each; the last of them is the latest touch of the block by any cache.
	Entries []Timestamp
	// Depths are exceptions, in order of their entries, then sets. In an L1 with LRU replacement an
	// entry is as deep in its set as there are later entries of the same cache in it. It is deeper
	// where another core's write has emptied a frame that only a later miss of the set has filled
	// again.
	Depths []Depth
}

// Timestamp is the last touch of a block by one cache.
type Timestamp struct {
	Block uint32 // byte address / LineBytes
	// Cache is twice the core's number for its data, and one more for its instructions.
	Cache uint16
	Flags TimestampFlags
}

// TimestampFlags say what is known of a block.
type TimestampFlags uint8

// The flags of a timestamp.
const (
	// Wrote: no core has written the block after this one.
	Wrote TimestampFlags = 1 << iota
	// Written: memory does not have the latest data of the block, because a core has written it
	// since it was last fetched into an L2 as large as the limit. It stands in the block's last
	// entry. In a smaller L2 memory may have been written since; the block counts as modified all
	// the same.
	Written

	timestampFlags = Wrote | Written
)

// Depth is how deep an entry is in its set of an L1 with so many sets: one with up to so many ways
// does not hold it.
type Depth struct {
	Entry uint32
	Sets  uint8 // log2
	Ways  uint8 // the limit's, if it is deeper
}

// check returns what is wrong with a record, and at which entry.
func (t *Timestamps) check(c CacheLimit, cores int, memory uint64) (entry int, problem string, condition error) {
	if n := uint64(len(t.Entries)); n > c.entries(cores) {
		return 0, fmt.Sprintf("there are %d timestamps; caches of the recorded limit hold at most %d blocks", n, c.entries(cores)), ErrIllegal
	}
	seen := blocktable.New[uint64](struct{}{})
	seen.Grow(len(t.Entries))
	for i := range t.Entries {
		e := &t.Entries[i]
		key := uint64(e.Cache)<<32 | uint64(e.Block)
		twice := seen.Find(key) != nil
		seen.Get(key)
		switch {
		case int(e.Cache) >= 2*cores:
			return i, fmt.Sprintf("the timestamp is of cache %d; %d cores have two each", e.Cache, cores), ErrIllegal
		case e.Flags&^timestampFlags != 0:
			return i, fmt.Sprintf("the timestamp has flags %#x, which are not known", e.Flags), ErrIllegal
		case twice:
			return i, fmt.Sprintf("cache %d has two timestamps of block %#x", e.Cache, e.Block), ErrIllegal
		case (uint64(e.Block)+1)*LineBytes > memory:
			return i, fmt.Sprintf("a timestamp of address %#x with a memory of %d bytes", uint64(e.Block)*LineBytes, memory), ErrAddress
		}
	}
	if i, problem := checkDepths(t.Depths, len(t.Entries), c.L1Sets, c.L1Ways); problem != "" {
		return i, problem, ErrIllegal
	}
	return 0, "", nil
}

// checkDepths returns what is wrong with exceptions.
func checkDepths(list []Depth, entries, sets, ways int) (entry int, problem string) {
	for i, d := range list {
		if int(d.Entry) >= entries || int(d.Sets) >= bits.Len(uint(sets)) || d.Ways == 0 || int(d.Ways) > ways {
			return int(d.Entry), fmt.Sprintf("depth %d with 2^%d sets at entry %d of %d is beyond the recorded limit", d.Ways, d.Sets, d.Entry, entries)
		}
		if i > 0 && (list[i-1].Entry > d.Entry || list[i-1].Entry == d.Entry && list[i-1].Sets >= d.Sets) {
			return int(d.Entry), "depths are not in order"
		}
	}
	return 0, ""
}

// timestampsPerBlock is small enough for a block that all depths make large.
const timestampsPerBlock = 1 << 16

// encodeTimestamps fills the columns of a block with the entries of a record from first up to end,
// and with their depths.
func encodeTimestamps(t *Timestamps, first, end int, c *columns) {
	c.reset()
	high := false
	previous := map[uint16]uint32{}
	for _, e := range t.Entries[first:end] {
		c[columnCachesLow] = append(c[columnCachesLow], byte(e.Cache))
		c[columnCachesHigh] = append(c[columnCachesHigh], byte(e.Cache>>8))
		high = high || e.Cache > 255
		c[columnFlags] = append(c[columnFlags], byte(e.Flags))
		c[columnBlocks] = binary.AppendVarint(c[columnBlocks], int64(e.Block)-int64(previous[e.Cache]))
		previous[e.Cache] = e.Block
	}
	if !high {
		c[columnCachesHigh] = c[columnCachesHigh][:0]
	}
	c[columnDepths] = appendDepths(c[columnDepths], t.Depths, first, end)
}

func appendDepths(b []byte, list []Depth, first, end int) []byte {
	last := first
	for _, d := range list {
		if int(d.Entry) < first || int(d.Entry) >= end {
			continue
		}
		b = binary.AppendUvarint(b, uint64(int(d.Entry)-last))
		b = binary.AppendUvarint(b, uint64(d.Sets))
		b = binary.AppendUvarint(b, uint64(d.Ways))
		last = int(d.Entry)
	}
	return b
}

// decodeTimestamps appends the entries of a block and reports whether its columns fit each other.
func decodeTimestamps(t *Timestamps, entries int, c *columns) bool {
	low, high, flags, blocks := c[columnCachesLow], c[columnCachesHigh], c[columnFlags], varints(c[columnBlocks])
	if len(low) != entries || len(high) != 0 && len(high) != entries || len(flags) != entries {
		return false
	}
	first := len(t.Entries)
	previous := map[uint16]uint64{}
	for i := range entries {
		e := Timestamp{Cache: uint16(low[i]), Flags: TimestampFlags(flags[i])}
		if len(high) > 0 {
			e.Cache |= uint16(high[i]) << 8
		}
		d, ok := blocks.next()
		block := previous[e.Cache] + unzigzag(d)
		if !ok || block > 1<<32-1 {
			return false
		}
		previous[e.Cache], e.Block = block, uint32(block)
		t.Entries = append(t.Entries, e)
	}
	ok := len(blocks) == 0
	if ok {
		t.Depths, ok = decodeDepths(t.Depths, first, entries, varints(c[columnDepths]))
	}
	return ok
}

// decodeDepths appends the depths of a block whose first entry has a number.
func decodeDepths(list []Depth, first, entries int, b varints) ([]Depth, bool) {
	at := uint64(0)
	for len(b) > 0 {
		step, ok1 := b.next()
		sets, ok2 := b.next()
		ways, ok3 := b.next()
		if at += step; !ok1 || !ok2 || !ok3 || step > 1<<20 || at >= uint64(entries) || sets > 255 || ways > 255 {
			return list, false
		}
		list = append(list, Depth{Entry: uint32(first) + uint32(at), Sets: uint8(sets), Ways: uint8(ways)})
	}
	return list, true
}

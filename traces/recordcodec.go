package traces

import (
	"math/bits"
	"slices"
)

// columns are the plain columns of a block under construction, by id.
type columns [limitColumns + 1][]byte

func (c *columns) reset() {
	for i := range c {
		c[i] = c[i][:0]
	}
}

// size returns what a reader holds of the block.
func (c *columns) size() (n int) {
	for _, column := range c {
		n += len(column)
	}
	return n
}

// shape is all of a record but its address and dependence, in the bytes of the file.
type shape uint64

func shapeOf(r *Record) shape {
	return shape(r.Kind) | shape(r.Size)<<8 | shape(r.Count)<<16 | shape(r.Instructions)<<32
}

func (s shape) record() Record {
	return Record{Kind: Kind(s), Size: uint8(s >> 8), Count: uint16(s >> 16), Instructions: uint32(s >> 32)}
}

// jump is the distance in bytes beyond which an address leaves the streams that the slots follow:
// the least recently used slot takes it. It compresses recordings best.
const jump = 6 << 10

// recordEncoder turns records into columns. It only keeps memory between blocks, no state.
type recordEncoder struct {
	slots  [slotCount]uint64
	used   [slotCount]uint32
	choice []uint8
	deltas []uint64
	shapes map[shape]uint8
	common deltaCounts
}

func (e *recordEncoder) encode(records []Record, c *columns) {
	c.reset()
	e.encodeShapes(records, c)
	e.chooseSlots(records)
	e.encodeAddresses(c)
	e.encodeDependences(records, c)
}

func (e *recordEncoder) encodeShapes(records []Record, c *columns) {
	clear(e.shapes)
	for i := range records {
		s := shapeOf(&records[i])
		code, known := e.shapes[s]
		if !known {
			// A ticket comes once.
			if len(e.shapes) == literalShape || records[i].Kind == Atomic && records[i].Count > 0 {
				c[columnShapeCodes] = append(c[columnShapeCodes], literalShape)
				c[columnLiterals] = littleEndian.AppendUint64(c[columnLiterals], uint64(s))
				continue
			}
			code = uint8(len(e.shapes))
			e.shapes[s] = code
			c[columnShapes] = littleEndian.AppendUint64(c[columnShapes], uint64(s))
		}
		c[columnShapeCodes] = append(c[columnShapeCodes], code)
	}
}

// chooseSlots gives each record the slot with the nearest address, or, if all are far, the least
// recently used slot.
func (e *recordEncoder) chooseSlots(records []Record) {
	e.slots, e.used = [slotCount]uint64{}, [slotCount]uint32{}
	e.choice, e.deltas = e.choice[:0], e.deltas[:0]
	for i := range records {
		a := records[i].Address
		best, nearest := 0, ^uint64(0)
		for s, v := range &e.slots {
			d := a - v
			sign := uint64(int64(d) >> 63)
			if d = (d ^ sign) - sign; d < nearest {
				best, nearest = s, d
			}
		}
		if nearest > jump {
			best = e.oldest()
		}
		e.choice = append(e.choice, uint8(best))
		e.deltas = append(e.deltas, a-e.slots[best])
		e.slots[best] = a
		e.used[best] = uint32(i + 1)
	}
}

// oldest returns the slot that has rested longest.
func (e *recordEncoder) oldest() int {
	oldest := 0
	for s, at := range &e.used {
		if at < e.used[oldest] {
			oldest = s
		}
	}
	return oldest
}

// encodeAddresses picks the commonest differences as steps and writes the rest out.
func (e *recordEncoder) encodeAddresses(c *columns) {
	e.common.reset()
	for _, d := range e.deltas {
		e.common.add(d)
	}
	steps := e.common.top()
	for _, d := range steps {
		c[columnSteps] = littleEndian.AppendUint64(c[columnSteps], d)
	}
	for i, d := range e.deltas {
		class := e.common.class(d)
		if class == stepRows {
			class += deltaWidth(d)
			w := class - stepRows
			col := &c[columnFirstDelta+w]
			for b := 0; b < 8<<w; b += 8 {
				*col = append(*col, byte(d>>b))
			}
		}
		c[columnAddresses] = append(c[columnAddresses], uint8(class)<<4|e.choice[i])
	}
}

// deltaWidth is log2 of the bytes that hold a signed difference.
func deltaWidth(d uint64) int {
	sign := uint64(int64(d) >> 63)
	n := bits.Len64(d^sign) + 1
	switch {
	case n <= 8:
		return 0
	case n <= 16:
		return 1
	case n <= 32:
		return 2
	}
	return 3
}

func (e *recordEncoder) encodeDependences(records []Record, c *columns) {
	var any uint16
	for i := range records {
		any |= records[i].Dependence
	}
	if any == 0 {
		return
	}
	n := len(records)
	c[columnDependences] = slices.Grow(c[columnDependences], 2*n)[:2*n]
	low, high := c[columnDependences][:n], c[columnDependences][n:]
	for i := range records {
		low[i], high[i] = byte(records[i].Dependence), byte(records[i].Dependence>>8)
	}
}

// deltaCounts counts small differences, -512 to 511, and finds the commonest.
type deltaCounts struct {
	counts [1024]uint32
	steps  []uint64
	row    [1024]uint8 // class + 1 of a chosen difference
}

func (t *deltaCounts) reset() {
	clear(t.counts[:])
	clear(t.row[:])
	t.steps = t.steps[:0]
}

func (t *deltaCounts) add(d uint64) {
	if i := d + 512; i < 1024 {
		t.counts[i]++
	}
}

// top lists the commonest differences, most frequent first and then smallest first.
func (t *deltaCounts) top() []uint64 {
	for len(t.steps) < stepRows {
		best := 0
		for i, n := range t.counts {
			if t.row[i] == 0 && n > 0 && (t.counts[best] == 0 || t.row[best] != 0 || n > t.counts[best]) {
				best = i
			}
		}
		if t.counts[best] == 0 || t.row[best] != 0 {
			break
		}
		t.steps = append(t.steps, uint64(best)-512)
		t.row[best] = uint8(len(t.steps))
	}
	return t.steps
}

// class returns the row of a chosen difference, or stepRows.
func (t *deltaCounts) class(d uint64) int {
	if i := d + 512; i < 1024 && t.row[i] != 0 {
		return int(t.row[i]) - 1
	}
	return stepRows
}

// recordDecoder turns the columns of one block into records, a batch at a time. It holds slices of
// the stream's buffer and nothing else.
type recordDecoder struct {
	codes       []byte // one per record left
	addresses   []byte
	literals    []byte
	low, high   []byte // of dependences, empty when there are none
	plain       []byte // all columns, and decoderSlack more bytes
	differences [classes]difference
	ends        [deltaWidths]int // of the columns of differences
	slots       [slotCount]uint64
	rows        int
	shapes      [256]Record // address and dependence 0
	highest     uint64      // no address of the last batch is above it
	corrupt     bool
	dependences bool
}

// difference is the place of the next difference of a class, so that all classes are read alike,
// without a branch: eight bytes of plain, the upper ones of which are shifted out. The steps stay
// where they are.
type difference struct {
	at    int
	bytes uint32 // to the next one
	shift uint32
}

// classes is the number of ways to encode a difference: by the row of a step, or in 1, 2, 4 or 8
// bytes.
const classes = stepRows + deltaWidths

// decoderSlack is how many bytes must follow the columns in their buffer: what a difference of a
// byte is read with, and what the decompressor may write beyond the end when it copies sixteen
// bytes at a time.
const decoderSlack = 16

// open starts a block; columns are by id and stand one after the other in plain. It reports whether
// their lengths fit.
func (d *recordDecoder) open(entries int, plain []byte, c *columns) bool {
	*d = recordDecoder{codes: c[columnShapeCodes], addresses: c[columnAddresses], literals: c[columnLiterals], plain: plain}
	shapes, steps, dependences := c[columnShapes], c[columnSteps], c[columnDependences]
	if len(d.codes) != entries || len(d.addresses) != entries ||
		len(shapes)%shapeBytes != 0 || len(shapes)/shapeBytes > literalShape ||
		len(steps)%8 != 0 || len(steps)/8 > stepRows {
		return false
	}
	d.rows = len(shapes) / shapeBytes
	for i := range d.rows {
		d.shapes[i] = shape(littleEndian.Uint64(shapes[i*shapeBytes:])).record()
		if d.shapes[i].Kind >= Kinds {
			return false
		}
	}
	d.openDifferences(len(steps)/8, c)
	if len(dependences) > 0 {
		if len(dependences) != 2*entries {
			return false
		}
		d.dependences = true
		d.low, d.high = dependences[:entries], dependences[entries:]
	}
	return true
}

// openDifferences finds the first difference of each class. Steps that are not in the table are
// nowhere.
func (d *recordDecoder) openDifferences(steps int, c *columns) {
	at := 0
	for id, column := range c {
		switch {
		case id == columnSteps:
			for i := range stepRows {
				d.differences[i].at = at + 8*i
				if i >= steps {
					d.differences[i].at = len(d.plain)
				}
			}
		case id >= columnFirstDelta && id < columnFirstDelta+deltaWidths:
			width := id - columnFirstDelta
			d.differences[stepRows+width] = difference{at: at, bytes: 1 << width, shift: 64 - 8<<width}
			d.ends[width] = at + len(column)
		}
		at += len(column)
	}
}

// read decodes the next records and returns how many. On damage it sets corrupt.
func (d *recordDecoder) read(into []Record) int {
	n := min(len(into), len(d.codes))
	into = into[:n]
	d.readRecords(into)
	d.codes, d.addresses = d.codes[n:], d.addresses[n:]
	for w, end := range d.ends {
		d.corrupt = d.corrupt || d.differences[stepRows+w].at > end
	}
	if d.dependences {
		low, high := d.low[:n], d.high[:n]
		for i := range into {
			into[i].Dependence = uint16(low[i]) | uint16(high[i])<<8
		}
		d.low, d.high = d.low[n:], d.high[n:]
	}
	return n
}

// readRecords is the loop: all of the records but their dependences.
func (d *recordDecoder) readRecords(into []Record) {
	codes, addresses := d.codes[:len(into)], d.addresses[:len(into)]
	plain, last := d.plain, len(d.plain)-8
	rows, all := d.rows, uint64(0)
	for i := range into {
		code, a := codes[i], addresses[i]
		r := &into[i]
		*r = d.shapes[code]
		if int(code) >= rows {
			*r = d.literal(code).record()
		}
		from := &d.differences[a>>4]
		at := from.at
		if at > last {
			d.corrupt = true
			return
		}
		from.at = at + int(from.bytes)
		shift := from.shift & 63
		slot := &d.slots[a&15]
		v := *slot + uint64(int64(littleEndian.Uint64(plain[at:])<<shift)>>shift)
		*slot = v
		all |= v
		r.Address = v
	}
	d.highest = all
}

// literal reads a shape that is not in the table.
func (d *recordDecoder) literal(code uint8) shape {
	if code != literalShape || len(d.literals) < shapeBytes {
		d.corrupt = true
		return 0
	}
	s := shape(littleEndian.Uint64(d.literals))
	d.literals = d.literals[shapeBytes:]
	d.corrupt = d.corrupt || Kind(s) >= Kinds
	return s
}

func (d *recordDecoder) left() int {
	if d == nil {
		return 0
	}
	return len(d.codes)
}

func (d *recordDecoder) drop() {
	if d != nil {
		d.codes = nil
	}
}

// spent tells, at the end of a block, whether all columns were used up.
func (d *recordDecoder) spent() bool {
	for w, end := range d.ends {
		if d.differences[stepRows+w].at != end {
			return false
		}
	}
	return len(d.literals) == 0
}

package traces

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

// difference is where a class has its next difference, so that all classes are read alike, without
// asking which it is: eight bytes of plain, the upper ones of which are shifted out. The steps stay
// where they are.
type difference struct {
	at    int
	bytes uint32 // to the next one
	shift uint32
}

// classes is how many ways there are to say a difference: by the row of a step, or in 1, 2, 4 or 8
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
		d.shapes[i] = readShape(shapes[i*shapeBytes:]).record()
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
		return shape{}
	}
	s := readShape(d.literals)
	d.literals = d.literals[shapeBytes:]
	d.corrupt = d.corrupt || s.kind >= Kinds
	return s
}

// left returns the number of records not yet read.
func (d *recordDecoder) left() int { return len(d.codes) }

// spent tells, at the end of a block, whether all columns were used up.
func (d *recordDecoder) spent() bool {
	for w, end := range d.ends {
		if d.differences[stepRows+w].at != end {
			return false
		}
	}
	return len(d.literals) == 0
}

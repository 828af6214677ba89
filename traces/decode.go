package traces

// recordDecoder turns the columns of one block into records, a batch at a time. It holds slices of the
// stream's buffer and nothing else.
type recordDecoder struct {
	codes       []byte // one per record left
	addresses   []byte
	literals    []byte
	deltas      [4][]byte
	low, high   []byte // of dependences, empty when there are none
	rows        int
	shapes      [256]Record // address and dependence 0
	steps       [16]uint64
	slots       [slotCount]uint64
	highest     uint64 // largest address of the last batch
	corrupt     bool
	dependences bool
}

// open starts a block; columns are by id. It tells whether their lengths fit.
func (d *recordDecoder) open(entries int, c *columns) bool {
	*d = recordDecoder{codes: c[columnShapeCodes], addresses: c[columnAddresses], literals: c[columnLiterals]}
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
	for i := 0; i < len(steps)/8; i++ {
		d.steps[i] = littleEndian.Uint64(steps[i*8:])
	}
	for w := range d.deltas {
		d.deltas[w] = c[columnFirstDelta+w]
	}
	if len(dependences) > 0 {
		if len(dependences) != 2*entries {
			return false
		}
		d.dependences = true
		d.low, d.high = dependences[:entries], dependences[entries:]
	}
	return true
}

// read decodes the next records and returns how many. On damage it sets corrupt.
func (d *recordDecoder) read(into []Record) int {
	n := min(len(into), len(d.codes))
	into = into[:n]
	codes, addresses := d.codes[:n], d.addresses[:n]
	rows := d.rows
	highest := uint64(0)
	for i := range into {
		code, a := codes[i], addresses[i]
		r := &into[i]
		*r = d.shapes[code]
		if int(code) >= rows {
			*r = d.literal(code).record()
		}
		step := d.steps[a>>4]
		if a >= stepRows<<4 {
			step = d.delta(a>>4 - stepRows)
		}
		slot := &d.slots[a&15]
		v := *slot + step
		*slot = v
		highest = max(highest, v)
		r.Address = v
	}
	d.codes, d.addresses = d.codes[n:], d.addresses[n:]
	d.highest = highest
	if d.dependences {
		low, high := d.low[:n], d.high[:n]
		for i := range into {
			into[i].Dependence = uint16(low[i]) | uint16(high[i])<<8
		}
		d.low, d.high = d.low[n:], d.high[n:]
	}
	return n
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

// delta reads a written-out difference of 1<<width bytes.
func (d *recordDecoder) delta(width uint8) uint64 {
	b := d.deltas[width&3]
	if len(b) < 1<<width {
		d.corrupt = true
		return 0
	}
	d.deltas[width&3] = b[1<<width:]
	switch width {
	case 0:
		return uint64(int64(int8(b[0])))
	case 1:
		return uint64(int64(int16(littleEndian.Uint16(b))))
	case 2:
		return uint64(int64(int32(littleEndian.Uint32(b))))
	}
	return littleEndian.Uint64(b)
}

// left is the number of records not yet read.
func (d *recordDecoder) left() int { return len(d.codes) }

// spent tells, at the end of a block, whether all columns were used up.
func (d *recordDecoder) spent() bool {
	left := len(d.literals)
	for _, b := range d.deltas {
		left += len(b)
	}
	return left == 0
}

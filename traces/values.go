package traces

import "slices"

// Values are what consecutive records accessed: for each record either nothing, where that is not
// known, or as many bytes as it accesses. They are what the memory holds right after the access, in
// the order of addresses: what a load has read, and what a store or an atomic has written.
type Values struct {
	ends  []uint32
	bytes []byte
}

// Reset empties the list and keeps its memory.
func (v *Values) Reset() { v.ends, v.bytes = v.ends[:0], v.bytes[:0] }

// Append adds the value of the next record, or nil. It is copied.
func (v *Values) Append(value []byte) {
	v.bytes = append(v.bytes, value...)
	v.ends = append(v.ends, uint32(len(v.bytes)))
}

// Len returns the number of records.
func (v *Values) Len() int { return len(v.ends) }

// Of returns the value of record i of the list, empty where it is not known. It is good until the
// next Reset or Append.
func (v *Values) Of(i int) []byte {
	begin := uint32(0)
	if i > 0 {
		begin = v.ends[i-1]
	}
	return v.bytes[begin:v.ends[i]:v.ends[i]]
}

// Valued is implemented by sources that may know what accesses read and wrote.
type Valued interface {
	// HasValues reports whether there may be any.
	HasValues() bool
	// ReadValues appends the values of a number of records of a core to a list, from the given
	// position on. Positions in ascending order are read fast. Records beyond the last known value
	// have none.
	ReadValues(core int, first uint64, records int, into *Values) error
}

// valuesOf returns a source's values, or nil when it has none.
func valuesOf(s Source) Valued {
	if v, ok := s.(Valued); ok && v.HasValues() {
		return v
	}
	return nil
}

// valueColumns is the number of columns of a value block: codes, and the bytes of each size.
const valueColumns = columnValues + maxSize + 1

// valueEncoder gathers the values of a core that are not yet a block.
type valueEncoder struct {
	columns [valueColumns][]byte
	bytes   int
}

// append takes the value of one record; its length is 0 or a power of two up to a line.
func (e *valueEncoder) append(value []byte) {
	code := byte(0)
	if n := len(value); n > 0 {
		for 1<<code < n {
			code++
		}
		column := &e.columns[columnValues+code]
		*column = append(*column, value...)
		e.bytes += n
		code++
	}
	e.columns[columnCodes] = append(e.columns[columnCodes], code)
}

func (e *valueEncoder) entries() int { return len(e.columns[columnCodes]) }

// size returns what a reader holds of the block.
func (e *valueEncoder) size() int { return e.entries() + e.bytes }

// take moves what is gathered to the columns of a block.
func (e *valueEncoder) take(c *columns) {
	c.reset()
	for id := range e.columns {
		c[id] = append(c[id], e.columns[id]...)
		e.columns[id] = e.columns[id][:0]
	}
	e.bytes = 0
}

// valueDecoder turns the columns of one block into values, a batch at a time.
type valueDecoder struct {
	codes []byte // of the records left
	bytes [maxSize + 1][]byte
}

// open starts a block and reports whether its columns fit each other.
func (d *valueDecoder) open(entries int, c *columns) bool {
	d.codes = c[columnCodes]
	var need [maxSize + 2]int
	for _, code := range d.codes {
		if code > maxSize+1 {
			return false
		}
		need[code]++
	}
	for size := range d.bytes {
		d.bytes[size] = c[columnValues+size]
		if len(d.bytes[size]) != need[size+1]<<size {
			return false
		}
	}
	return len(d.codes) == entries
}

// read appends the values of the next records.
func (d *valueDecoder) read(records int, into *Values) {
	all, ends := into.bytes, slices.Grow(into.ends, records)
	for _, code := range d.codes[:records] {
		if code > 0 {
			column := &d.bytes[code-1]
			n := 1 << (code - 1)
			all = append(all, (*column)[:n]...)
			*column = (*column)[n:]
		}
		ends = append(ends, uint32(len(all)))
	}
	into.bytes, into.ends = all, ends
	d.codes = d.codes[records:]
}

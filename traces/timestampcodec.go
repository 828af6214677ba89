package traces

import "encoding/binary"

// timestampsPerBlock is small enough for a block that all depths make large.
const timestampsPerBlock = 1 << 15

// encodeTimestamps fills the columns of a block with entries of a record from first up to end, and
// returns how many of the depths were theirs.
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
	low, high, flags, blocks := c[columnCachesLow], c[columnCachesHigh], c[columnFlags], c[columnBlocks]
	if len(low) != entries || len(high) != 0 && len(high) != entries || len(flags) != entries {
		return false
	}
	first := len(t.Entries)
	previous := map[uint16]int64{}
	for i := range entries {
		e := Timestamp{Cache: uint16(low[i]), Flags: TimestampFlags(flags[i])}
		if len(high) > 0 {
			e.Cache |= uint16(high[i]) << 8
		}
		d, n := binary.Varint(blocks)
		if n <= 0 {
			return false
		}
		blocks = blocks[n:]
		block := previous[e.Cache] + d
		if block < 0 || block > 1<<32-1 {
			return false
		}
		previous[e.Cache], e.Block = block, uint32(block)
		t.Entries = append(t.Entries, e)
	}
	ok := len(blocks) == 0
	if ok {
		t.Depths, ok = decodeDepths(t.Depths, first, entries, c[columnDepths])
	}
	return ok
}

// decodeDepths appends the depths of a block whose first entry has a number.
func decodeDepths(list []Depth, first, entries int, b []byte) ([]Depth, bool) {
	at := uint64(0)
	for len(b) > 0 {
		var v [3]uint64
		for i := range v {
			value, n := binary.Uvarint(b)
			if n <= 0 || value > 1<<20 {
				return list, false
			}
			v[i], b = value, b[n:]
		}
		if at += v[0]; at >= uint64(entries) || v[1] > 255 || v[2] > 255 {
			return list, false
		}
		list = append(list, Depth{Entry: uint32(first) + uint32(at), Sets: uint8(v[1]), Ways: uint8(v[2])})
	}
	return list, true
}

package traces

import "encoding/binary"

func zigzag(d uint64) uint64   { return d<<1 ^ uint64(int64(d)>>63) }
func unzigzag(z uint64) uint64 { return z>>1 ^ -(z & 1) }

// positions remembers the last position per producer; it grows to the highest producer.
type positions []uint64

func (p *positions) at(producer uint16) *uint64 {
	for int(producer) >= len(*p) {
		*p = append(*p, 0)
	}
	return &(*p)[producer]
}

// encodeEdges fills the columns of an edge block. At does not decrease.
func encodeEdges(edges []Edge, c *columns, last *positions) {
	c.reset()
	clear(*last)
	at := uint64(0)
	for _, e := range edges {
		p := last.at(e.Producer)
		c[columnFirst] = binary.AppendUvarint(c[columnFirst], e.At-at)
		c[columnSecond] = binary.AppendUvarint(c[columnSecond], uint64(e.Producer))
		c[columnThird] = binary.AppendUvarint(c[columnThird], zigzag(e.Position-*p))
		at, *p = e.At, e.Position
	}
}

// varints reads a column of varints.
type varints []byte

func (v *varints) next() (uint64, bool) {
	x, n := binary.Uvarint(*v)
	if n <= 0 {
		return 0, false
	}
	*v = (*v)[n:]
	return x, true
}

// edgeDecoder turns the columns of one block into edges, a batch at a time.
type edgeDecoder struct {
	at, producers, positions varints
	count                    int // edges left
	previous                 uint64
	last                     positions
}

func (d *edgeDecoder) open(entries int, c *columns) {
	d.at, d.producers, d.positions = c[columnFirst], c[columnSecond], c[columnThird]
	d.count, d.previous = entries, 0
	clear(d.last)
}

// read decodes the next edges; false means damage.
func (d *edgeDecoder) read(into []Edge) (int, bool) {
	n := min(len(into), d.count)
	for i := range into[:n] {
		step, a := d.at.next()
		producer, b := d.producers.next()
		z, c := d.positions.next()
		if !a || !b || !c || producer >= limitCores || d.previous+step < d.previous {
			return 0, false
		}
		p := d.last.at(uint16(producer))
		d.previous += step
		*p += unzigzag(z)
		into[i] = Edge{At: d.previous, Position: *p, Producer: uint16(producer)}
	}
	d.count -= n
	if d.count == 0 && len(d.at)+len(d.producers)+len(d.positions) > 0 {
		return 0, false
	}
	return n, true
}

func encodePages(pages []Page, c *columns) {
	c.reset()
	var last Page
	for _, p := range pages {
		c[columnFirst] = binary.AppendUvarint(c[columnFirst], zigzag(p.Virtual-last.Virtual))
		c[columnSecond] = binary.AppendUvarint(c[columnSecond], zigzag(p.Frame-last.Frame))
		last = p
	}
}

// decodePages appends the pages of a block; false means damage.
func decodePages(pages []Page, entries int, c *columns) ([]Page, bool) {
	virtual, frames := varints(c[columnFirst]), varints(c[columnSecond])
	var last Page
	for range entries {
		v, a := virtual.next()
		f, b := frames.next()
		if !a || !b {
			return pages, false
		}
		last.Virtual += unzigzag(v)
		last.Frame += unzigzag(f)
		pages = append(pages, last)
	}
	return pages, len(virtual)+len(frames) == 0
}

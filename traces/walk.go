package traces

import (
	"errors"
	"io"
)

// ErrStop ends an [Each] early, without an error, when the function it calls returns it.
var ErrStop = errors.New("stop")

// Each visits what is left of a core's records, with the edges that each waits for. position is
// that of the core's next record; the core's edges are read from where they stand, and those of
// earlier records are passed over. The record and the edges are good until visit returns.
func Each(s Source, core int, position uint64, visit func(position uint64, r *Record, after []Edge) error) error {
	edges := edgeCursor{source: s, core: core, buffer: make([]Edge, 0, 64)}
	records := make([]Record, 512)
	for {
		n, err := s.ReadRecords(core, records)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == 0 {
			return nil
		}
		for i := range records[:n] {
			after, err := edges.of(position)
			if err != nil {
				return err
			}
			if err := visit(position, &records[i], after); errors.Is(err, ErrStop) {
				return nil
			} else if err != nil {
				return err
			}
			position++
		}
	}
}

// edgeCursor walks the edges of a core.
type edgeCursor struct {
	source Source
	core   int
	buffer []Edge
	at     int
	ended  bool
	due    []Edge
}

// of lists the edges of a record; positions are asked for in ascending order.
func (c *edgeCursor) of(position uint64) ([]Edge, error) {
	c.due = c.due[:0]
	for {
		if c.at == len(c.buffer) && !c.ended {
			n, err := c.source.ReadEdges(c.core, c.buffer[:cap(c.buffer)])
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			c.buffer, c.at, c.ended = c.buffer[:n], 0, n == 0
		}
		if c.at == len(c.buffer) || c.buffer[c.at].At > position {
			return c.due, nil
		}
		if e := c.buffer[c.at]; e.At == position {
			c.due = append(c.due, e)
		}
		c.at++
	}
}

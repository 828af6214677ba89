package traces

import "io"

// salvagedCore is the reading position in a salvaged stream.
type salvagedCore struct {
	position uint64
	held     []uint64 // locks held so far
	ended    bool
}

func (s *salvage) rewind() {
	s.file.Rewind()
	s.cores = make([]salvagedCore, len(s.limit))
	for core := range s.lost {
		s.lost[core].Edges, s.lost[core].Unlocks = 0, 0
	}
}

// Cores returns the number of streams.
func (s *salvage) Cores() int { return len(s.limit) }

// ReadRecords returns the records kept, then an Unlock per lock held, then an End.
func (s *salvage) ReadRecords(core int, into []Record) (int, error) {
	c := &s.cores[core]
	if c.ended {
		return 0, io.EOF
	}
	if left := s.limit[core] - c.position; left > 0 {
		n, err := s.file.ReadRecords(core, into[:min(uint64(len(into)), left)])
		if err != nil {
			return 0, err
		}
		for _, r := range into[:n] {
			c.follow(&r)
		}
		c.position += uint64(n)
		c.ended = into[n-1].Kind == End
		s.ended[core] = c.ended
		return n, nil
	}
	if n := len(c.held); n > 0 {
		into[0] = Record{Kind: Unlock, Address: c.held[n-1]}
		c.held = c.held[:n-1]
		s.lost[core].Unlocks++
		return 1, nil
	}
	into[0] = Record{Kind: End}
	c.ended = true
	s.ended[core] = false
	return 1, nil
}

// follow keeps the list of locks held.
func (c *salvagedCore) follow(r *Record) {
	switch r.Kind {
	case Lock:
		c.held = append(c.held, r.Address)
	case Unlock:
		for i, held := range c.held {
			if held == r.Address {
				c.held = append(c.held[:i], c.held[i+1:]...)
				break
			}
		}
	}
}

// ReadEdges returns the edges between records that are kept.
func (s *salvage) ReadEdges(core int, into []Edge) (int, error) {
	for {
		n, err := s.file.ReadEdges(core, into)
		if n == 0 {
			return 0, err
		}
		kept := into[:0]
		for _, e := range into[:n] {
			if e.At >= s.limit[core] || int(e.Producer) >= len(s.limit) || int(e.Producer) == core || e.Position >= s.limit[e.Producer] {
				s.lost[core].Edges++
				continue
			}
			kept = append(kept, e)
		}
		if len(kept) > 0 {
			return len(kept), nil
		}
	}
}

// HasValues reports whether the file may hold what accesses read and wrote.
func (s *salvage) HasValues() bool { return s.file.HasValues() }

// ReadValues returns the values of the records kept; those that are added have none.
func (s *salvage) ReadValues(core int, first uint64, records int, into *Values) error {
	kept := min(uint64(records), max(s.limit[core], first)-first)
	if err := s.file.ReadValues(core, first, int(kept), into); err != nil {
		return err
	}
	for range records - int(kept) {
		into.Append(nil)
	}
	return nil
}

// ReadPages returns the page map, which no cut concerns.
func (s *salvage) ReadPages(core int) ([]Page, error) { return s.file.ReadPages(core) }

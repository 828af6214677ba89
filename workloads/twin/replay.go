package twin

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/carousel-sim/carousel/traces"
)

// step is one record of a replay.
type step struct {
	core     int
	position uint64
	time     uint64 // estimated cycle, after waiting
	record   *traces.Record
	edges    []traces.Edge // that had to be met; the creation of a core's thread counts as one
	waited   uint64        // cycles that it took
}

// replay visits the records of a source in one order that its edges allow, by estimated time: each record
// costs a cycle per instruction, at least a quarter, and what the visitor says; one that waits for another core
// goes on when that core has passed the record waited for.
type replay struct {
	source traces.Source
	cores  []replayCore
	visit  func(s *step) (cycles uint64)
}

type replayCore struct {
	records  []traces.Record
	at       int
	position uint64
	quarters uint64 // estimated time in quarters of a cycle
	edges    []traces.Edge
	edgeAt   int
	noEdges  bool
	blocked  bool
	absent   bool // waits for its creation
	ended    bool
	arrived  uint64 // when the core came to the record that waits, in quarters
	waiting  bool   // for the edges of its next record, or has met them
	met      []traces.Edge
}

const (
	replayQuantum = 4 * 32 // how far a core may run ahead of the others, in quarters of a cycle
	replayBatch   = 1024
)

// replayAll replays a source from its beginning and returns its estimated time.
func replayAll(source traces.Source, visit func(s *step) uint64) (uint64, error) {
	p := &replay{source: source, visit: visit, cores: make([]replayCore, source.Cores())}
	for i := range p.cores {
		c := &p.cores[i]
		c.records, c.edges = make([]traces.Record, 0, replayBatch), make([]traces.Edge, 0, replayBatch)
		if known, ok := source.(traces.Creations); ok {
			c.absent = known.Created(i)
		}
	}
	end := uint64(0)
	for {
		next, limit := p.earliest()
		if next < 0 {
			break
		}
		if err := p.advance(next, limit); err != nil {
			return 0, err
		}
		p.release()
	}
	for i := range p.cores {
		c := &p.cores[i]
		if !c.ended {
			return 0, fmt.Errorf("core %d waits for ever at record %d; check the trace with carousel trace verify", i, c.position)
		}
		end = max(end, c.quarters/4)
	}
	return end, nil
}

// earliest finds the core that is behind all others, and how far it may run.
func (p *replay) earliest() (first int, limit uint64) {
	first, least, second := -1, uint64(math.MaxUint64), uint64(math.MaxUint64)
	for i := range p.cores {
		c := &p.cores[i]
		switch {
		case c.ended || c.blocked || c.absent:
		case c.quarters < least:
			first, least, second = i, c.quarters, least
		case c.quarters < second:
			second = c.quarters
		}
	}
	if second > math.MaxUint64-replayQuantum {
		return first, math.MaxUint64
	}
	return first, second + replayQuantum
}

// advance runs a core up to a time, or until an edge stops it. It also stops after some records, so that those
// who wait for it are seen.
func (p *replay) advance(core int, limit uint64) error {
	c := &p.cores[core]
	for n := 0; c.quarters <= limit && n < replayBatch; n++ {
		if c.at == len(c.records) {
			k, err := p.source.ReadRecords(core, c.records[:cap(c.records)])
			if k == 0 {
				if err == nil || errors.Is(err, io.EOF) {
					return fmt.Errorf("core %d: the stream has no end record", core)
				}
				return err
			}
			c.records, c.at = c.records[:k], 0
		}
		if met, err := p.edgesMet(core); err != nil || !met {
			return err
		}
		if err := p.take(core); err != nil || c.ended {
			return err
		}
	}
	return nil
}

// take lets a core execute its next record.
func (p *replay) take(core int) error {
	c := &p.cores[core]
	r := &c.records[c.at]
	s := step{core: core, position: c.position, time: c.quarters / 4, record: r, edges: c.met}
	if len(c.met) > 0 {
		s.waited = (c.quarters - c.arrived) / 4
	}
	switch r.Kind {
	case traces.Create:
		other := &p.cores[r.Address]
		if other.absent {
			other.absent, other.quarters = false, c.quarters
			other.arrived = 0
			other.met = append(other.met, traces.Edge{Producer: uint16(core), Position: c.position})
		}
	case traces.End:
		c.ended = true
	case traces.Lock, traces.Unlock, traces.Barrier, traces.Join:
		return fmt.Errorf("core %d, record %d is a %s: only traces whose order is in their edges can be fitted, as those of carousel trace record and import are", core, c.position, r.Kind)
	}
	c.quarters += 4*uint64(r.Instructions) + 1 + 4*p.visit(&s)
	c.met, c.waiting = c.met[:0], false
	c.at++
	c.position++
	return nil
}

// edgesMet reports whether everything that the core's next record waits for has been passed.
func (p *replay) edgesMet(core int) (bool, error) {
	c := &p.cores[core]
	for {
		if c.edgeAt == len(c.edges) {
			if c.noEdges {
				return true, nil
			}
			k, err := p.source.ReadEdges(core, c.edges[:cap(c.edges)])
			if err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			c.edges, c.edgeAt, c.noEdges = c.edges[:k], 0, k == 0
			continue
		}
		e := &c.edges[c.edgeAt]
		if e.At > c.position {
			return true, nil
		}
		if p.cores[e.Producer].position <= e.Position {
			if !c.blocked && !c.waiting {
				c.waiting, c.arrived = true, c.quarters
			}
			c.blocked = true
			return false, nil
		}
		if !c.waiting {
			c.waiting, c.arrived = true, c.quarters
		}
		c.met = append(c.met, *e)
		c.edgeAt++
	}
}

// release lets the cores go on whose edges have been met: not before the time of whom they waited for.
func (p *replay) release() {
	for i := range p.cores {
		c := &p.cores[i]
		if !c.blocked {
			continue
		}
		e := &c.edges[c.edgeAt]
		if producer := &p.cores[e.Producer]; producer.position > e.Position {
			c.blocked = false
			c.quarters = max(c.quarters, producer.quarters)
		}
	}
}

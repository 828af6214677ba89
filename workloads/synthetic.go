package workloads

import (
	"cmp"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// pattern is the rule of a synthetic workload. A core's stream is a prologue, rounds, and an
// epilogue.
type pattern struct {
	recordsPerRound int
	// round appends the records of one round.
	round func(s *synthetic, core int, round uint64, random *random.Stream, out []traces.Record) []traces.Record
	// prologue and epilogue append what comes before the first and after the last round; nil is
	// nothing.
	prologue, epilogue func(s *synthetic, core int, out []traces.Record) []traces.Record
	// edge gives the edge of one round; nil, or false, is none.
	edge func(s *synthetic, core int, round uint64) (traces.Edge, bool)
	// created reports whether core 0 creates the others.
	created bool
}

// synthetic is a source that makes its records while they are read.
type synthetic struct {
	pattern pattern
	seed    uint64
	rounds  uint64
	cores   []syntheticCore
}

// syntheticCore is the reading position in one core's stream.
type syntheticCore struct {
	random  random.Stream
	part    uint64 // 0 prologue, then rounds, then epilogue and end
	pending []traces.Record
	at      int
	edges   uint64 // rounds whose edges have been read
}

// usualRecords is the number of records per core where none is asked for.
const usualRecords = 20000

func openSynthetic(w *Workload, c Config, p pattern) *Opened {
	cores, records := cmp.Or(c.Cores, 16), cmp.Or(c.Records, usualRecords)
	s := &synthetic{pattern: p, seed: c.Seed, rounds: uint64(max(1, records/p.recordsPerRound)), cores: make([]syntheticCore, cores)}
	s.Rewind()
	m := traces.DefaultMetadata(w.Name, cores)
	m.Origin = fmt.Sprintf("synthetic: %s; seed %d, %d rounds", w.Doc, c.Seed, s.rounds)
	return &Opened{Source: s, Info: Info{Name: w.Name, Doc: w.Doc, Kind: w.Kind, Metadata: m}}
}

// Cores returns the number of streams.
func (s *synthetic) Cores() int { return len(s.cores) }

// Created reports whether a Create record starts the core.
func (s *synthetic) Created(core int) bool { return s.pattern.created && core > 0 }

// Rewind starts all streams again.
func (s *synthetic) Rewind() {
	for core := range s.cores {
		c := &s.cores[core]
		*c = syntheticCore{random: random.Numbered(s.seed, core), pending: c.pending[:0]}
	}
}

// Close does nothing.
func (s *synthetic) Close() error { return nil }

// ReadRecords makes the next records of a core. It does not allocate once a round has been made.
func (s *synthetic) ReadRecords(core int, into []traces.Record) (int, error) {
	c := &s.cores[core]
	n := 0
	for n < len(into) {
		if c.at == len(c.pending) && !s.more(core) {
			if n == 0 {
				return 0, io.EOF
			}
			break
		}
		k := copy(into[n:], c.pending[c.at:])
		c.at += k
		n += k
	}
	return n, nil
}

// more makes the next part of a stream.
func (s *synthetic) more(core int) bool {
	c, p := &s.cores[core], &s.pattern
	c.pending, c.at = c.pending[:0], 0
	switch part := c.part; {
	case part == 0:
		if p.prologue != nil {
			c.pending = p.prologue(s, core, c.pending)
		}
	case part <= s.rounds:
		c.pending = p.round(s, core, part-1, &c.random, c.pending)
	case part == s.rounds+1:
		if p.epilogue != nil {
			c.pending = p.epilogue(s, core, c.pending)
		}
		c.pending = append(c.pending, traces.Record{Kind: traces.End, Instructions: 1})
	default:
		return false
	}
	c.part++
	return true
}

// ReadEdges makes the next edges of a core.
func (s *synthetic) ReadEdges(core int, into []traces.Edge) (int, error) {
	c := &s.cores[core]
	n := 0
	for n < len(into) && s.pattern.edge != nil && c.edges < s.rounds {
		if e, ok := s.pattern.edge(s, core, c.edges); ok {
			into[n] = e
			n++
		}
		c.edges++
	}
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// The memory of synthetic workloads: shared data from 0, then one private region per core.
const (
	sharedLines  = 1024
	privateBase  = 1 << 20
	privateBytes = 256 << 10
	lineBytes    = traces.LineBytes
)

// private returns an address in a core's own region.
func private(core int, offset uint64) uint64 {
	return privateBase + uint64(core)*privateBytes + offset%privateBytes
}

// privateWork appends accesses that walk through a core's own data: three loads, then a store.
func privateWork(core int, from uint64, count int, r *random.Stream, out []traces.Record) []traces.Record {
	for i := range count {
		kind := traces.Load
		if i%4 == 3 {
			kind = traces.Store
		}
		out = append(out, traces.Record{Address: private(core, (from+uint64(i))*8), Kind: kind, Size: 3, Instructions: uint32(1 + r.Uint64()%4)})
	}
	return out
}

// openUniform: each round is three private accesses and one to a random shared line, three in ten
// of them stores.
func openUniform(w *Workload, c Config) (*Opened, error) {
	return openSynthetic(w, c, pattern{recordsPerRound: 4,
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			out = privateWork(core, round*3, 3, r, out)
			kind := traces.Load
			if r.Uint64()%10 < 3 {
				kind = traces.Store
			}
			return append(out, traces.Record{Address: r.Uint64() % (sharedLines * 8) * 8, Kind: kind, Size: 3, Instructions: uint32(1 + r.Uint64()%4)})
		}}), nil
}

const (
	tableLines = 32
	tableTurn  = 12 // accesses to the table for each store to it
)

// openReadMostly: each round is three private accesses, which the L1 holds, and one to the table.
// A store finds copies of its line in most caches, so that a directory invalidates many at once.
func openReadMostly(w *Workload, c Config) (*Opened, error) {
	return openSynthetic(w, c, pattern{recordsPerRound: 4,
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			out = privateWork(core, round*3%512, 3, r, out)
			kind := traces.Load
			if r.Uint64()%tableTurn == 0 {
				kind = traces.Store
			}
			return append(out, traces.Record{Address: r.Uint64() % tableLines * lineBytes, Kind: kind, Size: 3, Instructions: uint32(1 + r.Uint64()%4)})
		}}), nil
}

const (
	lockCount     = 4
	firstLock     = 1
	barrierObject = 100
	roundsToMeet  = 16
)

// openLocks: each round is private work and the update of a counter under a lock; every 16 rounds
// all cores meet.
func openLocks(w *Workload, c Config) (*Opened, error) {
	return openSynthetic(w, c, pattern{recordsPerRound: 12, created: true,
		prologue: func(s *synthetic, core int, out []traces.Record) []traces.Record {
			for other := 1; core == 0 && other < len(s.cores); other++ {
				out = append(out, traces.Record{Kind: traces.Create, Address: uint64(other), Instructions: 50})
			}
			return out
		},
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			out = privateWork(core, round*8, 8, r, out)
			lock := r.Uint64() % lockCount
			counter := lock * lineBytes
			out = append(out, traces.Record{Kind: traces.Lock, Address: firstLock + lock, Instructions: 1},
				traces.Record{Address: counter, Size: 3, Instructions: 2},
				traces.Record{Address: counter, Kind: traces.Store, Size: 3, Instructions: 2},
				traces.Record{Kind: traces.Unlock, Address: firstLock + lock, Instructions: 1})
			if round%roundsToMeet == roundsToMeet-1 {
				out = append(out, traces.Record{Kind: traces.Barrier, Address: barrierObject, Count: uint16(len(s.cores)), Instructions: 1})
			}
			return out
		},
		epilogue: func(s *synthetic, core int, out []traces.Record) []traces.Record {
			for other := 1; core == 0 && other < len(s.cores); other++ {
				out = append(out, traces.Record{Kind: traces.Join, Address: uint64(other), Instructions: 1})
			}
			return out
		}}), nil
}

const (
	ringLines  = 8
	ringSlots  = 2 // a producer may be one round ahead without overwriting what is being read
	ringRecord = 3 * ringLines
)

// openRing: in each round a core reads the eight lines that its predecessor wrote in the round
// before, works on its own data, and writes eight lines. One edge per round makes the first load
// wait for the predecessor's last store.
func openRing(w *Workload, c Config) (*Opened, error) {
	line := func(core int, round uint64, i int) uint64 {
		return private(core, privateBytes/2+((round%ringSlots)*ringLines+uint64(i))*lineBytes)
	}
	before := func(s *synthetic, core int) int { return (core + len(s.cores) - 1) % len(s.cores) }
	return openSynthetic(w, c, pattern{recordsPerRound: ringRecord,
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			for i := range ringLines {
				out = append(out, traces.Record{Address: line(before(s, core), round+ringSlots-1, i), Size: 3, Instructions: 2})
			}
			out = privateWork(core, round*ringLines%(privateBytes/16), ringLines, r, out)
			for i := range ringLines {
				out = append(out, traces.Record{Address: line(core, round, i), Kind: traces.Store, Size: 3, Instructions: 2})
			}
			return out
		},
		edge: func(s *synthetic, core int, round uint64) (traces.Edge, bool) {
			return traces.Edge{At: round * ringRecord, Position: round*ringRecord - 1, Producer: uint16(before(s, core))}, round > 0 && len(s.cores) > 1
		}}), nil
}

package twin

import (
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// Config sizes a generator.
type Config struct {
	Cores   int    // 0: as many as the recording had
	Records int    // per core on average; 0: as many as the recording had
	Seed    uint64 // of all random choices
}

// Source makes the records of a twin while they are read. It is a traces.Source and can start again.
type Source struct {
	program *program
	streams []stream
	edges   []edgeStream
}

// New makes a generator. Cores beyond those of the recording are further copies of the program, with memory of
// their own; of a part of the cores, those that wait for absent ones do not wait.
func New(p *Parameters, c Config) (*Source, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	cores := c.Cores
	if cores == 0 {
		cores = p.Cores
	}
	if cores < 0 || c.Records < 0 {
		return nil, fmt.Errorf("cores is %d and records is %d; neither may be negative", c.Cores, c.Records)
	}
	g := newProgram(p, c.Records, c.Seed)
	s := &Source{program: g, streams: make([]stream, cores), edges: make([]edgeStream, cores)}
	for core := range s.streams {
		s.streams[core] = newStream(g, core)
	}
	return s, nil
}

// Cores is the number of streams.
func (s *Source) Cores() int { return len(s.streams) }

// Created tells that all cores start at once.
func (s *Source) Created(int) bool { return false }

// Rewind starts all streams again.
func (s *Source) Rewind() {
	for core := range s.streams {
		s.streams[core].rewind(core)
		s.edges[core] = edgeStream{}
	}
}

// Close does nothing.
func (s *Source) Close() error { return nil }

// ReadRecords makes the next records of a core.
func (s *Source) ReadRecords(core int, into []traces.Record) (int, error) {
	if core < 0 || core >= len(s.streams) {
		return 0, fmt.Errorf("core %d: the workload has cores 0 to %d", core, len(s.streams)-1)
	}
	n := s.streams[core].fill(into)
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ReadEdges makes the next edges of a core.
func (s *Source) ReadEdges(core int, into []traces.Edge) (int, error) {
	if core < 0 || core >= len(s.edges) {
		return 0, fmt.Errorf("core %d: the workload has cores 0 to %d", core, len(s.edges)-1)
	}
	role := s.streams[core].role
	first := core - role
	n := s.edges[core].read(s.program.schedule, role, min(len(s.streams)-first, s.program.p.Cores), first, into)
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

package twin

import (
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

// FitConfig says how a recording is measured.
type FitConfig struct {
	Slices     int // parts of equal estimated time
	Behaviours int // groups of similar slices, at most
}

// DefaultFit gives 128 slices and at most 12 behaviours.
func DefaultFit() FitConfig { return FitConfig{Slices: 128, Behaviours: 12} }

// Validate checks the sizes.
func (c FitConfig) Validate() error {
	if c.Slices < 1 || c.Slices > limitSlices {
		return fmt.Errorf("slices is %d; 1 to %d are allowed", c.Slices, limitSlices)
	}
	if c.Behaviours < 1 || c.Behaviours > limitBehaviours {
		return fmt.Errorf("behaviours is %d; 1 to %d are allowed", c.Behaviours, limitBehaviours)
	}
	return nil
}

// Rewindable is a source that can be read several times.
type Rewindable interface {
	traces.Source
	Rewind()
}

// Fit measures a recording: one replay finds how cores share each line, another counts classes.
func Fit(source Rewindable, m traces.Metadata, c FitConfig) (*Parameters, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	cores := source.Cores()
	if cores > limitCores {
		return nil, fmt.Errorf("the trace has %d cores; at most %d can be fitted", cores, limitCores)
	}
	table := newLineTable()
	source.Rewind()
	if _, err := replayAll(source, func(s *step) uint64 {
		if s.record.Kind.IsAccess() {
			table.note(s)
		}
		return 0
	}); err != nil {
		return nil, err
	}
	if len(table.lines) == 0 {
		return nil, fmt.Errorf("the trace has no memory accesses: there is nothing to fit")
	}
	chains := table.classify(cores)
	p := &Parameters{Version: FormatVersion, Workload: m.Workload, Recording: m.Origin, Cores: cores,
		Slices: c.Slices}
	measured, err := measure(source, table, c, chains)
	if err != nil {
		return nil, err
	}
	p.Footprint = table.footprint(cores)
	p.fill(measured, c)
	return p, p.Validate()
}

// measure replays twice more: for the estimated time with misses, which the slices divide, and for the counts.
func measure(source Rewindable, table *lineTable, c FitConfig, chains int) (*collector, error) {
	var measured *collector
	total := uint64(0)
	for range 2 {
		for i := range table.lines {
			table.lines[i].last, table.lines[i].holders, table.lines[i].uses = -1, 0, 0
		}
		measured = newCollector(table, source.Cores(), c.Slices, chains, total)
		source.Rewind()
		var err error
		if total, err = replayAll(source, measured.visit); err != nil {
			return nil, err
		}
	}
	return measured, nil
}

// fill turns the counts into parameters.
func (p *Parameters) fill(m *collector, c FitConfig) {
	groups, behaviours := cluster(m.cells, c.Behaviours)
	for core := range m.cells {
		r := Role{Records: make([]uint64, c.Slices), Fetches: make([]uint64, c.Slices), Behaviours: groups[core]}
		for s, cell := range m.cells[core] {
			r.Records[s], r.Fetches[s] = cell.records, cell.fetches
			p.Records += cell.records
		}
		p.Roles = append(p.Roles, r)
		p.Footprint.Reads[core] = trimmed(m.reads[core])
	}
	for _, b := range behaviours {
		p.Behaviours = append(p.Behaviours, b.behaviour())
	}
	for i := range m.chains {
		k := Chain{Kinds: trimmed(m.chains[i].kinds[:]), Edges: m.chains[i].edges}
		for core := range m.chains[i].events {
			k.Events = append(k.Events, trimmed(m.chains[i].events[core]))
		}
		p.Chains = append(p.Chains, k)
	}
	for core := range m.waits {
		for s := range m.waits[core] {
			// Waits at chains are made again by the chains, unless they are long.
			if w := &m.waits[core][s]; w.known && (!w.chained || w.cycles*uint64(c.Slices) > m.total) {
				p.Waits = append(p.Waits, [4]uint64{uint64(core), w.at, uint64(w.edge.Producer), w.edge.Position})
			}
		}
	}
}

// behaviour writes counts as parameters.
func (c *cell) behaviour() Behaviour {
	var b Behaviour
	for i := range c.next {
		row := []uint64{}
		for state, n := range &c.next[i] {
			if n > 0 {
				row = append(row, uint64(state), uint64(n))
			}
		}
		b.Next = append(b.Next, row)
	}
	for i := range c.sizes {
		b.Sizes = append(b.Sizes, trimmed(c.sizes[i][:]))
	}
	for i := range c.places {
		b.Places[i] = trimmed(c.places[i][:])
	}
	for i := range c.gaps {
		b.Gaps[i] = c.gaps[i].spread()
	}
	for i := range c.code {
		b.Code = append(b.Code, trimmed(c.code[i][:]))
	}
	return b
}

package twin

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// FitConfig says how a recording is measured.
type FitConfig struct {
	Slices     int // parts of equal estimated time
	Behaviours int // groups of similar slices, at most
}

// DefaultFit gives 256 slices and at most 16 behaviours.
func DefaultFit() FitConfig { return FitConfig{Slices: 256, Behaviours: 16} }

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
	p := &Parameters{Chains: chains, Version: FormatVersion, Workload: m.Workload, Recording: m.Origin, Cores: cores,
		Slices: c.Slices}
	measured, err := measure(source, table, c)
	if err != nil {
		return nil, err
	}
	p.Footprint = table.footprint(cores)
	p.fill(measured, c)
	return p, p.Validate()
}

// measure replays twice more: for the estimated time with misses, which the slices divide, and for the counts.
func measure(source Rewindable, table *lineTable, c FitConfig) (*collector, error) {
	var measured *collector
	total := uint64(0)
	for range 2 {
		for i := range table.lines {
			table.lines[i].last, table.lines[i].holders, table.lines[i].uses = -1, 0, 0
			table.lines[i].read = 0
		}
		table.read = 0
		measured = newCollector(table, source.Cores(), c.Slices, total)
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
		written := make([]uint64, c.Slices)
		for s, cell := range m.cells[core] {
			r.Records[s], r.Fetches[s] = cell.records, cell.fetches
			written[s] = cell.written
			p.Records += cell.records
		}
		r.Written = trimmed(written)
		p.Roles = append(p.Roles, r)
		p.Footprint.Reads[core] = trimmed(m.reads[core])
	}
	trees := make([]*context, len(behaviours))
	for i, b := range behaviours {
		trees[i] = contexts(b.sequences)
	}
	price := priceOf(trees, fitEntries)
	for i, b := range behaviours {
		p.Behaviours = append(p.Behaviours, b.behaviour())
		p.Behaviours[i].Contexts = trees[i].rows(price)
	}
	p.order(m)
}

// order keeps when cores use chains, and what they wait for; of more waits than a file may have the longest.
func (p *Parameters) order(m *collector) {
	shortest := uint64(0)
	var all []uint64
	for i := range m.cores {
		for _, w := range m.cores[i].waits {
			all = append(all, w.cycles)
		}
	}
	if slices.Sort(all); len(all) > limitWaits {
		shortest = all[len(all)-limitWaits] + 1
	}
	for core := range m.cores {
		c, last := &m.cores[core], uint64(0)
		events, waits := [][3]uint64{}, [][3]uint64{}
		for _, e := range c.events {
			events = append(events, [3]uint64{e.at - last, uint64(e.chain), uint64(e.kind)})
			last = e.at
		}
		last = 0
		for _, w := range c.waits {
			// The producer's last access up to the one waited for.
			until := m.cores[w.Producer].accesses(w.Position + 1)
			if w.cycles < shortest || until == 0 {
				continue
			}
			at := c.accesses(w.At)
			waits = append(waits, [3]uint64{at - last, uint64(w.Producer), until - 1})
			last = at
		}
		p.Events, p.Waits = append(p.Events, events), append(p.Waits, waits)
	}
}

// behaviour writes counts as parameters.
func (c *cell) behaviour() Behaviour {
	var b Behaviour
	for i := range c.sizes {
		b.Sizes = append(b.Sizes, trimmed(c.sizes[i][:]))
	}
	for i := range c.places {
		b.Places[i] = trimmed(c.places[i][:])
	}
	for i := range c.gaps {
		b.Gaps[i] = c.gaps[i].spread()
	}
	b.Distances, b.CodeDistances = intervals(c.distances[:], crowded), intervals(c.codeDistances[:], crowdedCode)
	for i := range c.code {
		b.Code = append(b.Code, trimmed(c.code[i][:]))
	}
	return b
}

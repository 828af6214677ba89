package experiment

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// simulate lets a chip replay its workload, prices what it did, and returns its rows.
func (s *Study) simulate(ctx context.Context, r *run, report func(Progress)) (rows tables.Rows, err error) {
	begun := time.Now()
	chip, err := s.build(r)
	if err != nil {
		return rows, err
	}
	defer chip.release()
	system, network := chip.system, chip.network
	result, err := system.Run(ctx, func(now cmp.Progress) {
		report(Progress{shareOf(r.Workload.Records/uint64(max(r.Workload.Windows, 1)), now), uint64(now.Cycle), network})
	})
	if err != nil {
		return rows, err
	}
	defer Finish(network)
	layout, err := s.Models.LayoutOf(r.Router, s.Network)
	if err != nil {
		return rows, err
	}
	h, divider := network.Hardware(), s.Chip.ClockGHz/s.Chip.NetworkGHz()
	if divider > 1 {
		h.ClockDivider = int(divider)
	}
	// From the first cycle until the network was quiet.
	energy, err := AppendNetwork(&rows, r.Key, h, s.Power, layout, result.Routers, result.Links, result.Cycles+result.DrainCycles)
	if err != nil {
		return rows, err
	}
	for i := range rows.Links { // a link is busy for a cycle of the network
		rows.Links[i].Utilisation.Value *= divider
	}
	row := s.runRow(r)
	row.Scheme = models.SchemeOf(network, row.Scheme)
	if long := LongCommands(&s.Chip, network); long != "" {
		row.Rules = strings.TrimPrefix(row.Rules+", "+long, ", ")
	}
	fillCounts(&row, &result)
	if result.Stopped && !row.Limit.Known {
		row.Limit = tables.Some(tables.ByInstructions)
	}
	if r.Workload.Source == Recorded {
		row.Synchronisation, row.RecordedOrder = tables.Some(synchronisation(&result)), tables.Some(tables.ByWord)
		if r.Workload.ByLine {
			row.RecordedOrder = tables.Some(tables.ByLine)
		}
		if r.Workload.CutsBarriers {
			row.Barriers = tables.Ratio(result.Barriers, uint64(len(result.Cores)))
		}
	}
	row.PhitHops.Known = len(layout.Wiring.Channels) > 0
	row.Start = tables.Some(tables.ColdStart)
	if system.Warm() {
		row.Start.Value = tables.WarmStart
	}
	row.Seconds = tables.Some(float64(result.Cycles) / (s.Chip.ClockGHz * 1e9))
	energy.FillRun(&row)
	row.Chip = text(chipHardware(&s.Chip, len(result.Cores), network.Nodes()))
	row.WallSeconds = tables.Some(time.Since(begun).Seconds())
	rows.Runs = []tables.Run{row}
	place(rows.Routers, system, layout.Wiring)
	addParts(&rows, r.Key, &result)
	if err := fillChip(&rows.Runs[0], &rows, s.Power); err != nil {
		return rows, err
	}
	if err := addHotBlocks(&rows, r.Key, result.HotBlocks, chip.source); err != nil {
		return rows, err
	}
	if p, ok := chip.source.(program); ok {
		row := &rows.Runs[0]
		row.ProgramOutput.Known, row.ProgramEnd.Known = true, true
		row.ProgramOutput.Value, row.ProgramEnd.Value, err = p.Conclude(ctx, result.Stopped)
		row.ProgramEnd.Value = stdcmp.Or(row.ProgramEnd.Value, tables.ProgramStopped)
	}
	return rows, err
}

// program is a source that executes a program. Conclude executes what follows the region that the
// chip has executed, unless the chip has stopped before its end, and returns what the program has written and
// how it ended.
type program interface {
	Conclude(ctx context.Context, stopped bool) (output, end string, err error)
}

// place says of each router how many cores and memory controllers sit there.
// Nodes may share a router, and a node sends into it. Routers that do not count their events have no rows.
func place(routers []tables.Router, system *cmp.System, w *topology.Wiring) {
	if len(routers) == 0 {
		return
	}
	for i := range routers {
		routers[i].Cores, routers[i].Controllers = tables.Some(uint64(0)), tables.Some(uint64(0))
	}
	cores, controllers := system.Places()
	for _, at := range cores {
		routers[w.Entry[at].Router].Cores.Value++
	}
	for _, at := range controllers {
		routers[w.Entry[at].Router].Controllers.Value++
	}
}

// shareOf is the part of a trace that has been replayed; 0 when its length is not known.
func shareOf(records uint64, now cmp.Progress) float64 {
	if records == 0 {
		return 0
	}
	return min(float64(now.Records)/float64(records), 1)
}

// built is a chip of one run.
type built struct {
	system  *cmp.System
	network noc.Network
	source  traces.Source
	release func() error
}

// build puts a chip together for one run.
func (s *Study) build(p *run) (b built, err error) {
	model, err := s.Models.Lookup(p.Router)
	if err != nil {
		return b, err
	}
	network := func(seed uint64) (noc.Network, error) {
		options := s.Network
		options.Seed, options.Threads = seed, 1 // a second thread of the chip simulates all of the network
		return BuildNetwork(model, options, &s.Chip)
	}
	if b.network, err = network(p.Seed); err != nil {
		return b, fmt.Errorf("router %s: %w", p.Router, err)
	}
	source, release, err := p.Workload.Open(p.Window)
	if err != nil {
		noc.Close(b.network)
		return b, err
	}
	b.source, b.release = source, func() error { noc.Close(b.network); return release() }
	chip := s.Chip
	chip.Copies, chip.Threads = s.Network.Copies, s.Network.Threads
	chip.Core.Plain = chip.Core.Plain || s.Network.Plain // the plain form of everything
	b.system, err = cmp.NewFilled(chip, b.network, b.source, p.Seed, fillings.of(p, &chip, b.network.Nodes()))
	if err == nil && p.idle != nil {
		err = p.idle.tell(b.system, func() (noc.Network, error) { return network(s.Seed) })
	}
	if err != nil {
		b.release()
	}
	return b, err
}

// idle is what the runs of workloads with equally many cores on a router know of the idle network.
// The first of them measures it.
type idle struct {
	once  sync.Once
	times *cmp.IdleTimes
	err   error
}

// tell lets a chip know the times of the idle network. twin builds one like the chip's.
func (i *idle) tell(system *cmp.System, twin func() (noc.Network, error)) error {
	i.once.Do(func() {
		var network noc.Network
		if network, i.err = twin(); i.err == nil {
			defer noc.Close(network)
			i.times, i.err = system.MeasureIdle(network)
		}
	})
	system.KnowIdle(i.times)
	return i.err
}

// Check builds chips to find mistakes of the configuration before the first run: that of every router
// with the first workload, and that of every workload with the first router. What a workload may have
// wrong, such as its number of cores or the record of its caches, no other router mends.
func (s *Study) Check() error {
	var list []run
	for w := range s.Workloads {
		for r, router := range s.Routers {
			if w == 0 || r == 0 {
				list = append(list, run{Workload: &s.Workloads[w], Router: router, Seed: s.Seed})
			}
		}
	}
	return parallel.Until(context.Background(), len(list), 0, nil, func(i int) error { return s.check(&list[i]) })
}

// check builds the chip of a run, and prices its routers.
func (s *Study) check(p *run) error {
	chip, err := s.build(p)
	if err != nil {
		return err
	}
	defer chip.release()
	return CheckPrices(p.Router, chip.network, s.Power)
}

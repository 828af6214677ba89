package sample

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// Config chooses windows.
type Config struct {
	Windows int
	// Records is the average length of a window: records per core, on average over the cores and
	// over the trace. Windows are equally long in estimated time, or, between barriers, at least so
	// long. 0 chooses the length by misses: as many records as have [WindowMisses], but between
	// [LeastRecords] and [MostRecords].
	Records uint64
	// Cut tells that the trace is a piece of a longer execution. Then no window lies in its first
	// quarter, before which caches are not known, nor after the end of the first core, where some
	// cores are ahead of others.
	Cut bool
	// WarmUp is how many misses of each core, on average, a window holds before the part that is measured,
	// so that it starts with the state of the program; but at most twice as many records as that part has.
	// After it the window then holds half as many records as the part has, for cores that are faster than
	// others. 0 makes windows of which everything is measured. Of an execution that is not a trace, misses are
	// not known: half as many instructions as the part has come before it.
	WarmUp uint64
	// Compact makes windows for a recording that must be small. At most half the records of an average window come
	// before the measured part, and a quarter after it. Windows go from barrier to barrier only if those are at most
	// twice as long as Records on average.
	Compact bool
	Seed    uint64
	// Limit is that of the caches that can be filled at the start of a window.
	Limit traces.CacheLimit
	// executes is set where instructions of a program take the place of records of a trace.
	executes bool
}

// unit is what windows are measured in.
func (c Config) unit() string {
	if c.executes {
		return "instructions"
	}
	return "records"
}

// A window whose length is chosen by misses.
const (
	WindowMisses = 10_000 // of each core on average, as all of these
	LeastRecords = 20_000
	MostRecords  = 80_000
)

// chosen returns the configuration with the length of windows for an execution of all cores in which accesses have
// missed. Longer windows than the shortest have together at most half of it.
func (c Config) chosen(executed, missed uint64, cores int) Config {
	if c.Records == 0 {
		c.Records = MostRecords
		if high, low := bits.Mul64(WindowMisses, executed); missed > 0 && high < missed {
			enough, _ := bits.Div64(high, low, missed)
			c.Records = min(c.Records, enough)
		}
		c.Records = max(LeastRecords, min(c.Records, executed/uint64(2*c.Windows*cores)))
	}
	return c
}

// DefaultConfig returns a configuration of 16 windows whose length is chosen by misses.
func DefaultConfig() Config {
	return Config{Windows: 16, WarmUp: 9_000, Seed: 1, Limit: traces.DefaultCacheLimit()}
}

// Validate checks the numbers.
func (c Config) Validate() error {
	if c.Windows < 1 || c.Windows > 1<<12 {
		return fmt.Errorf("windows is %d; 1 to %d are allowed", c.Windows, 1<<12)
	}
	if c.executes && c.Records < 1 || c.Records > 1<<40 {
		return fmt.Errorf("%s is %d; 1 to %d are allowed", c.unit(), c.Records, uint64(1)<<40)
	}
	if c.WarmUp > 1<<40 {
		return fmt.Errorf("the warm-up has %d misses; at most %d are allowed", c.WarmUp, uint64(1)<<40)
	}
	return c.Limit.Validate()
}

// Draw writes windows of a trace with one window.
func Draw(f *traces.File, c Config, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if err := c.Fits(f); err != nil {
		return none, err
	}
	defer f.Rewind()
	spans, drawn, err := c.spans(f)
	if err != nil {
		return none, err
	}
	m := c.metadata(f.Metadata(), spans, drawn)
	w, err := to(m)
	if err != nil {
		return none, err
	}
	defer w.Abort() // does nothing after Close
	k, err := newWalk(f, c)
	if err != nil {
		return none, err
	}
	for core := range f.Cores() { // which all windows share
		if err := w.CopyPages(core, f, core); err != nil {
			return none, err
		}
	}
	k.spans, k.out = spans, output{writer: w}
	if err := k.run(); err != nil {
		return none, err
	}
	if err := w.Close(); err != nil {
		return none, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: append(k.out.list(), f.KeptTickets(w.Totals())...)}, nil
}

// Fits reports why the windows cannot be drawn from a trace.
func (c Config) Fits(f *traces.File) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if f.Windows() > 1 {
		return fmt.Errorf("the trace has %d windows already; draw from the long trace", f.Windows())
	}
	return c.fitInto(traces.Survey{Totals: f.Totals()}.Sum().Records, f.Cores())
}

// fitInto is Fits of a number of records of all cores.
func (c Config) fitInto(total uint64, cores int) error {
	if c = c.chosen(0, 0, cores); uint64(c.Windows)*c.Records*uint64(cores) > total {
		return fmt.Errorf("%d windows of %d %s per core need %d of each, and there are %d on average; draw fewer or shorter ones, or do without windows",
			c.Windows, c.Records, c.unit(), uint64(c.Windows)*c.Records, total/uint64(cores))
	}
	return nil
}

func (c Config) metadata(m traces.Metadata, spans []Span, drawn string) traces.Metadata {
	m.Drawn = fmt.Sprintf("%d windows %s, seed %d", c.Windows, drawn, c.Seed)
	m.Windows = nil
	for _, w := range spans {
		window := traces.Window{After: w.Open}
		if c.WarmUp > 0 {
			window.Lead, window.Measured = w.Begin-w.Open, w.End-w.Begin
		}
		m.Windows = append(m.Windows, window)
	}
	limit := c.Limit
	m.Timestamps = &limit
	m.Notes = slices.Clone(m.Notes)
	return m
}

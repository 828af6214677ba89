package sample

import (
	"errors"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// Config chooses windows.
type Config struct {
	Windows int
	// Records is the length of a window: records per core, on average over the cores.
	Records uint64
	// Random puts each window at random into its part of the trace. Else all lie at the same
	// distance, the first at random.
	Random bool
	// Last puts each window at the end of its part, so that the first has as long a history as any
	// other distance between two.
	Last bool
	Seed uint64
	// Limit is that of the caches that can be filled at the begin of a window.
	Limit traces.CacheLimit
}

// DefaultConfig returns a configuration of 16 windows of 20,000 records per core.
func DefaultConfig() Config {
	return Config{Windows: 16, Records: 20_000, Seed: 1, Limit: traces.DefaultCacheLimit()}
}

// Validate checks the numbers.
func (c Config) Validate() error {
	if c.Windows < 1 || c.Windows > 1<<12 {
		return fmt.Errorf("windows is %d; 1 to %d are allowed", c.Windows, 1<<12)
	}
	if c.Records < 1 || c.Records > 1<<40 {
		return fmt.Errorf("records is %d; 1 to %d are allowed", c.Records, uint64(1)<<40)
	}
	if c.Random && c.Last {
		return errors.New("a window cannot be both at random and at the end of its part")
	}
	return c.Limit.Validate()
}

// Draw writes windows of a trace with one window.
func Draw(f *traces.File, c Config, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if err := c.Fits(f); err != nil {
		return none, err
	}
	begins := c.begins(f)
	tracker, err := timestamps.NewTracker(f.Cores(), c.Limit)
	if err != nil {
		return none, err
	}
	m := c.metadata(f.Metadata(), begins)
	w, err := to(m)
	if err != nil {
		return none, err
	}
	defer w.Abort() // does nothing after Close
	f.Rewind()
	defer f.Rewind()
	if err := copyPages(w, f); err != nil {
		return none, err
	}
	k := newWalk(f, w, tracker, c, begins)
	if err := k.run(); err != nil {
		return none, err
	}
	if err := w.Close(); err != nil {
		return none, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: k.out.list()}, nil
}

// copyPages writes the page maps, which all windows share.
func copyPages(w *traces.Writer, f *traces.File) error {
	for core := range f.Cores() {
		pages, err := f.ReadPages(core)
		if err == nil {
			err = w.WritePages(core, pages)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Fits reports why the windows cannot be drawn from a trace.
func (c Config) Fits(f *traces.File) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if f.Windows() > 1 {
		return fmt.Errorf("the trace has %d windows already; draw from the long trace", f.Windows())
	}
	if length, period := c.lengths(f); length > period {
		return fmt.Errorf("%d windows of %d records per core need %d records of each, and the trace has %d on average; draw fewer or shorter ones",
			c.Windows, c.Records, uint64(c.Windows)*c.Records, period*uint64(c.Windows)/uint64(f.Cores()))
	}
	return nil
}

// lengths returns the length of a window and of the part of the trace that it is drawn from, in
// records of all cores.
func (c Config) lengths(f *traces.File) (window, part uint64) {
	total := uint64(0)
	for _, t := range f.Totals() {
		total += t.Records
	}
	return c.Records * uint64(f.Cores()), total / uint64(c.Windows)
}

// begins returns after how many records of all cores each window begins.
func (c Config) begins(f *traces.File) []uint64 {
	length, period := c.lengths(f)
	r := random.Stream(c.Seed*random.Gamma + 1)
	offset := r.Uint64() % (period - length + 1)
	if c.Last {
		offset = period - length
	}
	list := make([]uint64, c.Windows)
	for i := range list {
		if c.Random && i > 0 {
			offset = r.Uint64() % (period - length + 1)
		}
		list[i] = uint64(i)*period + offset
	}
	return list
}

func (c Config) metadata(m traces.Metadata, begins []uint64) traces.Metadata {
	how := fmt.Sprintf("at equal distances, seed %d", c.Seed)
	switch {
	case c.Random:
		how = fmt.Sprintf("at random, one in each part of equal length, seed %d", c.Seed)
	case c.Last:
		how = "each at the end of its part of equal length"
	}
	m.Drawn = fmt.Sprintf("%d windows of %d records per core, %s", c.Windows, c.Records, how)
	m.Windows = nil
	for _, after := range begins {
		m.Windows = append(m.Windows, traces.Window{After: after})
	}
	limit := c.Limit
	m.Timestamps = &limit
	m.Notes = slices.Clone(m.Notes)
	return m
}

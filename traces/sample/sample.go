package sample

import (
	"errors"
	"fmt"
	"math"
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
	// other distance between two. The parts are those of the trace until the first core ends, which
	// takes another walk: where a recording is cut, some cores are ahead of others.
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
	total, err := c.usable(f)
	if err != nil {
		return none, err
	}
	begins := c.begins(total, f.Cores())
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
	return c.fitInto(recordsOf(f), f.Cores())
}

// fitInto is Fits of a number of records of all cores.
func (c Config) fitInto(total uint64, cores int) error {
	if length, period := c.lengths(total, cores); length > period {
		return fmt.Errorf("%d windows of %d records per core need %d records of each, and the trace has %d on average; draw fewer or shorter ones",
			c.Windows, c.Records, uint64(c.Windows)*c.Records, total/uint64(cores))
	}
	return nil
}

// usable returns how many records of all cores the windows are drawn from.
func (c Config) usable(f *traces.File) (uint64, error) {
	f.Rewind()
	if !c.Last {
		return recordsOf(f), nil
	}
	tracker, err := timestamps.NewTracker(f.Cores(), c.Limit)
	if err != nil {
		return 0, err
	}
	defer f.Rewind()
	k := newWalk(f, nil, tracker, c, []uint64{math.MaxUint64})
	if err := k.run(); err != nil {
		return 0, err
	}
	return k.executed, c.fitInto(k.executed, f.Cores())
}

// recordsOf counts the records of all cores.
func recordsOf(f *traces.File) (total uint64) {
	for _, t := range f.Totals() {
		total += t.Records
	}
	return total
}

// lengths returns the length of a window and of the part of a number of records that it is drawn
// from, in records of all cores.
func (c Config) lengths(total uint64, cores int) (window, part uint64) {
	return c.Records * uint64(cores), total / uint64(c.Windows)
}

// begins returns after how many records of all cores each window begins.
func (c Config) begins(total uint64, cores int) []uint64 {
	length, period := c.lengths(total, cores)
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

package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/sample"
)

// errNoWindows: windows are drawn from a whole recording.
var errNoWindows = errors.New("the recording was interrupted before windows could be drawn from it")

// InWindows lets a recorder write everything into a temporary file and draws windows from it in
// estimated time, as the configuration asks for. The recording's own time is that of one host
// processor that runs the cores in turns of equal length, whatever they wait for. cut says that the
// recording is part of an execution.
func (c Config) InWindows(cut bool, whole func(traces.Destination) (Result, error), to traces.Destination) (Result, error) {
	if err := c.validateWindows(); err != nil {
		return Result{}, err
	}
	folder, err := os.MkdirTemp("", "carousel-whole-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "whole.trace")
	done, err := whole(traces.ToFile(path, traces.DefaultWriterConfig()))
	if err == nil && done.Interrupted {
		err = errNoWindows
	}
	if err != nil {
		return Result{}, err
	}
	f, err := traces.Open(path, traces.DefaultReaderConfig())
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	drawn, err := sample.Draw(f, sample.Config{Windows: c.Windows, Records: c.WindowRecords / uint64(c.Cores), Cut: cut, Seed: 1, Limit: CacheLimit()}, to)
	drawn.Input = append(done.Input, drawn.Input...)
	done.Imported = drawn
	return done, err
}

// CacheLimit is the largest caches whose content recordings know: L1s of up to 64 KB, an L2 of up to
// 16 MB.
func CacheLimit() traces.CacheLimit {
	limit := traces.DefaultCacheLimit()
	limit.L1Ways = 4
	return limit
}

// validateWindows checks what concerns windows.
func (c Config) validateWindows() error {
	all := c.Records * uint64(c.Instances)
	switch {
	case c.Windows == 0:
		return nil
	case c.Windows < 0 || c.Windows > 4096:
		return fmt.Errorf("windows is %d, and must be from 1 to 4096, or 0 to write everything", c.Windows)
	case c.WindowRecords < uint64(c.Cores) || c.Records > 0 && all/uint64(c.Windows) < 2*c.WindowRecords:
		return fmt.Errorf("window records is %d, and must be at least one per core and at most half of a window's share of all %d records", c.WindowRecords, all)
	}
	return nil
}

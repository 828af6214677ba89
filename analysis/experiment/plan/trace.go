package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// OpenTrace makes a workload of a trace file that has been read whole and found sound: a damaged
// trace stops a study before its first run. The file is opened once more for each run, so that runs
// share nothing. memoryBytes is the size of the physical address space.
func OpenTrace(path string, memoryBytes uint64) (experiment.Workload, error) {
	how := traces.ReaderConfig{MemoryBytes: memoryBytes}
	var survey traces.Survey
	file, err := traces.Open(path, how)
	if err == nil {
		defer file.Close()
		survey, err = file.Verify()
	}
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: fmt.Errorf("cannot replay the trace: %w", err)}
	}
	digest, err := wholefile.Digest(path)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	name := file.Metadata().Workload
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	source := Recorded
	if file.Metadata().Addresses == "synthetic" {
		source = string(workloads.Synthetic)
	}
	return experiment.Workload{
		Name: name, Source: source, Digest: digest, Cores: file.Cores(), Records: survey.Sum().Records, Windows: file.Windows(),
		Open: windowsOf(func() (*traces.File, error) { return traces.Open(path, how) }),
	}, nil
}

// windowsOf opens a window of a trace file, which it opens first, with a function that closes both.
func windowsOf(open func() (*traces.File, error)) func(window int) (traces.Source, func() error, error) {
	return func(window int) (traces.Source, func() error, error) {
		f, err := open()
		if err != nil {
			return nil, nil, err
		}
		one, err := f.Window(window)
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		return one, func() error { return errors.Join(one.Close(), f.Close()) }, nil
	}
}

// Recorded is the source of workloads that a real program was recorded for.
const Recorded = "recorded"

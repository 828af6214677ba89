package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// openTrace makes a workload of a trace file that has been read whole and found sound: a damaged trace
// stops a study before its first run. The file is opened once more for each run, so that runs share
// nothing.
func openTrace(path string, memoryBytes uint64) (experiment.Workload, error) {
	config := traces.ReaderConfig{MemoryBytes: memoryBytes}
	file, err := traces.Open(path, config)
	if err != nil {
		return experiment.Workload{}, inputError{fmt.Errorf("cannot replay the trace: %w", err)}
	}
	defer file.Close()
	if _, err := file.Verify(); err != nil {
		return experiment.Workload{}, inputError{fmt.Errorf("cannot replay the trace: %w", err)}
	}
	digest, err := digestFile(path)
	if err != nil {
		return experiment.Workload{}, inputError{err}
	}
	name := file.Metadata().Workload
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return experiment.Workload{
		Name: name, Source: sourceOf(file.Metadata()), Digest: digest, Cores: file.Cores(), Records: recordsOf(file.Totals()),
		Open: func() (traces.Source, func() error, error) {
			f, err := traces.Open(path, config)
			if err != nil {
				return nil, nil, err
			}
			return f, f.Close, nil
		},
	}, nil
}

// sourceOf says where the records of a trace come from.
func sourceOf(m traces.Metadata) string {
	if m.Addresses == "synthetic" {
		return string(workloads.Synthetic)
	}
	return recorded
}

// recorded is the source of workloads that a real program was recorded for.
const recorded = "recorded"

// recordsOf sums the records of all cores; 0 when the trace's totals are not known.
func recordsOf(totals []traces.CoreTotals) (n uint64) {
	for _, t := range totals {
		n += t.Records
	}
	return n
}

func digestFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

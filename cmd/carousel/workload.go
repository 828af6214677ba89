package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// openWorkload finds what the settings ask to replay: a trace file, or a workload of the catalogue.
func openWorkload(c *Configuration) (experiment.Workload, error) {
	if c.Trace != "" {
		if c.Workload != "" {
			return experiment.Workload{}, usagef("workload is %q (given by %s) and trace is %q (given by %s); choose one",
				c.Workload, c.Origins["workload"].place(), c.Trace, c.Origins["trace"].place())
		}
		return openTrace(c.Trace, c.Chip.Memory.Bytes)
	}
	opened, err := workloads.Open(c.Workload, c.Synthetic)
	if err != nil {
		return experiment.Workload{}, usagef("workload %s: %w", c.Workload, err)
	}
	defer opened.Close()
	digest, records, err := digestSource(opened)
	if err != nil {
		return experiment.Workload{}, inputError{fmt.Errorf("workload %s: %w", c.Workload, err)}
	}
	return experiment.Workload{
		Name: c.Workload, Digest: digest, Cores: opened.Cores(), Records: records,
		Open: func() (traces.Source, func() error, error) {
			again, err := workloads.Open(c.Workload, c.Synthetic)
			if err != nil {
				return nil, nil, err
			}
			return again, again.Close, nil
		},
	}, nil
}

// digestSource identifies a source by its content, and counts its records.
func digestSource(source traces.Source) (string, uint64, error) {
	h := sha256.New()
	total := uint64(0)
	records, edges := make([]traces.Record, 1024), make([]traces.Edge, 256)
	var bytes []byte
	for core := range source.Cores() {
		for {
			n, err := source.ReadRecords(core, records)
			bytes = bytes[:0]
			for _, r := range records[:n] {
				bytes = binary.LittleEndian.AppendUint64(bytes, r.Address)
				bytes = binary.LittleEndian.AppendUint32(bytes, r.Instructions)
				bytes = binary.LittleEndian.AppendUint16(bytes, r.Dependence)
				bytes = binary.LittleEndian.AppendUint16(bytes, r.Count)
				bytes = append(bytes, r.Size, byte(r.Kind))
			}
			h.Write(bytes)
			total += uint64(n)
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return "", 0, err
			}
		}
		for {
			n, err := source.ReadEdges(core, edges)
			bytes = bytes[:0]
			for _, e := range edges[:n] {
				bytes = binary.LittleEndian.AppendUint64(bytes, e.At)
				bytes = binary.LittleEndian.AppendUint64(bytes, e.Position)
				bytes = binary.LittleEndian.AppendUint16(bytes, e.Producer)
			}
			h.Write(bytes)
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return "", 0, err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), total, nil
}

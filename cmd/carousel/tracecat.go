package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
)

func traceCat(a *app) *cobra.Command {
	config := traces.DefaultCatConfig()
	command := &cobra.Command{
		Use:   "cat FILE",
		Short: "Print the records of a trace",
		Long: `Prints a trace as text, which trace import --from text reads back; with --format csv or json one
line or object per record.`,
		Example: "  carousel trace cat my.trace --core 3 --first 1000 --last 1019",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			if err := config.Validate(); err != nil {
				return usageError{err}
			}
			file, err := a.openFile(command, args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			if config.Core >= file.Cores() {
				return usagef("--core %d: the trace has cores 0 to %d", config.Core, file.Cores()-1)
			}
			out := bufio.NewWriterSize(a.stdout, 1<<16)
			switch a.format {
			case "table":
				err = traces.Cat(out, file, file.Metadata(), config)
			case "csv":
				err = catCSV(out, file, config)
			default:
				err = catJSON(out, file, config)
			}
			if damaged := new(traces.Error); errors.As(err, &damaged) {
				return inputError{err}
			}
			if err != nil {
				return err
			}
			return out.Flush()
		},
	}
	flags := command.Flags()
	flags.IntVar(&config.Core, "core", -1, "print this core only; -1 prints all")
	flags.Uint64Var(&config.First, "first", 0, "first record of each core")
	flags.Uint64Var(&config.Last, "last", 0, "last record of each core; 0 is the end")
	return command
}

// placedRecord is a record with its place and the records of other cores that it waits for.
type placedRecord struct {
	Core         int           `json:"core"`
	Position     uint64        `json:"position"`
	Instructions uint32        `json:"instructions"`
	Kind         string        `json:"kind"`
	Address      uint64        `json:"address"`
	Bytes        uint64        `json:"bytes"` // of an access
	Dependence   uint16        `json:"dependence"`
	Count        uint16        `json:"count"`
	WaitsFor     []placedAfter `json:"waits_for,omitempty"`
}

type placedAfter struct {
	Core     uint16 `json:"core"`
	Position uint64 `json:"position"`
}

func catCSV(out io.Writer, file *traces.File, c traces.CatConfig) error {
	if _, err := fmt.Fprintln(out, "core,position,instructions,kind,address,bytes,dependence,count,waits_for"); err != nil {
		return err
	}
	return eachRecord(file, c, func(r placedRecord) error {
		waits := ""
		for i, w := range r.WaitsFor {
			if i > 0 {
				waits += " "
			}
			waits += fmt.Sprintf("%d:%d", w.Core, w.Position)
		}
		_, err := fmt.Fprintf(out, "%d,%d,%d,%s,%#x,%d,%d,%d,%s\n", r.Core, r.Position, r.Instructions, r.Kind,
			r.Address, r.Bytes, r.Dependence, r.Count, waits)
		return err
	})
}

// catJSON writes one document without holding it in memory.
func catJSON(out io.Writer, file *traces.File, c traces.CatConfig) error {
	metadata, err := json.Marshal(file.Metadata())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "{\"metadata\":%s,\n\"records\":[", metadata)
	separator := "\n"
	err = eachRecord(file, c, func(r placedRecord) error {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s%s", separator, text)
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "\n]}")
	return err
}

// eachRecord visits the chosen records of a trace, core by core.
func eachRecord(file *traces.File, c traces.CatConfig, visit func(placedRecord) error) error {
	for core := range file.Cores() {
		if c.Core >= 0 && c.Core != core {
			continue
		}
		if err := eachOfCore(file, core, c, visit); err != nil {
			return err
		}
	}
	return nil
}

func eachOfCore(file *traces.File, core int, c traces.CatConfig, visit func(placedRecord) error) error {
	edges := edgeReader{file: file, core: core}
	records := make([]traces.Record, 512)
	for position := uint64(0); ; {
		n, err := file.ReadRecords(core, records)
		for _, r := range records[:n] {
			waits, err := edges.at(position)
			if err != nil {
				return err
			}
			if position >= c.First && (c.Last == 0 || position <= c.Last) {
				p := placedRecord{Core: core, Position: position, Instructions: r.Instructions, Kind: r.Kind.String(),
					Address: r.Address, Dependence: r.Dependence, Count: r.Count, WaitsFor: waits}
				if r.Kind.IsAccess() {
					p.Bytes = 1 << r.Size
				}
				if err := visit(p); err != nil {
					return err
				}
			}
			position++
		}
		if errors.Is(err, io.EOF) || err == nil && c.Last != 0 && position > c.Last {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// edgeReader hands out a core's edges by the position of the record that waits.
type edgeReader struct {
	file    *traces.File
	core    int
	waiting []traces.Edge
	ended   bool
	buffer  [64]traces.Edge
}

// at lists what the record at a position waits for; positions are asked for in ascending order.
func (e *edgeReader) at(position uint64) (waits []placedAfter, err error) {
	for {
		if len(e.waiting) == 0 && !e.ended {
			n, err := e.file.ReadEdges(e.core, e.buffer[:])
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			e.waiting, e.ended = e.buffer[:n], n == 0
		}
		if len(e.waiting) == 0 || e.waiting[0].At > position {
			return waits, nil
		}
		waits = append(waits, placedAfter{e.waiting[0].Producer, e.waiting[0].Position})
		e.waiting = e.waiting[1:]
	}
}

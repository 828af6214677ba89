package cli

import (
	"bufio"
	"encoding/hex"
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
		Example: "  carousel trace cat my.trace --core 3 --first 1000 --last 1019\n  carousel trace cat my.trace --from-instruction 1000000 --to-instruction 1000100",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			if err := config.Validate(); err != nil {
				return usageError{err}
			}
			ctx := command.Context()
			file, err := a.openWindow(command, args[0], func(int) error { return ctx.Err() })
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
				err = traces.Cat(out, file, file.Metadata().Alone(), config)
			case "csv":
				err = catCSV(out, file, config)
			default:
				err = catJSON(out, file, config)
			}
			if err != nil && ctx.Err() != nil {
				return errors.Join(out.Flush(), interruptedError{"the records end here"})
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
	rangeFlags(command, &config.Range)
	return command
}

// windowFlag is the flag by which openWindow chooses a window.
func windowFlag(command *cobra.Command) {
	command.Flags().Int("window", 0, "window of a trace that has several, from 0")
}

// rangeFlags are the flags that choose a part of every core's records.
func rangeFlags(command *cobra.Command, w *traces.Range) {
	windowFlag(command)
	flags := command.Flags()
	flags.Uint64Var(&w.First, "first", 0, "first record of each core")
	flags.Uint64Var(&w.Last, "last", 0, "last record of each core; 0 is the end")
	flags.Uint64Var(&w.FromInstruction, "from-instruction", 0, "first instruction of each core, from 0")
	flags.Uint64Var(&w.ToInstruction, "to-instruction", 0, "first instruction of each core to leave out; 0 is the end")
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
	Value        string        `json:"value,omitempty"` // what it has read or written, in hexadecimal digits by address
	WaitsFor     []placedAfter `json:"waits_for,omitempty"`
}

type placedAfter struct {
	Core     uint16 `json:"core"`
	Position uint64 `json:"position"`
}

func catCSV(out io.Writer, file *traces.File, c traces.CatConfig) error {
	names := "core,position,instructions,kind,address,bytes,dependence,count,waits_for"
	if file.HasValues() {
		names += ",value"
	}
	if _, err := fmt.Fprintln(out, names); err != nil {
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
		if file.HasValues() {
			waits += "," + r.Value
		}
		_, err := fmt.Fprintf(out, "%d,%d,%d,%s,%#x,%d,%d,%d,%s\n", r.Core, r.Position, r.Instructions, r.Kind,
			r.Address, r.Bytes, r.Dependence, r.Count, waits)
		return err
	})
}

// catJSON writes one document without holding it in memory.
func catJSON(out io.Writer, file *traces.File, c traces.CatConfig) error {
	metadata, err := json.Marshal(file.Metadata().Alone())
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
	var values traces.Values
	return c.Each(file, core, func(position, _ uint64, r *traces.Record, after []traces.Edge) error {
		p := placedRecord{Core: core, Position: position, Instructions: r.Instructions, Kind: r.Kind.String(),
			Address: r.Address, Dependence: r.Dependence, Count: r.Count}
		for _, e := range after {
			p.WaitsFor = append(p.WaitsFor, placedAfter{e.Producer, e.Position})
		}
		if r.Kind.IsAccess() {
			p.Bytes = 1 << r.Size
		}
		if file.HasValues() {
			values.Reset()
			if err := file.ReadValues(core, position, 1, &values); err != nil {
				return err
			}
			p.Value = hex.EncodeToString(values.Of(0))
		}
		return visit(p)
	})
}

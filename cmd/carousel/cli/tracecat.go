package cli

import (
	"bufio"
	"errors"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
)

func traceCat(a *app) *cobra.Command {
	config := traces.DefaultCatConfig()
	command := newCommand("trace cat", oneFile, func(command *cobra.Command, args []string) error {
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
			err = inspect.WriteCSV(out, file, config)
		default:
			err = inspect.WriteJSON(out, file, config)
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
	})
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
	flags.Uint64Var(&w.Last, "last", 0, "last record of each core; 0 means the end of the trace")
	flags.Uint64Var(&w.FromInstruction, "from-instruction", 0, "first instruction of each core, from 0")
	flags.Uint64Var(&w.ToInstruction, "to-instruction", 0, "end of the instructions of each core, exclusive; 0 means the end of the trace")
}

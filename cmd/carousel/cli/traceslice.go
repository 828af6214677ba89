package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
)

func traceSlice(a *app) *cobra.Command {
	var config traces.SliceConfig
	var out newFile
	var cores string
	command := newCommand("trace slice", oneFile, func(command *cobra.Command, args []string) error {
		if err := out.check("trace", args[0]); err != nil {
			return err
		}
		var err error
		if config.Cores, err = parseCores(cores); err != nil {
			return err
		}
		done, err := a.slice(command, args[0], out, config)
		if err != nil {
			return err
		}
		return a.printWritten(inspect.NewWritten(out.path, done))
	})
	rangeFlags(command, &config.Range)
	flags := command.Flags()
	flags.StringVar(&cores, "cores", "", "cores to keep, such as 0-3,8 (default: all)")
	out.traceFlags(flags)
	return command
}

// slice writes the slice, which gets its name when it is proved to be one that can be replayed: its
// locks may need an order that only what was left out would give.
func (a *app) slice(command *cobra.Command, from string, into newFile, config traces.SliceConfig) (traces.Imported, error) {
	followed := a.follow(command.Context(), "slicing", from)
	file, err := a.openWindow(command, from, followed.passed)
	if err != nil {
		return traces.Imported{}, err
	}
	defer file.Close()
	if err := config.Validate(file.Cores()); err != nil {
		return traces.Imported{}, usageError{err}
	}
	prove, err := a.readerConfig(command, followed.passed)
	if err != nil {
		return traces.Imported{}, err
	}
	done, err := traces.Slice(file, config, into.destination(prove))
	failed := followed.end(err, nothingWritten(into.path))
	if errors.As(failed, new(inputError)) && errors.As(err, new(*traces.Unproved)) {
		failed = wrongError{fmt.Errorf("%w; choose other bounds", err)}
	}
	return done, failed
}

// parseCores reads "0-3,8".
func parseCores(text string) ([]int, error) {
	var list []int
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, several := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.ParseUint(low, 10, 16)
		last := first
		if several && err == nil {
			last, err = strconv.ParseUint(high, 10, 16)
		}
		if err != nil || last < first {
			return nil, usagef("--cores %s: %q is neither a core nor a range such as 0-3", text, part)
		}
		for core := first; core <= last; core++ {
			list = append(list, int(core))
		}
	}
	return list, nil
}

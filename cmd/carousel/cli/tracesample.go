package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/traces/sample"
)

func traceSample(a *app) *cobra.Command {
	config := sample.DefaultConfig()
	var out newFile
	var l1, l2 string
	command := newCommand("trace sample", oneFile, func(command *cobra.Command, args []string) error {
		if err := out.check("trace", args[0]); err != nil {
			return err
		}
		var err error
		if config.Limit.L1Sets, config.Limit.L1Ways, err = parseCache("l1", l1); err != nil {
			return err
		}
		if config.Limit.L2Sets, config.Limit.L2Ways, err = parseCache("l2", l2); err != nil {
			return err
		}
		if err := config.Validate(); err != nil {
			return usageError{err}
		}
		done, err := a.sample(command, args[0], out, config)
		if err != nil {
			return err
		}
		return a.printWritten(inspect.NewWritten(out.path, done), done.Metadata.Drawn)
	})
	flags := command.Flags()
	limit := traces.DefaultCacheLimit()
	flags.IntVar(&config.Windows, "windows", config.Windows, "number of windows")
	flags.Uint64Var(&config.Records, "records", config.Records, "mean length of a window, in records per core; the minimum length if windows go from barrier to barrier")
	flags.StringVar(&l1, "l1", cacheText(limit.L1Sets, limit.L1Ways), "largest L1 that can be filled, as SETSxWAYS")
	flags.StringVar(&l2, "l2", cacheText(limit.L2Sets, limit.L2Ways), "largest L2 that can be filled, all banks together, as SETSxWAYS")
	out.traceFlags(flags)
	return command
}

// sample draws the windows. What is said of their cores adds up the windows.
func (a *app) sample(command *cobra.Command, from string, out newFile, config sample.Config) (traces.Imported, error) {
	settings, err := a.configuration(command)
	if err != nil {
		return traces.Imported{}, err
	}
	config.Seed = settings.Seed
	followed := a.follow(command.Context(), "drawing windows", from)
	file, err := a.openFile(command, from, followed.passed)
	if err != nil {
		return traces.Imported{}, err
	}
	defer file.Close()
	if err := config.Fits(file); err != nil {
		return traces.Imported{}, usageError{err}
	}
	done, err := sample.Draw(file, config, out.destination(nil))
	if err := followed.end(err, nothingWritten(out.path)); err != nil {
		return done, err
	}
	sums := make([]traces.CoreTotals, file.Cores())
	for i, t := range done.Totals {
		sums[i%len(sums)] = sums[i%len(sums)].Plus(t)
	}
	done.Totals = sums
	return done, nil
}

func cacheText(sets, ways int) string { return fmt.Sprintf("%dx%d", sets, ways) }

// parseCache reads SETSxWAYS.
func parseCache(flag, text string) (sets, ways int, err error) {
	left, right, _ := strings.Cut(text, "x")
	s, e1 := strconv.ParseUint(left, 0, 64)
	w, e2 := strconv.ParseUint(right, 0, 64)
	if e1 != nil || e2 != nil {
		return 0, 0, usagef("--%s %s: write SETSxWAYS, such as 256x8", flag, text)
	}
	return int(s), int(w), nil
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

func runCommand(a *app) *cobra.Command {
	command := newCommand("run", a.runArguments, func(command *cobra.Command, args []string) error {
		a.arguments = args
		return a.run(command)
	})
	a.chipFlags(command, tableFlags...)
	flags := command.Flags()
	flags.Bool("bound", true, "run on a network without contention too, and note its time (default: only with one workload)")
	flags.Lookup("bound").DefValue = "" // it depends on the workloads
	flags.Bool("hot-blocks", false, "list the ten blocks with the most misses answered by other caches")
	flags.Bool("band", false, "repeat the runs with other assumptions, one at a time, and compute the ED2P of network and chip with other models of energy")
	flags.String("until", "", "stop replaying windows once the ratio of the two fastest routers has this precision, such as 1%")
	viewFlags(command)
	baselineFlag(command, "workload=twolf")
	studyFlags(command)
	a.monitorFlag(command)
	return command
}

// chipFlags adds the flags that say which chip replays what, and others that set keys.
func (a *app) chipFlags(command *cobra.Command, others ...string) {
	a.keyFlags(command, append(others, "workload", "trace", "program", "threads", "files", "router", "topology", "protocol", "runs", "windows", "cold", "until-instructions", "until-cycles", "plain")...)
	command.Flags().String("scheme", "", "multicast schemes, such as tree or dual-path, separated by commas; without --router, they also select the routers")
	command.Flags().Int("vcs", 0, "virtual channels of each port of a wormhole router; 0 means one for each message class, and on a torus two for each")
	complete(command, "scheme", a.extra.Models().Schemes())
}

// runArguments refuses arguments that are not a program's, and says which flag takes what they name.
func (a *app) runArguments(command *cobra.Command, args []string) error {
	if len(args) == 0 || command.Flags().Changed("program") {
		return nil
	}
	flag, known := "", workloads.Names(a.extra.Workloads...)
	if info, err := os.Stat(args[0]); slices.Contains(known, args[0]) {
		flag = "--workload"
	} else if err == nil && info.Mode().IsRegular() {
		flag = "--program"
		if file, err := traces.Open(args[0], traces.DefaultReaderConfig()); err == nil {
			file.Close()
			flag = "--trace"
		}
	}
	if flag == "" {
		return noArguments(command, args)
	}
	return usagef("%s takes no arguments, but got %q; did you mean %s %s?", command.CommandPath(), args, flag, args[0])
}

// run does the whole command: settings, study, runs, tables, report.
func (a *app) run(command *cobra.Command) error {
	c, err := a.networks(command, plan.Run, addChipChannels)
	if err != nil {
		return err
	}
	width, err := parseUntil(command.Flags().Lookup("until").Value.String())
	if err != nil {
		return err
	}
	study, err := plan.OpenChips(command.Context(), c)
	if err != nil && command.Context().Err() != nil {
		return interruptedError{"nothing was simulated"}
	}
	if err != nil && c.Trace != "" && (errors.Is(err, traces.ErrNotATrace) || isFolder(c.Trace)) {
		return withOther(c.Trace, err)
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(study.Workloads, func(w experiment.Workload) bool { return w.Windows > 1 }) {
		if from := c.Origin("windows"); c.Trace != "" && c.Windows > 1 && from.Kind >= config.FromSet {
			return usagef("%s asks for %d windows, but %s has none and would be replayed whole; draw windows first: carousel trace sample %s --windows %d -o FILE",
				from, c.Windows, c.Trace, c.Trace, c.Windows)
		}
		without := []string{"windows", "until"}
		if c.Program.Path != "" && c.Windows > 0 {
			without = without[1:] // a single window is not the whole program
		}
		if err := noEffect(command, "on a workload of one window", without...); err != nil {
			return err
		}
	}
	if c.Windows == 1 {
		if err := noEffect(command, "with one window", "until"); err != nil {
			return err
		}
	}
	if len(c.Routers) == 1 {
		if err := noEffect(command, "on one router", "until", "band"); err != nil {
			return err
		}
		if len(study.Workloads) == 1 {
			if err := noEffect(command, "on one router with one workload", "baseline"); err != nil {
				return err
			}
		}
	}
	if asksBound(command, &c.Config) {
		if err := results.CheckBound(study); err != nil {
			return cmp.Or(plan.CheckChips(study), err)
		}
	}
	points, err := study.Points()
	if err != nil {
		return err
	}
	m := a.describe(experiment.Chips, c)
	m.Describe(study)
	if err := setBaseline(command, m, experiment.Blank(points)); err != nil {
		return err
	}
	if strings.Contains(m.Baseline, "workload=") {
		if err := noEffect(command, "with workloads as the baseline", "until", "band", "bound"); err != nil {
			return err
		}
	}
	name := study.Workloads[0].Name
	if n := len(study.Workloads); n > 1 {
		name = fmt.Sprintf("%d-workloads", n)
	}
	d, err := openDirectory(command, c, name, m, points, func() error { return plan.CheckChips(study) })
	if err != nil {
		return err
	}
	defer d.Close()
	a.does(command, d, c.Jobs, "runs")
	outcomes, rows, err := d.RunUntil(points, width, func(forecast string) {
		if !a.quiet {
			fmt.Fprintln(a.stderr, forecast)
		}
	})
	if err != nil {
		return err
	}
	others, all, err := runExtra(command, d, c, study, &rows)
	if err != nil {
		return err
	}
	report := compare.NewStudy(m, &rows, others, d.Place())
	view := viewOf(command, d.EarlierNote(outcomes, "runs", "--force"))
	view.Config, view.HotBlocks = c, isSet(command, "hot-blocks")
	sheets := report.Sheets(view)
	if err := a.printStudy(d, report, report.Ranking(), sheets); err != nil {
		return err
	}
	return finish(command, d, append(outcomes, all...), "runs")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// asksBound reports whether a run is compared with the network without contention.
func asksBound(command *cobra.Command, c *config.Config) bool {
	return isSet(command, "bound") && (len(c.WorkloadList()) == 1 || command.Flags().Changed("bound"))
}

// runExtra does the runs that --bound and --band ask for beside those of the comparison.
func runExtra(command *cobra.Command, d *results.Directory, c *config.Effective, study *experiment.Study, rows *tables.Rows) (b compare.Extra, all []experiment.Outcome, err error) {
	asked := func(flag string) bool { return isSet(command, flag) && command.Context().Err() == nil }
	var more []experiment.Outcome
	if asked("bound") && asksBound(command, &c.Config) {
		if all, b.Bounds, err = d.Bound(study, rows); err != nil {
			return b, nil, err
		}
	}
	if asked("band") {
		if more, b.Band, err = d.Band(c, study); err != nil {
			return b, nil, err
		}
	}
	return b, append(all, more...), nil
}

// viewFlags adds the flags that say how much of a comparison is shown.
func viewFlags(command *cobra.Command) {
	command.Flags().Bool("wide", false, "show all columns, such as cycles, energy in uJ, IPC and products of energy and delay; no effect on the table of several workloads")
	command.Flags().Bool("verbose", false, "show all notes")
}

// viewOf reads them. earlier says what to tell of points that were not simulated again.
func viewOf(command *cobra.Command, earlier []string) compare.View {
	return compare.View{Wide: isSet(command, "wide"), Verbose: isSet(command, "verbose"), Earlier: earlier}
}

// parseUntil reads a width such as 1% or 0.01; 0 stands for none.
func parseUntil(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return 0, usagef("--until %s: give a precision above 0 and below 100%%, such as 1%%", text)
	}
	return v, nil
}

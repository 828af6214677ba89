package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/compare"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func runCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "run",
		Short: "Replay a workload on several routers and compare them",
		Long: `Replays a workload on each router and compares execution time, latency and network energy.

Results are normalised to the router base when it is among those compared, and to the first
router otherwise. With --runs N each router runs N times, with seeds --seed, --seed+1 and so on.
The seed also changes memory latencies by up to chip.perturb cycles; the 95 % confidence intervals
show how much that matters.

A trace may have several windows (see carousel trace sample). All are replayed, or as many as
--windows says or --until needs. Ratios of times are then those of sums over windows, with intervals
by matched pairs. How often cores wait for each other, windows do not tell; so an interval holds
those by three readings: at the end of each window, never, and once at the end of all. The ratio is
its middle. ED2P is that of the sums, too. Caches begin with what the trace says they held, unless
--cold is given.

Beside each comparison stands the time on a network without contention, the least that any router
could take. --band repeats runs of at most four windows with other assumptions, one at a time:
memory latency, outstanding misses, window, dependences, time-outs, empty caches. Energy is that of
routers and links from the first cycle until the network is quiet, at the technology of the power
keys.

A network needs a power of two of nodes. Where it is no torus or mesh, the routers wormhole,
wormhole-ideal and ideal work, its nodes count as a line, cores are spread evenly along it and memory
controllers between them; chip.place.cores=list and chip.place.memory=list put them elsewhere.

The paper's applications (see carousel workload list) are replayed from recordings/NAME.trace where
that file exists, and else from the recording that is part of the program.

The result tables (see carousel tables) and manifest.json are written to --out, or else to a
directory below results named after the workload and a digest of study and program. Each finished run is
kept there in points: a command that was stopped continues when it is given again, and no run is
done twice. A directory that holds another study is refused; --force replaces that study. Runs that
another build of the program has finished are simulated again, unless --reuse-builds is given or both are
releases.`,
		Example: `  carousel run
  carousel run --router rr,mrr --runs 5 --format json
  carousel run --topology mesh:8x8 --router wormhole --scheme dual-path --vcs 12
  carousel run --topology mesh:8x8 --router base,wormhole --scheme qg,otms
  carousel run --topology bimin:butterfly:64:4 --router wormhole-ideal,ideal --scheme umin
  carousel run --trace my.trace --set power.tech_nm=45 --set power.profile=S`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return a.run(command) },
	}
	a.keyFlags(command, append(tableFlags, "workload", "trace", "router", "topology", "protocol", "runs", "windows", "cold", "plain")...)
	flags := command.Flags()
	flags.String("scheme", "", "how multicasts travel, such as tree or dual-path, or several separated by commas, to compare them; chooses routers, or checks those chosen")
	flags.Int("vcs", 0, "virtual channels of each port of a wormhole router; 0 takes one for each message class, two on a torus")
	flags.Bool("bound", true, "also run on a network without contention, which bounds what routers can win, and print its time")
	flags.Bool("band", false, "also run with other assumptions, one at a time, and print the range of each ratio of times")
	flags.String("until", "", "replay windows until every ratio of times is known within so much, such as 1%")
	studyFlags(command)
	a.monitorFlag(command)
	complete(command, "scheme", a.extra.Models().Schemes())
	return command
}

// run does the whole command: settings, study, runs, tables, report.
func (a *app) run(command *cobra.Command) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if err := chooseScheme(c, command.Flags()); err != nil {
		return err
	}
	if err := addChipChannels(c, command.Flags()); err != nil {
		return err
	}
	width, err := parseUntil(command.Flags().Lookup("until").Value.String())
	if err != nil {
		return err
	}
	study, err := plan.Chips(c)
	if err != nil {
		return err
	}
	points, err := study.Points()
	if err != nil {
		return err
	}
	m := a.describe(experiment.Chips, c)
	m.Describe(study)
	d, err := take(command, c, study.Workloads[0].Name, m, points)
	if err != nil {
		return err
	}
	defer d.Close()
	do := a.doing(command, c.Jobs, "runs")
	outcomes, rows, err := d.RunUntil(points, do, width, chart.Baseline(study.Routers))
	if err != nil {
		return err
	}
	report := compare.NewRuns(study, m, &rows, d.Place())
	all, err := beside(command, d, study, &rows, do, report)
	if err != nil {
		return err
	}
	if a.format == "csv" {
		err = a.print(report, report.Spreadsheet())
	} else {
		table := report.Sheet(c)
		table.Note(d.EarlierNote(outcomes, "runs", "--force")...)
		table.Note(report.Notes(c, study.Workloads[0].Windows)...)
		err = a.print(report, table)
	}
	if err != nil {
		return err
	}
	return finish(command, d, append(outcomes, all...), "runs")
}

// beside does the runs that --bound and --band ask for beside those of the comparison, and puts
// what they measure into the report.
func beside(command *cobra.Command, d *results.Directory, study *experiment.Study, rows *tables.Rows, do results.Do, r *compare.Runs) (all []experiment.Outcome, err error) {
	asked := func(flag string) bool {
		set, err := command.Flags().GetBool(flag)
		return err == nil && set && command.Context().Err() == nil
	}
	var more []experiment.Outcome
	if asked("bound") {
		if all, r.Ideal, err = d.Bound(study, rows, do); err != nil {
			return nil, err
		}
	}
	if asked("band") {
		if more, r.Band, err = d.Band(study, do); err != nil {
			return nil, err
		}
	}
	return append(all, more...), nil
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
		return 0, usagef("--until %s: give a width above 0 and below 100%%, such as 1%%", text)
	}
	return v, nil
}

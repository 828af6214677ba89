package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/compare"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func runCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "run",
		Short: "Replay workloads on several routers and compare them",
		Long: `Replays workloads on each router and compares execution time, latency and network energy.

Routers are sorted by execution time and compared with the fastest one, and each with the next row:
faster, slower or cannot tell, with 95 % confidence. Several workloads, or all for the twelve
applications, make one study: a row for each application, * where a ratio differs from 1 with 95 %
confidence, and the geometric means.

A trace may have several windows (see carousel trace sample). All are replayed, or as many as
--windows says or --until needs. A ratio is that of the totals over the windows that both routers
have, with the jackknife interval of matched pairs. Caches start warm, unless --cold is given. With
--runs N each router runs N times, with seeds --seed, --seed+1 and so on; the seed also changes
memory latencies by up to chip.perturb cycles. With one window, intervals are over seeds.

ED2P is energy times the square of time. Energy is that of routers and links from the first cycle
until the network is quiet, at the technology of the power keys. --wide shows more columns, --verbose
all notes. The time on a network without contention (ideal) is a lower bound only where no router
takes less; a note says so. --band repeats runs of at most four windows with other assumptions, one
at a time: memory latency, outstanding misses, window, dependences, time-outs, empty caches, the
channels of base and base-mc.

A network needs a power of two of nodes. Where it is no torus or mesh, the routers wormhole,
wormhole-ideal and ideal work, its nodes count as a line, cores are spread evenly along it and memory
controllers between them; chip.place.cores=list and chip.place.memory=list put them elsewhere.

The paper's applications (see carousel workload list) are replayed from recordings/NAME.trace where
that file exists, and else from the recording that is part of the program.

The result tables (see carousel tables) and manifest.json are written to --out, or else to a
directory below results named after the workload and a digest of study and program. Each finished run is
kept there in points: a command that was stopped continues when it is given again, and no run is
done twice. A directory that holds another study is refused; --force replaces that study. Results of
another build of the program are not reused, unless --reuse-builds is given or both are releases.`,
		Example: `  carousel run
  carousel run --workload all
  carousel run --router rr,mrr --runs 5 --format json
  carousel run --topology mesh:8x8 --router wormhole --scheme dual-path --vcs 12
  carousel run --topology mesh:8x8 --router base,wormhole --scheme qg,otms
  carousel run --topology bimin:butterfly:64:4 --router wormhole-ideal,ideal --scheme umin
  carousel run --program ./a.out --threads 16 --router base-mc,mrr -- input
  carousel run --trace my.trace --set power.tech_nm=45 --set power.profile=S`,
		Args: programArguments,
		RunE: func(command *cobra.Command, args []string) error {
			a.arguments = args
			return a.run(command)
		},
	}
	a.keyFlags(command, append(tableFlags, "workload", "trace", "program", "threads", "files", "router", "topology", "protocol", "runs", "windows", "cold", "plain")...)
	flags := command.Flags()
	flags.String("scheme", "", "how multicasts travel, such as tree or dual-path, or several separated by commas, to compare them; chooses routers, or checks those chosen")
	flags.Int("vcs", 0, "virtual channels of each port of a wormhole router; 0 takes one for each message class, two on a torus")
	flags.Bool("bound", true, "also run on a network without contention, and print its time; of several workloads only where it is given")
	flags.Bool("hot-blocks", false, "also list the ten blocks with most misses that caches of other cores answered")
	flags.Bool("band", false, "also run with other assumptions, one at a time, and print the range of each ratio of times")
	flags.String("until", "", "replay windows until the time of the fastest router over that of the next is known within so much, such as 1%")
	viewFlags(command)
	studyFlags(command)
	a.monitorFlag(command)
	complete(command, "scheme", a.extra.Models().Schemes())
	return command
}

// nameOf names a study after its workload, or after how many there are.
func nameOf(s *experiment.Study) string {
	if len(s.Workloads) == 1 {
		return s.Workloads[0].Name
	}
	return fmt.Sprintf("%d-workloads", len(s.Workloads))
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
	d, err := take(command, c, nameOf(study), m, points)
	if err != nil {
		return err
	}
	defer d.Close()
	do := a.doing(command, c.Jobs, "runs")
	outcomes, rows, err := d.RunUntil(points, do, width)
	if err != nil {
		return err
	}
	others, all, err := beside(command, d, study, &rows, do)
	if err != nil {
		return err
	}
	report := compare.NewRuns(m, &rows, others, d.Place())
	if a.format == "csv" {
		err = a.print(report, report.Spreadsheet())
	} else {
		table := report.Sheet(c, viewOf(command, d.EarlierNote(outcomes, "runs", "--force")))
		if hot, err := command.Flags().GetBool("hot-blocks"); err == nil && hot {
			table.Note(report.HotBlockNotes()...)
		}
		err = a.print(report, table)
	}
	if err != nil {
		return err
	}
	return finish(command, d, append(outcomes, all...), "runs")
}

// beside does the runs that --bound and --band ask for beside those of the comparison.
func beside(command *cobra.Command, d *results.Directory, study *experiment.Study, rows *tables.Rows, do results.Do) (b compare.Beside, all []experiment.Outcome, err error) {
	asked := func(flag string) bool {
		set, err := command.Flags().GetBool(flag)
		return err == nil && set && command.Context().Err() == nil
	}
	var more []experiment.Outcome
	if asked("bound") && (len(study.Workloads) == 1 || command.Flags().Changed("bound")) {
		if all, b.Bounds, err = d.Bound(study, rows, do); err != nil {
			return b, nil, err
		}
	}
	if asked("band") {
		if more, b.Band, err = d.Band(study, do); err != nil {
			return b, nil, err
		}
	}
	return b, append(all, more...), nil
}

// viewFlags adds the flags that say how much of a comparison is shown.
func viewFlags(command *cobra.Command) {
	command.Flags().Bool("wide", false, "show all columns: cycles, energy in uJ, IPC, packets, re-issues")
	command.Flags().Bool("verbose", false, "show all notes")
}

// viewOf reads them. earlier says what to tell of points that were not simulated again.
func viewOf(command *cobra.Command, earlier []string) compare.View {
	set := func(flag string) bool {
		v, err := command.Flags().GetBool(flag)
		return err == nil && v
	}
	return compare.View{Wide: set("wide"), Verbose: set("verbose"), Earlier: earlier}
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

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

func runCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "run",
		Short: "Replay a workload on several routers and compare them",
		Long: `Replays a workload on each router and compares execution time, latency and network energy.

Results are normalised to the router base when it is among those compared, and to the first
router otherwise. With --runs N each router runs N times, with seeds --seed, --seed+1 and so on;
the seed also changes memory latencies by up to chip.perturb cycles, and the 95 % confidence
intervals show how much that matters. Energy is that of routers and links from the first cycle
until the network is quiet, at the technology of the power keys.

A network needs a power of two of nodes. Where it is no torus or mesh, the routers wormhole,
wormhole-ideal and ideal work, its nodes count as a line, cores are spread evenly along it and memory
controllers between them; chip.place.cores=list and chip.place.memory=list put them elsewhere.

The paper's applications (see carousel workload list) are replayed from recordings/NAME.trace where
that file exists, and else from a synthetic twin, a generator fitted to a recording. The output
and the table runs say which.

The tables runs, routers, links, latency, cores and epochs (Arrow) and manifest.json are written
to --out, or else to a directory below results named after the workload and a digest of the
study, so that different studies never overwrite each other.`,
		Example: `  carousel run
  carousel run --router rr,mrr --runs 5 --format json
  carousel run --topology mesh:8x8 --router wormhole --scheme dual-path --vcs 12
  carousel run --topology bimin:butterfly:64:4 --router wormhole-ideal,ideal --scheme umin
  carousel run --trace my.trace --set power.tech_nm=45 --set power.profile=S`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return a.run(command) },
	}
	flags := command.Flags()
	flags.String("workload", config.DefaultWorkload, "workload of the catalogue (see carousel list)")
	flags.String("source", config.SourceAuto, "what an application is replayed from: its recording (recorded), its synthetic twin (twin), or whichever there is (auto)")
	flags.String("trace", "", "trace file to replay instead of a workload")
	flags.String("twin", "", "parameter file of a synthetic twin to replay instead of a workload")
	flags.String("router", "base,base-mc,rr,mrr", "router models, separated by commas")
	flags.String("topology", "torus:8x8", topologyUsage())
	flags.String("scheme", "", "how multicasts travel, such as tree or dual-path; chooses routers, or checks those chosen")
	flags.Int("vcs", 0, "virtual channels of each port of a wormhole router; 0 takes one for each message class, two on a torus")
	flags.String("protocol", "token", "coherence protocol")
	flags.Int("runs", 1, "runs of each router, with consecutive seeds")
	plainFlag(flags)
	flags.Bool("parquet", false, "write Parquet files beside the Arrow files")
	complete(command, "router", models.Names())
	complete(command, "scheme", models.Schemes())
	complete(command, "protocol", config.ProtocolNames())
	complete(command, "workload", config.WorkloadNames())
	complete(command, "source", config.Sources)
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
	study, err := plan.Chips(c)
	if err != nil {
		return err
	}
	saved, err := a.openResults(c, study.Workloads[0].Name, func(m *experiment.Manifest) error { return m.Describe(study) })
	if err != nil {
		return err
	}
	defer saved.folder.Discard()

	outcomes, err := a.watch(command.Context(), study, c.Jobs)
	if err != nil {
		return err
	}
	rows := experiment.Collect(study, outcomes)
	saved.save(&rows, c.Parquet)
	report := buildReport(study, &saved.manifest, rows.Runs, outcomes, saved.out)
	table := report.table(c)
	if a.format == "csv" {
		table = report.spreadsheet()
	}
	if err := a.print(report, table); err != nil {
		return err
	}
	return saved.verdict(verdict(command.Context().Err(), outcomes, saved.out))
}

// watch does the runs and draws their progress.
func (a *app) watch(ctx context.Context, study *experiment.Study, jobs int) ([]experiment.Outcome, error) {
	options := experiment.Options{Jobs: jobs, Log: a.log()}
	if line := a.statusLine(); line != nil {
		bar := &progress{statusLine: line}
		options.Observe = bar.observe
		defer bar.clear()
	}
	return experiment.Run(ctx, study, options)
}

// verdict turns what became of the runs into the command's error.
func verdict(stopped error, outcomes []experiment.Outcome, out string) error {
	finished, failed := 0, error(nil)
	for i := range outcomes {
		o := &outcomes[i]
		switch o.State {
		case tables.Finished:
			finished++
		case tables.Failed:
			if failed == nil {
				failed = fmt.Errorf("%s on %s with seed %d: %w", o.Workload.Name, o.Router, o.Seed, o.Err)
			}
		}
	}
	saved := fmt.Sprintf("%d of %d runs are finished and saved in %s", finished, len(outcomes), out)
	switch {
	case stopped != nil && finished < len(outcomes):
		return interruptedError{saved}
	case failed == nil:
		return nil
	case errors.As(failed, new(*traces.Error)):
		return inputError{fmt.Errorf("%w\n%s", failed, saved)}
	}
	return wrongError{fmt.Errorf("%w\n%s", failed, saved)}
}

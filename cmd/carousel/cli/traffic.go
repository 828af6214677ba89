package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/compare"
)

// trafficLong is the help text.
const trafficLong = `Sends synthetic traffic through networks alone, without a chip. In each cycle a node generates a packet with
probability load/length, and queues it until the network takes it. Loads are in phits per node and cycle.

Cycles from --warmup to --cycles are measured. Latency is from the generation of a packet to the arrival of
its tail. --loads runs several loads. --saturation searches for the load at which each router saturates.
--runs N repeats each point with N seeds and adds 95 % confidence intervals. --packets replays the packets
of another simulator.

carousel help networks defines saturation and every measure, and describes graph files. Results are kept in
--out, or below results. If a run is stopped, give the same command again to continue it.`

func trafficCommand(a *app) *cobra.Command {
	var recorded string
	var limit uint64
	command := &cobra.Command{
		Use:   "traffic",
		Short: "Load networks with synthetic traffic and measure throughput and latency",
		Long:  trafficLong,
		Example: `  carousel traffic --router mrr --pattern tornado --load 0.2
  carousel traffic --topology mesh:4x4 --router base,rr --loads 0.1:0.5:0.1 --cycles 20000 --warmup 5000
  carousel traffic --router mrr --multicast-fraction 0.1 --saturation --cycles 20000 --warmup 5000
  carousel traffic --topology mesh:8x8 --router wormhole --vcs 4 --buffer-phits 8 --load 0.3 --cycles 20000 --warmup 5000
  carousel traffic --topology mesh:8x8 --router wormhole --scheme qg --multicast-fraction 0.1 --cycles 20000 --warmup 5000
  carousel traffic --topology bimin:butterfly:64:8 --scheme umin --multicast-fraction 0.1 --cycles 20000 --warmup 5000`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if recorded != "" {
				return a.trafficPackets(command, recorded, limit)
			}
			if limit != 0 {
				return usagef("--packet-limit needs --packets FILE")
			}
			return a.traffic(command)
		},
	}
	a.keyFlags(command, append(tableFlags, "topology", "router", "pattern", "load", "loads", "multicast-fraction", "multicast-destinations",
		"packet-phits", "cycles", "warmup", "saturation", "runs", "plain")...)
	flags := command.Flags()
	flags.String("scheme", "", "multicast schemes, separated by commas: "+strings.Join(a.extra.Models().Schemes(), ", ")+"; without --router, they also select the routers")
	flags.Int("vcs", config.DefaultTraffic().Classes, "virtual channels of each port; base and base-mc have one per message class, wormhole uses all for all packets")
	flags.Int("buffer-phits", 10, "depth of a virtual channel")
	flags.StringVar(&recorded, "packets", "", "file of packets to replay: CSV, Arrow or netrace, plain or compressed")
	flags.Uint64Var(&limit, "packet-limit", 0, "maximum number of packets of the file to replay; 0 replays all")
	flags.Bool("verbose", false, "show all notes")
	studyFlags(command)
	a.monitorFlag(command)
	complete(command, "scheme", a.extra.Models().Schemes())
	return command
}

// traffic does the whole command: settings, study, points, tables, report.
func (a *app) traffic(command *cobra.Command) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if err := chooseScheme(c, command.Flags()); err != nil {
		return err
	}
	if err := addChannels(c, command.Flags()); err != nil {
		return err
	}
	study, err := plan.NetworksAlone(c)
	if err != nil {
		return err
	}
	points, err := study.Points()
	if err != nil {
		return err
	}
	m := a.describe(experiment.Traffic, c)
	study.Describe(m)
	d, err := openDirectory(command, c, "traffic-"+c.Traffic.Pattern, m, points)
	if err != nil {
		return err
	}
	defer d.Close()
	outcomes, rows, err := d.Run(points, a.doing(command, c.Jobs, "points"), true)
	if err != nil {
		return err
	}
	report := compare.NewTraffic(study, m, &rows, d.Place())
	verbose, err := command.Flags().GetBool("verbose")
	if err != nil {
		return err
	}
	table := report.Sheet(c, verbose)
	table.Note(d.EarlierNote(outcomes, "points", "--force")...)
	if a.format == "csv" {
		table = report.Spreadsheet()
	}
	if err := a.print(report, table); err != nil {
		return err
	}
	return finish(command, d, outcomes, "points")
}

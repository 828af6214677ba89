package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/compare"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
)

// trafficLong is the help text.
const trafficLong = `Sends synthetic traffic through networks alone, without chips. Each node generates a packet in
each cycle with probability load/length, of a class drawn uniformly, and keeps it in an unbounded
queue until the network takes it. Loads are phits per node and cycle at the sources; a multicast
counts once.

Everything that happens in the window from --warmup to --cycles is measured, also to packets that
were generated before. The network is not drained afterwards. Latency is from generation to the
arrival of the tail, over the copies that arrive in the window; multicast_latency_mean takes the last
copy of each multicast. Percentiles are exact below 64 cycles and within 1/32 above. ED2P is the
energy of the window over the delivered load squared; ed2p_per_phit takes the energy per delivered
phit.

A point is saturated when one of these happens in the window:
  * the queues at the sources grow by more than 2 % of the packets generated, and by more than two
    packets per node;
  * the buffers of the network fill by more than 2 % of the phits delivered, and by more than 500
    phits per node;
  * a packet has waited at its source for half the window.
The latency of a saturated point is printed, but grows with --cycles.

On a network that is no torus or mesh the routers wormhole, wormhole-ideal and ideal work, and
patterns see its nodes in a line. A graph file has a statement per line, and # begins a comment:
  switches 5          numbered 0 to 4; comes first
  link 0 1            a channel in both directions
  processors 0 0 3    the switch of each processor; without it every switch has one
  root 4              of the tree for up*/down* routing; 0 unless given
  labels 0 4 1 2 3    positions of the switches on a Hamiltonian path, for label-ordered schemes

--loads sweeps the load; --saturation searches the load at which each router saturates, by
bisection, and prints every point that it looked at. With --runs N each point is repeated with
seeds --seed, --seed+1 and so on, and the table shows means and 95 % confidence intervals.

--packets FILE replays packets recorded elsewhere instead, each in the cycle in which it was sent, or when
all packets that it depends on have arrived, whichever is later: a trace of the netrace library, or a plain
list in CSV or Arrow (see carousel help packets). Its nodes are the first ones of the topology. Of
netrace, requests are message class 0, everything else class 1. Its row in the table traffic is a window
that begins with cycle 0 and ends with the last arrival.

The result tables (see carousel tables) and manifest.json are written to --out, or else to a
directory below results named after the pattern and a digest of study and program. Each finished point is
kept there in points: a command that was stopped continues when it is given again. A directory
that holds another study is refused; --force replaces that study. Points that another build of the
program has finished are simulated again, unless --reuse-builds is given or both are releases.`

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
				return usagef("--packet-limit is for --packets FILE")
			}
			return a.traffic(command)
		},
	}
	a.keyFlags(command, append(tableFlags, "topology", "router", "pattern", "load", "loads", "multicast-fraction", "multicast-destinations",
		"packet-phits", "cycles", "warmup", "saturation", "runs", "plain")...)
	flags := command.Flags()
	flags.String("scheme", "", "how multicasts travel: "+strings.Join(a.extra.Models().Schemes(), ", ")+"; several separated by commas are compared; chooses routers, or checks those chosen")
	flags.Int("vcs", config.DefaultTraffic().Classes, "virtual channels: of base and base-mc, one per message class; of wormhole, for all packets")
	flags.Int("buffer-phits", 10, "depth of a virtual channel")
	flags.StringVar(&recorded, "packets", "", "file of packets to replay: CSV, Arrow or netrace, plain or compressed")
	flags.Uint64Var(&limit, "packet-limit", 0, "packets of the file to replay; 0 replays all")
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
	d, err := take(command, c, "traffic-"+c.Traffic.Pattern, m, points)
	if err != nil {
		return err
	}
	defer d.Close()
	outcomes, rows, err := d.Run(points, a.doing(command, c.Jobs, "points"), true)
	if err != nil {
		return err
	}
	report := compare.NewTraffic(study, m, &rows, d.Place())
	table := report.Sheet(c)
	table.Note(d.EarlierNote(outcomes, "points", "--force")...)
	if a.format == "csv" {
		table = report.Spreadsheet()
	}
	if err := a.print(report, table); err != nil {
		return err
	}
	return finish(command, d, outcomes, "points")
}

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/traffic/collective"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/formats"
)

func trafficCommand(a *app) *cobra.Command {
	var recorded, operation, nodes string
	var limit, bytes uint64
	var region int
	command := newCommand("traffic", noArguments, func(command *cobra.Command, _ []string) error {
		study := &packets.Study{Path: recorded, Limit: limit, Region: region + 1}
		switch {
		case operation != "" && recorded != "":
			study.Forms = strings.Split(operation, ",")
		case operation != "":
			study.Collective = &packets.Collective{Name: operation, Bytes: bytes}
		}
		if recorded != "" || operation != "" {
			return a.trafficPackets(command, study, nodes)
		}
		return a.traffic(command)
	})
	a.keyFlags(command, append(tableFlags, "topology", "router", "pattern", "load", "loads", "multicast-fraction", "multicast-destinations",
		"packet-phits", "cycles", "warmup", "saturation", "runs", "plain")...)
	flags := command.Flags()
	flags.String("scheme", "", "multicast schemes, separated by commas: those of carousel list, and adaptive and path, which are those of mrr and rr-path; without --router, they also select the routers")
	flags.Int("vcs", config.DefaultTraffic().Classes, "virtual channels of each port. With base or base-mc among the routers, there is a message class for each channel. If all routers are wormhole routers, there is one message class, which has all channels. Without this flag there are six classes, and wormhole has the channels of network.wormhole.virtual_channels")
	flags.Int("buffer-phits", 10, "depth of a virtual channel, in phits")
	flags.Lookup("vcs").DefValue, flags.Lookup("buffer-phits").DefValue = "6 for base and base-mc", "10 for base and base-mc, 8 for wormhole"
	flags.StringVar(&recorded, "packets", "", "packets to replay: a file in CSV, of netrace, or of NoC events of TT-Metal, plain or compressed, or the folder or a file of a Chakra trace")
	flags.Uint64Var(&limit, "packet-limit", 0, "maximum number of packets of the file to replay; 0 replays all")
	flags.IntVar(&region, "region", -1, "region of a netrace file to replay, from 0; -1 replays all")
	flags.StringVar(&operation, "collective", "", "collective operation to run, such as all-reduce:ring; with --packets, forms of those of a Chakra trace, separated by commas; there are "+strings.Join(collective.Operations(), ", "))
	flags.Uint64Var(&bytes, "bytes", 65536, "length of the vector of the collective operation at each node, in bytes")
	flags.StringVar(&nodes, "nodes", "all", "nodes that take part in the collective operation, such as 0-15,20")
	flags.Bool("verbose", false, "show all notes")
	studyFlags(command)
	a.monitorFlag(command)
	complete(command, "collective", collective.Operations())
	complete(command, "scheme", a.extra.Models().Schemes())
	return command
}

// traffic does the whole command: settings, study, points, tables, report.
func (a *app) traffic(command *cobra.Command) error {
	c, err := a.networks(command, plan.Traffic, addChannels)
	if err != nil {
		return err
	}
	study, err := plan.NetworksAlone(c)
	if err != nil {
		return err
	}
	if c.Traffic.MulticastFraction == 0 {
		if err := noEffect(command, "without --multicast-fraction", "multicast-destinations"); err != nil {
			return err
		}
	}
	points, err := study.Points()
	if err != nil {
		return err
	}
	m := a.describe(experiment.Traffic, c)
	study.Describe(m)
	return a.measure(command, c, "traffic-"+c.Traffic.Pattern, "points", m, points, func(d *results.Directory, rows *tables.Rows, outcomes []experiment.Outcome) error {
		report := compare.NewTraffic(study, m, rows, d.Place())
		table := report.Sheet(c, isSet(command, "verbose"))
		table.Note(append(d.Where(), d.EarlierNote(outcomes, "points", "--force")...)...)
		if a.format == "csv" {
			table = report.Spreadsheet()
		}
		return a.print(report, table)
	})
}

// measure does the points of networks alone, and shows what they measured.
func (a *app) measure(command *cobra.Command, c *config.Effective, name, noun string, m *experiment.Manifest, points []experiment.Point,
	show func(d *results.Directory, rows *tables.Rows, outcomes []experiment.Outcome) error) error {
	d, err := openDirectory(command, c, name, m, points, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	a.does(command, d, c.Jobs, noun)
	outcomes, rows, err := d.Run(points, true)
	if err != nil {
		return err
	}
	if err := show(d, &rows, outcomes); err != nil {
		return err
	}
	return finish(command, d, outcomes, noun)
}

// trafficPackets replays a file of packets, or does a collective operation of nodes, instead of synthetic traffic.
func (a *app) trafficPackets(command *cobra.Command, study *packets.Study, nodes string) error {
	c, err := a.networks(command, experiment.Packets, addChannels)
	if err != nil {
		return err
	}
	if !hasWormhole(c) {
		if err := noEffect(command, "with --packets or --collective, which give the message classes, on routers other than wormhole", "vcs"); err != nil {
			return err
		}
	}
	if study.Region < 0 {
		return usagef("--region %d: regions count from 0, and -1 replays all", study.Region-1)
	}
	study.Models, study.Routers, study.Seed, study.Network, study.Power = c.Models(), c.Routers, c.Seed, c.Network, c.Power
	study.PacketPhits, study.ClockGHz = c.Traffic.PacketPhits, c.Chip.ClockGHz
	head, err := a.packetsHead(command, study, nodes)
	if err != nil {
		return err
	}
	if !head.Steps {
		if err := noEffect(command, "with single packets", "packet-phits", "collective"); err != nil {
			return err
		}
	}
	c.Traffic.Classes = head.Classes
	if err := c.Check(); err != nil {
		return err
	}
	study.Network = c.Network
	if err := study.Check(head); err != nil {
		return usageError{err}
	}
	points, err := study.Points(head)
	if err != nil {
		return err
	}
	m := a.describe(experiment.Packets, c)
	study.Describe(m, head)
	name := strings.ReplaceAll(head.Name, ":", "-")
	if !head.Steps {
		name = "packets-" + name
	}
	return a.measure(command, c, name, "replays", m, points, func(d *results.Directory, rows *tables.Rows, _ []experiment.Outcome) error {
		report := compare.NewPackets(m, rows, d.Place())
		table := report.Sheet(c, head)
		table.Note(append(head.Notes, d.Where()...)...)
		if a.format == "csv" {
			table = report.Spreadsheet()
		}
		return a.print(report, table)
	})
}

// packetsHead reads what is to be replayed, whose mistakes it finds.
func (a *app) packetsHead(command *cobra.Command, study *packets.Study, nodes string) (head packets.Head, err error) {
	if c := study.Collective; c != nil {
		if c.Nodes, err = parseNodes(nodes, study.Network.Places().Nodes()); err != nil {
			return head, usagef("--nodes %s: %w", nodes, err)
		}
		if head, err = study.Head(nil); err != nil {
			err = usagef("--collective %s: %w", c.Name, err)
		}
		return head, err
	}
	for _, f := range study.Forms {
		if !slices.Contains(collective.Operations(), f) {
			return head, usagef("--collective %s: there are %s", f, strings.Join(collective.Operations(), ", "))
		}
	}
	followed := a.follow(command.Context(), "reading", study.Path)
	head, err = study.Head(followed.passed)
	if errors.Is(err, traces.ErrNotATrace) {
		if other := withOther(study.Path, err); !strings.Contains(other.Error(), "carousel traffic --packets") { // this command
			err = other
		}
	}
	if err == nil {
		study.Digest, err = study.DigestFiles(command.Context())
	}
	return head, followed.end(err, "nothing was simulated")
}

// withOther adds to an error about a file what the file is, if that is known.
func withOther(path string, err error) error {
	if what := formats.OtherFile(path); what != "" {
		return inputError{fmt.Errorf("%s: %s", path, what)}
	}
	return err
}

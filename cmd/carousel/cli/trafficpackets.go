package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/compare"
)

// trafficPackets replays a file of packets instead of synthetic traffic.
func (a *app) trafficPackets(command *cobra.Command, path string, limit uint64) error {
	for _, flag := range []string{"pattern", "load", "loads", "multicast-fraction", "multicast-destinations", "packet-phits", "cycles", "warmup", "saturation", "runs"} {
		if command.Flags().Changed(flag) {
			return usagef("--%s has no effect with --packets; leave it out", flag)
		}
	}
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if err := addChannels(c, command.Flags()); err != nil {
		return err
	}
	if err := chooseScheme(c, command.Flags()); err != nil {
		return err
	}
	study := &packets.Study{Path: path, Limit: limit}
	head, err := study.Head()
	if err != nil {
		return inputError{err}
	}
	c.Traffic.Classes = head.Classes
	if err := c.Check(); err != nil {
		return err
	}
	study.Models, study.Routers, study.Seed, study.Network, study.Power = c.Models(), c.Routers, c.Seed, c.Network, c.Power
	if err := study.Check(head); err != nil {
		return usageError{err}
	}
	if study.Digest, err = plan.DigestFile(path); err != nil {
		return inputError{err}
	}
	points, err := study.Points(head)
	if err != nil {
		return err
	}
	m := a.describe(experiment.Packets, c)
	study.Describe(m, head)
	d, err := openDirectory(command, c, "packets-"+head.Name, m, points)
	if err != nil {
		return err
	}
	defer d.Close()
	outcomes, rows, err := d.Run(points, a.doing(command, c.Jobs, "replays"), true)
	if err != nil {
		return err
	}
	report := compare.NewPackets(m, &rows, d.Place())
	if err := a.print(report, report.Sheet(c, head)); err != nil {
		return err
	}
	return finish(command, d, outcomes, "replays")
}

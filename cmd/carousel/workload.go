package main

import "github.com/carousel-sim/carousel/analysis/experiment"

// openWorkload finds what the settings ask to replay.
func openWorkload(c *Configuration) (experiment.Workload, error) {
	if c.Trace == "" {
		return experiment.Workload{}, usagef("name a trace with --trace FILE")
	}
	return openTrace(c.Trace, c.Chip.Memory.Bytes)
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
)

// monitorFlag adds --monitor to a command that does points, and serves the page while the command
// runs.
func (a *app) monitorFlag(command *cobra.Command) {
	address := command.Flags().String("monitor", "", "show progress and results on a web page at this address, such as localhost:8080")
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if !command.Flags().Changed("monitor") {
			return run(command, args)
		}
		if *address == "" {
			return usagef("--monitor needs an address, such as localhost:8080")
		}
		server, err := monitor.Listen(*address)
		if err != nil {
			return usagef("--monitor %s: %w; give an address of this machine and a free port, such as localhost:8080, or localhost:0 for any", *address, err)
		}
		defer server.Close()
		a.monitor = server
		if !a.quiet {
			fmt.Fprintf(a.stderr, "monitor: %s\n", server.URL())
			if server.Exposed() {
				fmt.Fprintln(a.stderr, "warning: anyone who can reach this machine can open the monitor; --monitor localhost:8080 restricts it to this machine")
			}
		}
		return run(command, args)
	}
}

// watch shows points on the page of the monitor. It returns what observes them, and what is called
// with how they ended.
func (a *app) watch(d *results.Directory, points []experiment.Point) (observe func(experiment.Event), end func(stopped error)) {
	title := a.title
	if title == "" {
		title = "carousel " + strings.Join(a.args, " ")
	}
	board, observe := d.Watch(title, points)
	a.monitor.Show(board)
	return observe, func(stopped error) {
		if stopped != nil {
			board.End("interrupted")
		} else {
			board.End("all points have ended")
		}
	}
}

// titleOf names a sweep on the page of the monitor.
func titleOf(p *plan.Plan, shard string) string {
	title := p.Title
	if title == "" {
		title = planName(p.Name)
	}
	if shard != "" {
		title += ", shard " + shard
	}
	return title
}

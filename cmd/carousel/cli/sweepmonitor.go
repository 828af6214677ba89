package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/monitor"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// checkMonitor finds contradictions.
func (f *sweepFlags) checkMonitor(command *cobra.Command) error {
	switch {
	case !command.Flags().Changed("monitor"):
		return nil
	case f.slurm:
		return usagef("--monitor and --slurm exclude each other: the points are done on other machines")
	case f.dry:
		return usagef("--monitor and --dry-run exclude each other: nothing is done")
	case f.monitor == "":
		return usagef("--monitor needs an address, such as localhost:8080")
	}
	return nil
}

// sweepMonitor is the web page of a sweep; nil without --monitor.
type sweepMonitor struct {
	board  *monitor.Board
	server *monitor.Server
}

// openMonitor listens on an address for requests about points, and says where.
func (a *app) openMonitor(address string, p *plan.Plan, shard, out string, points []experiment.Point) (*sweepMonitor, error) {
	if address == "" {
		return nil, nil
	}
	server, err := monitor.Listen(address)
	if err != nil {
		return nil, usagef("--monitor %s: %w; give an address of this machine and a free port, such as localhost:8080, or localhost:0 for any", address, err)
	}
	title := p.Title
	if title == "" {
		title = planName(p.Name)
	}
	if shard != "" {
		title += ", shard " + shard
	}
	labels := make([]string, len(points))
	for i := range points {
		labels[i] = points[i].Label
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "monitor: %s\n", server.URL())
	}
	return &sweepMonitor{monitor.NewBoard(title, out, labels), server}, nil
}

// begin answers requests from now on and gives what observes the points.
func (m *sweepMonitor) begin() func(experiment.Event) {
	if m == nil {
		return func(experiment.Event) {}
	}
	m.server.Serve(m.board)
	return func(e experiment.Event) { m.board.Update(pointUpdate(e)) }
}

// end says that no more points are done, while the tables are written.
func (m *sweepMonitor) end(stopped error) {
	switch {
	case m == nil:
	case stopped != nil:
		m.board.End("interrupted")
	default:
		m.board.End("all points have ended")
	}
}

// close stops answering.
func (m *sweepMonitor) close() {
	if m != nil {
		m.server.Close()
	}
}

// pointUpdate is an event of a sweep as the board takes it.
func pointUpdate(e experiment.Event) monitor.Update {
	u := monitor.Update{Index: e.Index, State: monitor.Running, Share: e.Share, Wall: e.Wall, Earlier: e.Earlier}
	if !e.Done {
		return u
	}
	u.State = map[string]monitor.State{tables.Finished: monitor.Finished, tables.Failed: monitor.Failed, tables.Interrupted: monitor.Interrupted}[e.State]
	if u.State == monitor.Failed {
		u.Reason = strings.TrimSpace(e.Err.Error())
	}
	return u
}

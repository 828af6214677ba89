package results

import (
	"fmt"
	"html"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
	"github.com/carousel-sim/carousel/analysis/show/report"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Watch returns a board for a monitor that shows points of the study on their way, with what has
// been measured so far, and the observer that tells it what happens to them.
func (d *Directory) Watch(title string, points []experiment.Point) (*monitor.Board, func(experiment.Event)) {
	labels := make([]string, len(points))
	for i := range points {
		labels[i] = points[i].Label
	}
	w := &watcher{store: d.Store, points: points, place: d.Path, board: monitor.NewBoard(title, d.Path, labels), manifest: *d.Manifest}
	w.manifest.Coverage = experiment.Coverage{Points: len(points)}
	w.board.Results = w.results
	return w.board, w.observe
}

// watcher tells a board what happens to points.
type watcher struct {
	board  *monitor.Board
	store  *sweep.Store
	points []experiment.Point
	place  string

	mutex    sync.Mutex
	finished []experiment.Event // of points that are not on the page

	page     sync.Mutex
	manifest experiment.Manifest
	rows     tables.Rows
	known    monitor.Results
}

// observe takes an event. It is called from one goroutine at a time.
func (w *watcher) observe(e experiment.Event) {
	w.board.Update(pointUpdate(e))
	switch {
	case e.Done && e.State == tables.Finished:
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.finished = append(w.finished, e)
	case !e.Done && e.Network != nil && w.board.Due(e.Index):
		blank := w.points[e.Index].Blank()
		w.board.Look(e.Index, lookAt(e.Network, e.Cycles, &blank))
	}
}

// results makes the part of a report about what has finished. It reads points while the others go on.
func (w *watcher) results() monitor.Results {
	w.page.Lock()
	defer w.page.Unlock()
	w.mutex.Lock()
	finished := w.finished
	w.finished = nil
	w.mutex.Unlock()
	for _, e := range finished {
		point, rows, err := &w.points[e.Index], e.Rows, error(nil)
		if e.Earlier {
			rows, err = w.store.Get(point.Key)
		}
		if err == nil { // else its results are missing from the page
			kept := tables.Rows{Runs: rows.Runs, Traffic: rows.Traffic, Batches: rows.Batches, Cores: rows.Cores, Routers: rows.Routers}
			experiment.AppendPoint(&w.rows, &kept, point.Axes)
			w.manifest.Finished++
		}
	}
	if finished != nil && w.manifest.Finished > 0 {
		study, err := report.Of(w.place, &w.rows, nil, &w.manifest, "")
		if err != nil {
			w.known.Report = html.EscapeString(err.Error())
			return w.known
		}
		w.known = monitor.Results{Header: study.Results[0].Header, Rows: study.Results[0].Rows, Report: study.Markup()}
	}
	return w.known
}

// lookAt copies what there is to see of a network. The row says what its topology is.
func lookAt(n noc.Network, cycle uint64, blank *tables.Rows) monitor.Look {
	l := monitor.Look{Cycle: cycle, InFlight: n.InFlight(), Delivered: n.Totals().Delivered, Waits: func() (list []string) {
		for _, s := range n.Explain() {
			list = append(list, fmt.Sprintf("packet from %d at router %d holds %s and waits for %s", s.Src, s.At, s.Holds, s.Waits))
		}
		return list
	}}
	for _, a := range n.Activity(nil) {
		l.Phits.Nodes = append(l.Phits.Nodes, float64(a.LinkPhits+a.EjectPhits))
	}
	name := ""
	blank.EachPoint(func(p tables.Point) { name = *p.Topology })
	if grid, placed := topology.GridOf(name); placed && len(grid.Radix) == 2 && grid.Nodes() == len(l.Phits.Nodes) {
		l.Phits.Columns, l.Phits.Rows = grid.Radix[0], grid.Radix[1]
	}
	for _, k := range n.Links(nil) {
		l.Phits.Links = append(l.Phits.Links, figures.GridLink{From: int(k.From), To: int(k.To), Value: float64(k.Phits)})
	}
	return l
}

// pointUpdate is an event of a study as the board takes it.
func pointUpdate(e experiment.Event) monitor.Point {
	u := monitor.Point{Index: e.Index, State: monitor.Running, Share: e.Share, Elapsed: e.Wall.Seconds(), Earlier: e.Earlier}
	if !e.Done {
		if e.Wall > 0 {
			u.CyclesPerSecond = float64(e.Cycles) / u.Elapsed
		}
		return u
	}
	u.State = map[string]monitor.State{tables.Finished: monitor.Finished, tables.Failed: monitor.Failed, tables.Interrupted: monitor.Interrupted}[e.State]
	if u.State == monitor.Failed {
		u.Reason = strings.TrimSpace(e.Err.Error())
	}
	return u
}

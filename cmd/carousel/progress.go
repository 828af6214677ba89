package main

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// progress is the status line of runs.
type progress struct {
	*statusLine
	tasks[experiment.Event]
}

// observe takes an event and redraws the line now and then.
func (p *progress) observe(e experiment.Event) {
	p.note(e.Run, e, e.Done)
	p.draw(e.Done, func() string { return p.line(e.Runs) })
}

// line is "2 of 4 runs done  mrr seed 1: 37%, 12.3 M cycles/s, 0:12 left".
func (p *progress) line(runs int) string {
	return strings.Join(append([]string{fmt.Sprintf("%d of %d runs done", p.done, runs)}, p.describe(runs, describeRun)...), "  ")
}

// describeRun tells how far one run is.
func describeRun(e experiment.Event) string {
	text := fmt.Sprintf("%s seed %d:", e.Router, e.Seed)
	seconds := e.Wall.Seconds()
	if e.Cycle == 0 || seconds == 0 {
		return text + " starting"
	}
	if total := e.Workload.Records; total > 0 {
		share := min(float64(e.Records)/float64(total), 1)
		text += fmt.Sprintf(" %.0f%%,", 100*share)
		if share > 0 {
			text += " " + remaining(seconds*(1-share)/share) + ","
		}
	}
	return text + " " + rate(float64(e.Cycle)/seconds) + " cycles/s"
}

package main

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc"
)

// trafficProgress is the status line of points of synthetic traffic.
type trafficProgress struct {
	*statusLine
	tasks[openloop.Event]
	cycles noc.Cycle // of a point
}

// observe takes an event and redraws the line now and then.
func (p *trafficProgress) observe(e openloop.Event) {
	p.note(e.Task, e, e.Done)
	p.draw(e.Done, func() string { return p.line(e.Tasks) })
}

// line is "2 of 4 done  mrr load 0.3 seed 1: 37%, 0.9 M cycles/s".
func (p *trafficProgress) line(points int) string {
	parts := p.describe(points, func(e openloop.Event) string {
		text := fmt.Sprintf("%s load %g seed %d: %d%%", e.Router, e.Load, e.Seed, 100*e.Cycle/p.cycles)
		if seconds := e.Wall.Seconds(); e.Cycle > 0 && seconds > 0 {
			text += ", " + rate(float64(e.Cycle)/seconds) + " cycles/s"
		}
		return text
	})
	return strings.Join(append([]string{fmt.Sprintf("%d of %d done", p.done, points)}, parts...), "  ")
}

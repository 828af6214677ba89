package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc"
)

// trafficProgress draws one line about the points on their way. It is used on terminals only.
type trafficProgress struct {
	out     io.Writer
	columns int
	cycles  noc.Cycle // of a point
	active  map[int]openloop.Event
	done    int
	drawn   time.Time
}

func newTrafficProgress(out io.Writer, columns int, cycles noc.Cycle) *trafficProgress {
	return &trafficProgress{out: out, columns: columns, cycles: cycles, active: map[int]openloop.Event{}}
}

// observe takes an event and redraws the line now and then.
func (p *trafficProgress) observe(e openloop.Event) {
	if e.Done {
		delete(p.active, e.Task)
		p.done++
	} else {
		p.active[e.Task] = e
	}
	if now := time.Now(); e.Done || now.Sub(p.drawn) >= redraw {
		p.drawn = now
		fmt.Fprintf(p.out, "\r\x1b[K%s", clip(p.line(e.Tasks), p.columns-1))
	}
}

// clear removes the line.
func (p *trafficProgress) clear() { fmt.Fprint(p.out, "\r\x1b[K") }

// line is "2 of 4 done  mrr load 0.3 seed 1: 37%, 0.9 M cycles/s".
func (p *trafficProgress) line(tasks int) string {
	parts := []string{fmt.Sprintf("%d of %d done", p.done, tasks)}
	for i := range tasks { // in the order of the plan
		e, ok := p.active[i]
		if !ok {
			continue
		}
		text := fmt.Sprintf("%s load %g seed %d: %d%%", e.Router, e.Load, e.Seed, 100*e.Cycle/p.cycles)
		if seconds := e.Wall.Seconds(); e.Cycle > 0 && seconds > 0 {
			text += ", " + rate(float64(e.Cycle)/seconds) + " cycles/s"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}

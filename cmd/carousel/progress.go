package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// redraw is the least time between two drawings of the progress line.
const redraw = 200 * time.Millisecond

// progress draws one line about the runs on their way. It is used on terminals only.
type progress struct {
	out     io.Writer
	columns int
	active  map[int]experiment.Event
	done    int
	drawn   time.Time
}

func newProgress(out io.Writer, columns int) *progress {
	return &progress{out: out, columns: columns, active: map[int]experiment.Event{}}
}

// observe takes an event and redraws the line now and then.
func (p *progress) observe(e experiment.Event) {
	if e.Done {
		delete(p.active, e.Run)
		p.done++
	} else {
		p.active[e.Run] = e
	}
	if now := time.Now(); e.Done || now.Sub(p.drawn) >= redraw {
		p.drawn = now
		fmt.Fprintf(p.out, "\r\x1b[K%s", clip(p.line(e.Runs), p.columns-1))
	}
}

// clear removes the line.
func (p *progress) clear() { fmt.Fprint(p.out, "\r\x1b[K") }

// line is "2 of 4 runs done  mrr seed 1: 37%, 12.3 M cycles/s, 0:12 left".
func (p *progress) line(runs int) string {
	parts := []string{fmt.Sprintf("%d of %d runs done", p.done, runs)}
	for i := range runs { // in the order of the plan
		if e, ok := p.active[i]; ok {
			parts = append(parts, describe(e))
		}
	}
	return strings.Join(parts, "  ")
}

// describe tells how far one run is.
func describe(e experiment.Event) string {
	text := fmt.Sprintf("%s seed %d:", e.Router, e.Seed)
	seconds := e.Wall.Seconds()
	if e.Cycle == 0 || seconds == 0 {
		return text + " starting"
	}
	if total := e.Workload.Records; total > 0 {
		share := min(float64(e.Records)/float64(total), 1)
		text += fmt.Sprintf(" %.0f%%,", 100*share)
		if share > 0 {
			left := time.Duration(seconds * (1 - share) / share * float64(time.Second)).Round(time.Second)
			text += fmt.Sprintf(" %d:%02d left,", int(left.Minutes()), int(left.Seconds())%60)
		}
	}
	return text + " " + rate(float64(e.Cycle)/seconds) + " cycles/s"
}

// rate writes a number with a prefix for thousands or millions.
func rate(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.1f M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.0f k", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

// clip cuts a line to a terminal's width.
func clip(line string, columns int) string {
	if columns > 0 && len(line) > columns {
		return line[:columns]
	}
	return line
}

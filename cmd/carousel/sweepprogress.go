package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
)

// sweepProgress is the status line of the points of a sweep.
type sweepProgress struct {
	*statusLine
	tasks[sweep.Event]
	earlier int // done in an earlier sweep
	begun   time.Time
}

// observe takes an event and redraws the line now and then.
func (p *sweepProgress) observe(e sweep.Event) {
	if e.Done && e.Earlier {
		p.earlier++
	} else {
		p.note(e.Index, e, e.Done)
	}
	p.draw(false, func() string { return p.line(e.Points, time.Since(p.begun)) })
}

// line is "40 of 160 points done (12 earlier), 1:20 left  mrr, tornado, load 0.3, seed 1: 37%".
func (p *sweepProgress) line(points int, since time.Duration) string {
	text := fmt.Sprintf("%d of %d points done", p.done+p.earlier, points)
	if p.earlier > 0 {
		text += fmt.Sprintf(" (%d earlier)", p.earlier)
	}
	progress := float64(p.done)
	parts := p.describe(points, func(e sweep.Event) string {
		progress += e.Share
		return fmt.Sprintf("%s: %.0f%%", e.Label, 100*e.Share)
	})
	if progress > 0 {
		text += ", " + remaining(since.Seconds()*(float64(points-p.earlier)-progress)/progress)
	}
	return strings.Join(append([]string{text}, parts...), "  ")
}

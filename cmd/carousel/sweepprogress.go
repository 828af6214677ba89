package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
)

// sweepProgress draws one line about the points of a sweep. It is used on terminals only.
type sweepProgress struct {
	out           io.Writer
	columns       int
	active        map[int]sweep.Event
	done, earlier int
	begun, drawn  time.Time
}

func newSweepProgress(out io.Writer, columns int) *sweepProgress {
	return &sweepProgress{out: out, columns: columns, active: map[int]sweep.Event{}, begun: time.Now()}
}

// observe takes an event and redraws the line now and then.
func (p *sweepProgress) observe(e sweep.Event) {
	switch {
	case !e.Done:
		p.active[e.Index] = e
	case e.Earlier:
		p.earlier++
	default:
		delete(p.active, e.Index)
		p.done++
	}
	if now := time.Now(); now.Sub(p.drawn) >= redraw {
		p.drawn = now
		fmt.Fprintf(p.out, "\r\x1b[K%s", clip(p.line(e.Points, now.Sub(p.begun)), p.columns-1))
	}
}

// clear removes the line.
func (p *sweepProgress) clear() { fmt.Fprint(p.out, "\r\x1b[K") }

// line is "40 of 160 points done (12 earlier), 1:20 left  mrr, tornado, load 0.3, seed 1: 37%".
func (p *sweepProgress) line(points int, since time.Duration) string {
	text := fmt.Sprintf("%d of %d points done", p.done+p.earlier, points)
	if p.earlier > 0 {
		text += fmt.Sprintf(" (%d earlier)", p.earlier)
	}
	progress := float64(p.done)
	var parts []string
	for i := range points { // in the order of the plan
		if e, ok := p.active[i]; ok {
			progress += e.Share
			parts = append(parts, fmt.Sprintf("%s: %.0f%%", e.Label, 100*e.Share))
		}
	}
	if progress > 0 {
		left := time.Duration(since.Seconds() * (float64(points-p.earlier) - progress) / progress * float64(time.Second))
		text += fmt.Sprintf(", %d:%02d left", int(left.Minutes()), int(left.Seconds())%60)
	}
	return strings.Join(append([]string{text}, parts...), "  ")
}

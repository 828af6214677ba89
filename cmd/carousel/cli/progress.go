package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// progress is the status line of the points of a study.
type progress struct {
	*statusLine
	noun    string // what points are called: runs or points
	active  map[int]experiment.Event
	done    int
	earlier int // done by an earlier command
	begun   time.Time
}

// sayEvery is the time between two lines about a study where nobody watches a terminal, as in the
// log of a batch job.
const sayEvery = time.Minute

// say returns an observer that writes a line now and then.
func (p *progress) say(w io.Writer) func(experiment.Event) {
	last := p.begun
	return func(e experiment.Event) {
		p.note(e)
		if now := time.Now(); now.Sub(last) >= sayEvery {
			last = now
			fmt.Fprintln(w, p.line(e.Points, now.Sub(p.begun)))
		}
	}
}

// observe takes an event and redraws the line now and then.
func (p *progress) observe(e experiment.Event) {
	p.note(e)
	p.draw(e.Done && !e.Earlier, func() string { return p.line(e.Points, time.Since(p.begun)) })
}

// note takes an event.
func (p *progress) note(e experiment.Event) {
	switch {
	case e.Done && e.Earlier:
		p.earlier++
	case e.Done:
		delete(p.active, e.Index)
		p.done++
	case p.active == nil:
		p.active = map[int]experiment.Event{e.Index: e}
	default:
		p.active[e.Index] = e
	}
}

// line is "40 of 160 points done (12 earlier), 1:20 left mrr, tornado, load 0.3, seed 1: 37%, 2.5 M
// cycles/s".
func (p *progress) line(points int, since time.Duration) string {
	text := fmt.Sprintf("%d of %d %s done", p.done+p.earlier, points, p.noun)
	if p.earlier > 0 {
		text += fmt.Sprintf(" (%d earlier)", p.earlier)
	}
	progress := float64(p.done)
	var parts []string
	for i := range points {
		e, ok := p.active[i]
		if !ok {
			continue
		}
		progress += e.Share
		part := fmt.Sprintf("%s: %.0f%%", e.Label, 100*e.Share)
		if seconds := e.Wall.Seconds(); e.Cycles > 0 && seconds > 0 {
			part += ", " + rate(float64(e.Cycles)/seconds) + " cycles/s"
		}
		parts = append(parts, part)
	}
	if progress > 0 {
		text += ", " + remaining(since.Seconds()*(float64(points-p.earlier)-progress)/progress)
	}
	return strings.Join(append([]string{text}, parts...), "  ")
}

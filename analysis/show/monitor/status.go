package monitor

import (
	"fmt"
	"slices"
	"time"
)

// Status is everything that the page shows: the document status.json.
type Status struct {
	Title string `json:"title"`
	Place string `json:"results"`
	// Ended is how the computation ended; empty while it goes on.
	Ended       string `json:"ended"`
	Points      int    `json:"points"`
	Finished    int    `json:"finished"`
	Earlier     int    `json:"finished_earlier"` // of those, before this computation
	Failed      int    `json:"failed"`
	Interrupted int    `json:"interrupted"`
	Running     int    `json:"running"`
	Left        int    `json:"left"` // not started
	// Elapsed is since the beginning, SecondsLeft an estimate from the mean point so far, null
	// where there is none.
	Elapsed     float64  `json:"elapsed_seconds"`
	SecondsLeft *float64 `json:"seconds_left"`
	// Errors are the last failures, the last one first, and Ends the last points that ended.
	Errors []Point `json:"last_errors"`
	Ends   []Point `json:"last_ended"`
	List   []Point `json:"list"`
	// Networks are those under way, and Results what is known so far.
	Networks []Network `json:"networks"`
	Results  Results   `json:"results_so_far"`
}

// Point is a point in a status.
type Point struct {
	Index   int     `json:"index"`
	Label   string  `json:"label"`
	State   State   `json:"state"`
	Earlier bool    `json:"finished_earlier,omitempty"`
	Share   float64 `json:"share"`
	// Elapsed is since the point began, until now or its end; SecondsLeft an estimate for one under
	// way.
	Elapsed     float64  `json:"elapsed_seconds"`
	SecondsLeft *float64 `json:"seconds_left,omitempty"`
	// CyclesPerSecond is the speed of one under way.
	CyclesPerSecond float64 `json:"cycles_per_second,omitempty"`
	Reason          string  `json:"reason,omitempty"`
}

// How many of the last errors and ended points a status has.
const (
	lastErrors = 10
	lastEnds   = 10
)

// Status is how things are.
func (b *Board) Status() Status {
	points, looks, closed, now := b.snapshot()
	s := Status{Title: b.title, Place: b.place, Ended: closed, Points: len(points), Elapsed: now.Sub(b.started).Seconds(),
		Errors: []Point{}, Ends: []Point{}, List: make([]Point, len(points)), Networks: looks}
	if b.Results != nil {
		s.Results = b.Results()
	}
	progress := 0.0 // in points, of those done here
	for i := range points {
		p := &points[i]
		s.List[i] = p.status(now)
		progress += s.count(p)
	}
	if left := float64(len(points)-s.Earlier-s.Interrupted) - progress; progress > 0 && closed == "" {
		s.SecondsLeft = seconds(s.Elapsed * left / progress)
	}
	slices.SortFunc(points, func(a, b point) int { return b.order - a.order })
	for i := range points {
		p := &points[i]
		if p.order == 0 {
			break
		}
		if p.State == Failed && len(s.Errors) < lastErrors {
			s.Errors = append(s.Errors, s.List[p.Index])
		}
		if len(s.Ends) < lastEnds {
			s.Ends = append(s.Ends, s.List[p.Index])
		}
	}
	return s
}

// count adds a point to the counts and returns the share of it that this run has done.
func (s *Status) count(p *point) float64 {
	switch p.State {
	case Finished:
		s.Finished++
		if p.Earlier {
			s.Earlier++
			return 0
		}
		return 1
	case Failed:
		s.Failed++
		return 1
	case Interrupted:
		s.Interrupted++
	case Running:
		s.Running++
		return p.Share
	default:
		s.Left++
	}
	return 0
}

// status returns the point as status.json describes it.
func (p *point) status(now time.Time) Point {
	out := Point{Index: p.Index, Label: p.label, State: p.State, Earlier: p.Earlier, Share: p.Share, Elapsed: p.Wall.Seconds(), Reason: p.Reason}
	switch p.State {
	case Finished:
		out.Share = 1
	case Running:
		since := now.Sub(p.at).Seconds() // the last update
		if p.Share > 0 {
			out.SecondsLeft = seconds(out.Elapsed*(1-p.Share)/p.Share - since)
		}
		if p.Wall > 0 {
			out.CyclesPerSecond = float64(p.Cycles) / p.Wall.Seconds()
		}
		out.Elapsed += since
	}
	return out
}

func seconds(v float64) *float64 {
	v = max(v, 0)
	return &v
}

// clock writes a time in seconds as 1:02:03, 2:03 or 4.5 s.
func clock(s float64) string {
	if s < 9.95 {
		return fmt.Sprintf("%.1f s", s)
	}
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	h, m, sec := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, sec)
	}
	return fmt.Sprintf("%d:%02d", m, sec)
}

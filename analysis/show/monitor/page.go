package monitor

import (
	"cmp"
	"fmt"

	_ "embed"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

//go:embed page.js
var pageScript string

// shownPoints is how many points the page lists; status.json has all.
const shownPoints = 100

// page is the status as HTML: the progress, and the report on what has finished.
func (s *Status) page() []byte {
	var m sheet.Markup
	title := s.Title
	if s.Ended == "" && s.Points > 0 {
		title = fmt.Sprintf("%d %% %s", 100*(s.Finished+s.Failed)/s.Points, title)
	}
	m.Head(title, "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n", figures.Style())
	m.Text("<p id=\"gone\" hidden>No answer: the command has ended or cannot be reached. This is its last state.</p>\n<main>\n")
	m.Text("<h1>%s</h1>\n<p class=\"small\">results: %s; data for programs: <a href=\"status.json\">status.json</a></p>\n", s.Title, s.Place)
	s.progress(&m)
	s.networks(&m)
	m.WriteString(s.Results.Report)
	m.WriteString("</main>\n")
	m.End(pageScript)
	return m.Bytes()
}

// progress writes the bar of all points, their counts and the times, and the table of points.
func (s *Status) progress(m *sheet.Markup) {
	bar, counts := "", ""
	for _, state := range []State{Finished, earlier, Failed, Interrupted, Running, Waiting} {
		n, name := s.counts[state], cmp.Or(map[State]string{earlier: "finished earlier", Waiting: "left"}[state], string(state))
		bar += fmt.Sprintf("<span class=\"%s\" style=\"width:%.3f%%\"></span>", state, 100*float64(n)/float64(max(s.Points, 1)))
		if n > 0 || state == Finished || state == Failed {
			counts += fmt.Sprintf("<span><span class=\"swatch %s\"></span><b>%d</b> %s</span>", state, n, name)
		}
	}
	m.WriteString("<div class=\"bar\">" + bar + "</div>\n<p class=\"counts\">" + counts)
	m.Text("<span>of <b>%d</b> points</span></p>\n<p>", s.Points)
	switch {
	case s.Ended != "":
		m.Text("<b>%s</b> after %s", s.Ended, clock(s.Elapsed))
	case s.SecondsLeft != nil:
		m.Text("%s so far, about <b>%s</b> left", clock(s.Elapsed), clock(*s.SecondsLeft))
	default:
		m.Text("%s so far", clock(s.Elapsed))
	}
	m.Text("</p>\n")
	for i := range s.Errors {
		m.Text("<p class=\"stall\"><b>%s failed:</b> %s</p>\n", s.Errors[i].Label, s.Errors[i].Reason)
	}
	s.table(m, "Running", func(p *Point) bool { return p.State == Running }, true)
	s.table(m, "All points", func(*Point) bool { return true }, false)
}

// table writes points that open when the title is pressed.
func (s *Status) table(m *sheet.Markup, title string, keep func(*Point) bool, open bool) {
	t := sheet.New("point", "state", "done [%]", "cycles/s", "so far", "left")
	for i := range s.List {
		p := &s.List[i]
		if !keep(p) {
			continue
		}
		var left, speed any
		if p.CyclesPerSecond > 0 {
			speed = p.CyclesPerSecond
		}
		if p.SecondsLeft != nil {
			left = sheet.Digits(clock(*p.SecondsLeft))
		}
		t.Add(p.Label, string(p.shown()), sheet.Digits(fmt.Sprintf("%.0f", 100*p.Share)), speed, sheet.Digits(clock(p.Elapsed)), left)
	}
	if t.Cut(shownPoints); len(t.Rows) > 0 {
		m.Details(title, open, func() { m.Table(t) })
	}
}

// networks draws the networks of running points, and says why one stands still.
func (s *Status) networks(m *sheet.Markup) {
	const most = 4
	f := figures.Figure{Title: "Running networks", Note: "phits per cycle since the last update; the hottest link has a border"}
	for i := range s.Networks[:min(len(s.Networks), most)] {
		n := &s.Networks[i]
		if n.Stalled > 0 {
			m.Text("<p class=\"stall\"><b>%s has delivered nothing for %d cycles</b>, with %d copies in flight:</p>\n<ul>", n.Label, n.Stalled, n.InFlight)
			for _, w := range n.Waits {
				m.Text("<li>%s</li>", w)
			}
			m.Text("</ul>\n")
		}
		if g := &n.grid; n.Cycle > 0 && g.Columns > 0 && g.Columns*g.Rows == len(g.Nodes) {
			f.Panels = append(f.Panels, figures.Panel{Title: fmt.Sprintf("%s: %d copies in flight at cycle %d", n.Label, n.InFlight, n.Cycle), Grid: g})
		}
	}
	if len(f.Panels) > 0 {
		m.WriteString(f.Part())
	}
}

package monitor

import (
	"cmp"
	"fmt"

	_ "embed"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// mapPoints is how many points have a square of their own on the page; status.json has all.
const mapPoints = 5000

// markup is a page on its way.
type markup struct{ sheet.Markup }

// page is the status as HTML.
func (s *Status) page() []byte {
	var m markup
	m.Head(s.short()+s.Title, "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n", figures.Style()+pageStyle)
	m.Text("<p id=\"gone\" hidden>No answer: the command has ended or cannot be reached. This is its last state.</p>\n<main>\n")
	m.Text("<h1>%s</h1>\n<p class=\"small\">results: %s</p>\n", s.Title, s.Place)
	m.overall(s)
	m.underWay(s)
	m.results(&s.Results)
	m.networks(s)
	m.failures(s)
	m.ended(s)
	m.all(s)
	m.Text("<p class=\"small\">The same for programs: <a href=\"status.json\">status.json</a></p>\n</main>\n")
	m.End(pageScript)
	return m.Bytes()
}

// short writes the progress for the title of the window, such as "37 % ".
func (s *Status) short() string {
	if s.Ended != "" || s.Points == 0 {
		return ""
	}
	return fmt.Sprintf("%d %% ", 100*(s.Finished+s.Failed)/s.Points)
}

// overall writes the bar of all points, their counts and the times.
func (m *markup) overall(s *Status) {
	states := []State{Finished, earlier, Failed, Interrupted, Running, Waiting}
	m.Text("<div class=\"bar\">")
	for _, state := range states {
		if n := s.counts[state]; n > 0 {
			m.Text("<span class=\"%s\" style=\"width:%.3f%%\"></span>", string(state), 100*float64(n)/float64(s.Points))
		}
	}
	m.Text("</div>\n<div class=\"counts\">")
	for _, state := range states {
		text := cmp.Or(map[State]string{earlier: "finished earlier", Waiting: "left"}[state], string(state))
		if n := s.counts[state]; n > 0 || state == Finished || state == Failed {
			m.Text("<span><span class=\"swatch %s\"></span><b>%d</b> %s</span>", string(state), n, text)
		}
	}
	m.Text("<span>of <b>%d</b> points</span></div>\n<p>", s.Points)
	switch {
	case s.Ended != "":
		m.Text("<b>%s</b> after %s", s.Ended, clock(s.Elapsed))
	case s.SecondsLeft != nil:
		m.Text("%s so far, about <b>%s</b> left", clock(s.Elapsed), clock(*s.SecondsLeft))
	default:
		m.Text("%s so far", clock(s.Elapsed))
	}
	m.Text("</p>\n")
}

// underWay writes the table of the running points.
func (m *markup) underWay(s *Status) {
	if s.Running == 0 {
		return
	}
	m.Text("<h2>Running</h2>\n<div class=\"wide-table\"><table>\n<tr><th>point</th><th>done</th><th></th><th>cycles/s</th><th>so far</th><th>left</th></tr>\n")
	for i := range s.List {
		p := &s.List[i]
		if p.State != Running {
			continue
		}
		left, speed := "", ""
		if p.SecondsLeft != nil {
			left = clock(*p.SecondsLeft)
		}
		if p.CyclesPerSecond > 0 {
			speed = fmt.Sprintf("%.3g M", p.CyclesPerSecond/1e6)
		}
		m.Text("<tr><td>%s</td><td><div class=\"bar\"><span class=\"running\" style=\"width:%.1f%%\"></span></div></td><td class=\"n\">%.0f %%</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
			p.Label, 100*p.Share, 100*p.Share, speed, clock(p.Elapsed), left)
	}
	m.Text("</table></div>\n")
}

// networks draws the networks of running points, and says why one stands still.
func (m *markup) networks(s *Status) {
	const most = 4
	if len(s.Networks) == 0 {
		return
	}
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
		if g := &n.grid; g.Columns > 0 && g.Columns*g.Rows == len(g.Nodes) {
			f.Panels = append(f.Panels, figures.Panel{Title: fmt.Sprintf("%s: %d copies in flight at cycle %d", n.Label, n.InFlight, n.Cycle), Grid: g})
		} else {
			m.Text("<p>%s: %d copies in flight at cycle %d</p>\n", n.Label, n.InFlight, n.Cycle)
		}
	}
	m.figure(&f)
}

// figure writes a picture, if it can be drawn.
func (m *markup) figure(f *figures.Figure) {
	if part, err := f.Part(); err == nil {
		m.WriteString(part)
	}
}

// results writes the results so far.
func (m *markup) results(r *Results) {
	if len(r.Means.Rows) == 0 {
		return
	}
	m.Text("<h2>Results so far</h2>\n<div class=\"pictures\">\n")
	for i := range r.Pictures {
		m.figure(&r.Pictures[i])
	}
	m.Text("</div>\n")
	m.Table(&r.Means)
}

// failures writes the last errors.
func (m *markup) failures(s *Status) {
	if len(s.Errors) == 0 {
		return
	}
	m.Text("<h2>Last errors</h2>\n<table>\n")
	for i := range s.Errors {
		m.Text("<tr><td>%s<pre>%s</pre></td></tr>\n", s.Errors[i].Label, s.Errors[i].Reason)
	}
	m.Text("</table>\n")
}

// ended writes the points that ended last, with the time that they took.
func (m *markup) ended(s *Status) {
	if len(s.Ends) == 0 {
		return
	}
	m.Text("<h2>Finished last</h2>\n")
	table := sheet.New("point", "", "took")
	for _, p := range s.Ends {
		table.Add(p.Label, string(p.State), sheet.Digits(clock(p.Elapsed)))
	}
	m.Table(table)
}

// all writes a square for each point, in the order of the plan.
func (m *markup) all(s *Status) {
	m.Text("<h2>All points</h2>\n")
	if len(s.List) > mapPoints {
		m.Text("<p class=\"small\">The first %d; status.json has all.</p>\n", mapPoints)
	}
	m.Text("<div class=\"map\">")
	for i := range s.List[:min(len(s.List), mapPoints)] {
		p := &s.List[i]
		m.Text("<i class=\"%s\" title=\"%s: %s\"></i>", string(p.shown()), p.Label, string(p.shown()))
	}
	m.Text("</div>\n")
}

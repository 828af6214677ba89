package monitor

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/carousel-sim/carousel/analysis/show/figures"
)

// State is how far a point is.
type State string

// The states.
const (
	Waiting     State = "waiting"
	Running     State = "running"
	Finished    State = "finished"
	Failed      State = "failed"
	Interrupted State = "interrupted" // stopped on its way, or not started when the computation was stopped
)

// Point is what is known of a point, as it was when it was last told and in a status.
type Point struct {
	Index   int     `json:"index"` // position among the points, from 0
	Label   string  `json:"label"`
	State   State   `json:"state"`
	Earlier bool    `json:"finished_earlier,omitempty"` // before this computation began
	Share   float64 `json:"share"`                      // that is done of a running one
	// Elapsed is since the point began, until now or its end; SecondsLeft an estimate for one under
	// way.
	Elapsed     float64  `json:"elapsed_seconds"`
	SecondsLeft *float64 `json:"seconds_left,omitempty"`
	// CyclesPerSecond is the speed of one under way; 0 if its cycles are not counted.
	CyclesPerSecond float64 `json:"cycles_per_second,omitempty"`
	Reason          string  `json:"reason,omitempty"` // why it failed
}

// point is what the board keeps.
type point struct {
	Point
	at    time.Time // of the last update
	order int       // of ends: 1 for the first point that ended here; 0 for the others
}

// earlier is how a point is shown that was finished before this computation began.
const earlier State = "earlier"

// shown is the state by which a point is shown and counted.
func (p *Point) shown() State {
	if p.Earlier {
		return earlier
	}
	return p.State
}

// Board collects the state of every point, and answers requests.
type Board struct {
	http.ServeMux
	title, place string
	now          func() time.Time
	started      time.Time

	mutex  sync.Mutex
	points []point
	ends   int
	closed string    // how the computation ended
	until  time.Time // and when
	looks  map[int]*network
	// Results, if it is set, gives the results so far. It is called for each request, from any
	// goroutine.
	Results func() Results
}

// NewBoard makes a board for points with these names, in their order. The title says what is
// computed, and place where the results go.
func NewBoard(title, place string, labels []string) *Board {
	b := &Board{title: title, place: place, now: time.Now, started: time.Now(), points: make([]point, len(labels)), looks: map[int]*network{}}
	for i, label := range labels {
		b.points[i].Point = Point{Index: i, Label: label, State: Waiting}
	}
	b.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		answer(w, "text/html; charset=utf-8", b.Status().page())
	})
	b.HandleFunc("GET /status.json", func(w http.ResponseWriter, _ *http.Request) {
		content, _ := json.Marshal(b.Status()) // numbers and texts only: it cannot fail
		answer(w, "application/json", content)
	})
	return b
}

// Update takes what is new about a point, which keeps its label.
func (b *Board) Update(u Point) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	p := &b.points[u.Index]
	u.Label = p.Label
	p.Point, p.at = u, b.now()
	if (u.State == Finished || u.State == Failed) && !u.Earlier && p.order == 0 {
		b.ends++
		p.order = b.ends
	}
	if u.State != Running {
		delete(b.looks, u.Index)
	}
}

// End says how the computation ended, such as "done". The board keeps showing what it knows.
func (b *Board) End(how string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.closed, b.until = how, b.now()
}

// Look is a snapshot of the network of a running point. Counts are since the start of the point.
type Look struct {
	Cycle     uint64
	InFlight  int    // copies that it owes
	Delivered uint64 // copies that it has delivered
	// Phits of routers and links. Networks other than a torus or a mesh have no columns, and no map.
	Phits figures.Grid
	// Waits says which packets wait for what.
	Waits func() []string
}

// Network is the part of a status about the network of a running point.
type Network struct {
	Index    int    `json:"index"`
	Label    string `json:"label"`
	Cycle    uint64 `json:"cycle"`
	InFlight int    `json:"in_flight"`
	// Routers and Links are phits per cycle since the look before, and links in the order of
	// routers and ports.
	Routers []float64 `json:"routers,omitempty"`
	Links   []float64 `json:"links,omitempty"`
	// Stalled is the number of cycles since the last delivery, if copies are in flight, and Waits
	// lists the reasons.
	Stalled uint64   `json:"stalled_cycles,omitempty"`
	Waits   []string `json:"waits,omitempty"`
	grid    figures.Grid
}

// network is what the board remembers of the network of a running point.
type network struct {
	Network
	last  Look
	moved uint64 // the cycle at which something had last been delivered
	at    time.Time
}

const (
	lookEvery  = time.Second
	mostWaits  = 12
	stillAfter = 2000 // cycles without a delivery that are called a stall
)

// Due reports whether it is time to look at the network of a point again.
func (b *Board) Due(index int) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	n := b.looks[index]
	return n == nil || b.now().Sub(n.at) >= lookEvery
}

// Look takes a snapshot of the network of a running point. Waits is called at once if the network
// has delivered nothing for a while.
func (b *Board) Look(index int, l Look) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	old := b.looks[index]
	if old == nil || old.last.Cycle > l.Cycle {
		old = &network{moved: l.Cycle}
	}
	n := &network{Network: Network{Index: index, Label: b.points[index].Label, Cycle: l.Cycle, InFlight: l.InFlight}, moved: old.moved, at: b.now()}
	if l.Delivered != old.last.Delivered || l.InFlight == 0 {
		n.moved = l.Cycle
	} else if n.Stalled = l.Cycle - n.moved; n.Stalled >= stillAfter && l.Waits != nil {
		n.Waits = l.Waits()
		n.Waits = n.Waits[:min(len(n.Waits), mostWaits)]
	} else {
		n.Stalled = 0
	}
	if took := float64(l.Cycle - old.last.Cycle); took > 0 {
		n.grid = l.since(&old.last, took)
	} else {
		n.grid = old.grid
	}
	for _, link := range n.grid.Links {
		n.Links = append(n.Links, link.Value)
	}
	n.Routers = n.grid.Nodes
	l.Waits = nil
	n.last = l
	b.looks[index] = n
}

// since is the map of the phits per cycle since a look some cycles ago; the first look has none before
// it.
func (l *Look) since(before *Look, cycles float64) figures.Grid {
	g := l.Phits
	g.Nodes, g.Links = slices.Clone(g.Nodes), slices.Clone(g.Links)
	for i := range g.Nodes {
		if before.Phits.Nodes != nil {
			g.Nodes[i] -= before.Phits.Nodes[i]
		}
		g.Nodes[i] /= cycles
	}
	for i := range g.Links {
		if before.Phits.Links != nil {
			g.Links[i].Value -= before.Phits.Links[i].Value
		}
		g.Links[i].Value /= cycles
	}
	return g
}

// Results are what has been measured so far: a table, and a report about it as a part of a page.
type Results struct {
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
	Report string     `json:"-"`
}

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
	Networks []Network     `json:"networks"`
	Results  Results       `json:"results_so_far"`
	counts   map[State]int // of points as they are shown
}

// How many of the last errors and ended points a status has.
const (
	lastErrors = 10
	lastEnds   = 10
)

// Status is how things are.
func (b *Board) Status() *Status {
	b.mutex.Lock()
	points, now := slices.Clone(b.points), b.until
	s := &Status{Title: b.title, Place: b.place, Ended: b.closed, Points: len(points), Errors: []Point{}, Ends: []Point{}, List: []Point{}}
	if s.Ended == "" {
		now = b.now()
	}
	for i := range points {
		if n := b.looks[i]; n != nil {
			s.Networks = append(s.Networks, n.Network)
		}
	}
	b.mutex.Unlock()
	s.Elapsed = now.Sub(b.started).Seconds()
	if b.Results != nil {
		s.Results = b.Results()
	}
	counts, progress := map[State]int{}, 0.0 // in points, of those done here
	for i := range points {
		p := &points[i]
		s.List = append(s.List, p.status(now))
		if counts[p.shown()]++; p.State == Running {
			progress += p.Share
		}
	}
	s.Earlier, s.Failed, s.Interrupted, s.Running, s.Left = counts[earlier], counts[Failed], counts[Interrupted], counts[Running], counts[Waiting]
	s.Finished, s.counts = s.Earlier+counts[Finished], counts
	progress += float64(counts[Finished] + counts[Failed])
	if left := float64(len(points)-s.Earlier-s.Interrupted) - progress; progress > 0 && s.Ended == "" {
		s.SecondsLeft = seconds(s.Elapsed * left / progress)
	}
	points = slices.DeleteFunc(points, func(p point) bool { return p.order == 0 })
	slices.SortStableFunc(points, func(a, b point) int { return b.order - a.order })
	for _, p := range points {
		if p.State == Failed && len(s.Errors) < lastErrors {
			s.Errors = append(s.Errors, s.List[p.Index])
		}
		if len(s.Ends) < lastEnds {
			s.Ends = append(s.Ends, s.List[p.Index])
		}
	}
	return s
}

// status returns the point as status.json describes it.
func (p *point) status(now time.Time) Point {
	out := p.Point
	switch p.State {
	case Finished:
		out.Share = 1
	case Running:
		since := now.Sub(p.at).Seconds() // the last update
		if p.Share > 0 {
			out.SecondsLeft = seconds(p.Elapsed*(1-p.Share)/p.Share - since)
		}
		out.Elapsed += since
	}
	return out
}

func seconds(v float64) *float64 {
	v = max(v, 0)
	return &v
}

// clock writes a time in seconds as 1h2m3.4s.
func clock(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second / 10).String()
}

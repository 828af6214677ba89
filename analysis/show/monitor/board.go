package monitor

import (
	"slices"
	"sync"
	"time"
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

// Update says something new about a point.
type Update struct {
	Index   int // position among the points, from 0
	State   State
	Share   float64       // that is done of a running one
	Wall    time.Duration // since it began
	Cycles  uint64        // that were simulated; 0 if they are not counted
	Earlier bool          // it was finished before this computation began
	Reason  string        // why it failed
}

// point is what the board keeps.
type point struct {
	Update
	label string
	at    time.Time // of the last update
	order int       // of ends: 1 for the first point that ended here; 0 for the others
}

// Board collects the state of every point.
type Board struct {
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
	return newBoard(title, place, labels, time.Now)
}

func newBoard(title, place string, labels []string, now func() time.Time) *Board {
	b := &Board{title: title, place: place, now: now, started: now(), points: make([]point, len(labels)), looks: map[int]*network{}}
	for i, label := range labels {
		b.points[i] = point{Update: Update{Index: i, State: Waiting}, label: label}
	}
	return b
}

// Update takes what is new about a point.
func (b *Board) Update(u Update) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	p := &b.points[u.Index]
	p.Update, p.at = u, b.now()
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

// snapshot copies the board's state and returns it with the current time.
func (b *Board) snapshot() (points []point, looks []Network, closed string, now time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	closed, now = b.closed, b.until
	if closed == "" {
		now = b.now()
	}
	for i := range b.points {
		if n := b.looks[i]; n != nil {
			looks = append(looks, n.Network)
		}
	}
	return slices.Clone(b.points), looks, closed, now
}

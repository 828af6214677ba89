package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// What a worker is told, and what it tells.
const (
	idle    uint32 = iota
	offered        // a part waits
	begun          // somebody does it
	asleep
	stopped
)

// Numbers of looks at a state, of which each takes up to a nanosecond.
const (
	delay    = 2_000_000 // after which a part is late: more than parts of one task differ by
	patience = 200_000   // after which a worker without a part sleeps
	turn     = 1_000     // after which who waits lets others use its processor, if there are fewer than threads
)

// mostMissed is the number of tasks in a row that a worker misses only if it has no processor. It also misses tasks
// while it wakes up.
const mostMissed = 64

// A team pauses after it has waited for a late part: pauseFactor times as long as it has waited, and at least for
// shortest. It also pauses for shortest if a worker has no processor.
const shortest, pauseFactor = 50 * time.Millisecond, 16

// Team does the parts of one short task at the same time, some 100,000 times in a second: [Do] starts a
// goroutine for each task, which is too slow for tasks of a few microseconds. [NewTeam] starts the
// workers, [Team.Run] gives a task to them, and [Team.Stop] ends them.
//
// Between two tasks a worker spins. If no task comes for about 0.2 milliseconds, it sleeps. The caller of
// Run does the first part, and every other part that no worker has begun by then: a task does not
// wait for a worker that sleeps or has no processor. It does wait for a worker that loses its
// processor in the middle of a part. So a caller asks [Team.Ready] before each task, and does the
// task alone if the processors have other work.
type Team struct {
	workers    []*worker
	task       func(part int)
	processors int
	missed     int // tasks in a row of which the caller has done the part of a worker
	pausing    bool
	resume     time.Time // end of the last pause
}

// worker does one part of every task. The padding keeps the words of two workers out of one cache line.
type worker struct {
	_     [64]byte
	state atomic.Uint32
	_     [60]byte
	part  int
	wake  chan struct{}
	fault any // what a part panicked with
}

// NewTeam starts a team of some threads, with the one that calls Run.
func NewTeam(threads int) *Team {
	t := &Team{processors: runtime.GOMAXPROCS(0)}
	for part := 1; part < threads; part++ {
		t.workers = append(t.workers, &worker{part: part, wake: make(chan struct{}, 1)})
	}
	for _, w := range t.workers { // they read how many they are
		go t.work(w)
	}
	return t
}

// Threads returns the number of threads, with the caller's. A task has as many parts.
func (t *Team) Threads() int { return len(t.workers) + 1 }

// Ready reports whether the next task should be given to the team: each task of [Do] that
// runs has as many processors as the team has threads, and no worker was short of one lately.
func (t *Team) Ready() bool {
	if t.pausing && time.Since(t.resume) < 0 {
		return false
	}
	t.pausing = false
	return max(1, Running())*t.Threads() <= t.processors
}

// Run calls task with every part from 0 to Threads-1, and returns when all calls have returned. If
// calls panic, it panics with what one of them panicked with.
func (t *Team) Run(task func(part int)) {
	t.task = task
	for _, w := range t.workers {
		w.tell(offered)
	}
	task(0)
	missed := false
	for _, w := range t.workers {
		if w.state.CompareAndSwap(offered, begun) {
			task(w.part)
			w.state.Store(idle)
			missed = true
			continue
		}
		t.await(w)
		if w.fault != nil {
			panic(w.fault)
		}
	}
	if !missed {
		t.missed = 0
	} else if t.missed++; t.missed == mostMissed {
		t.pause(0)
	}
}

// await waits until a worker has done its part.
func (t *Team) await(w *worker) {
	var since time.Time
	for n := 1; w.state.Load() == begun; n++ {
		if n == delay {
			since = time.Now()
		}
		t.share(n)
	}
	if !since.IsZero() {
		t.pause(time.Since(since))
	}
}

// pause starts a pause after a wait for a late part, which is 0 if there was none.
func (t *Team) pause(wait time.Duration) {
	t.missed, t.pausing, t.resume = 0, true, time.Now().Add(max(shortest, pauseFactor*wait))
}

// share lets other goroutines run after some looks, if the team has fewer processors than threads. A
// yield takes several microseconds where the other threads wait as well.
func (t *Team) share(looks int) {
	if looks%turn == 0 && t.processors < t.Threads() {
		runtime.Gosched()
	}
}

// Stop ends the workers. The team must not be used after it.
func (t *Team) Stop() {
	for _, w := range t.workers {
		w.tell(stopped)
	}
}

// tell gives a worker a new state, and wakes it if it sleeps.
func (w *worker) tell(state uint32) {
	if w.state.Swap(state) == asleep {
		w.wake <- struct{}{}
	}
}

// work is the life of a worker.
func (t *Team) work(w *worker) {
	for n := 1; ; n++ {
		switch w.state.Load() {
		case offered:
			if w.state.CompareAndSwap(offered, begun) {
				w.do(t.task)
				w.state.CompareAndSwap(begun, idle) // unless the team was stopped, after a panic of the caller
				n = 1
			}
		case stopped:
			return
		default:
			if n >= patience && w.state.CompareAndSwap(idle, asleep) {
				<-w.wake
				n = 1
			}
			t.share(n)
		}
	}
}

// do does the part of a worker, and notes its panic for the caller.
func (w *worker) do(task func(int)) {
	defer func() {
		if r := recover(); r != nil {
			w.fault = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	task(w.part)
}

// Holder is the part of a network, or of something else with a step, that has a [Team] while a client holds it.
type Holder struct {
	Team *Team // once it has had a task
	held bool
}

// Hold begins or ends the time in which a client holds it. At the end its team stops.
func (h *Holder) Hold(held bool) {
	if h.held = held; h.Team != nil && !held {
		h.Team.Stop()
		h.Team = nil
	}
}

// TeamReady reports whether the next task should be given to a team of some threads: if it is held, and the team is
// ready or need not be.
func (h *Holder) TeamReady(threads int, always bool) bool {
	if !h.held {
		return false
	}
	if h.Team == nil {
		h.Team = NewTeam(threads)
	}
	return always || h.Team.Ready()
}

// Each does all parts of a task: each with a thread of the team, or one after the other.
func (h *Holder) Each(parts int, apart bool, task func(part int)) {
	if apart {
		h.Team.Run(task)
		return
	}
	for i := range parts {
		task(i)
	}
}

package parallel

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTeam: every part of every task is done once, before Run returns, by fewer processors than
// threads, and by workers that sleep.
func TestTeam(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(processors)
		team := NewTeam(3)
		counts := make([]int, team.Threads())
		tasks := 0
		for range 3 {
			for range 2000 {
				team.Run(func(part int) { counts[part]++ })
				tasks++
			}
			for part, n := range counts {
				if n != tasks {
					t.Fatalf("%d processors: part %d is done %d times in %d tasks", processors, part, n, tasks)
				}
			}
			asleep := func(w *worker) bool { return w.state.Load() == asleep }
			for begun := time.Now(); !asleep(team.workers[0]) && time.Since(begun) < 10*time.Second; {
				time.Sleep(time.Millisecond)
			}
			if !asleep(team.workers[0]) {
				t.Fatal("a worker without a task does not sleep")
			}
		}
		team.Stop()
		runtime.GOMAXPROCS(before)
	}
}

// TestTeamReady: a team is ready if each task that runs has a processor for every thread, and not
// soon after a delay.
func TestTeamReady(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	team := NewTeam(2)
	defer team.Stop()
	for jobs := 1; jobs <= 3; jobs++ {
		ready := make([]bool, jobs)
		all := make(chan struct{})
		Do(jobs, jobs, func(i int) {
			if i == jobs-1 {
				for Running() < jobs {
					runtime.Gosched()
				}
				ready[i] = team.Ready()
				close(all)
			}
			<-all
		})
		if ready[jobs-1] != (jobs <= 2) {
			t.Errorf("with %d tasks on 4 processors, a team of 2 threads is ready: %v", jobs, ready[jobs-1])
		}
	}
	begun := time.Now()
	team.pause(shortest / 10)
	for !team.Ready() {
	}
	if paused := time.Since(begun); paused < pauseFactor*shortest/10 {
		t.Errorf("after a wait of %v, the team pauses for %v; want at least %d times as long", shortest/10, paused, pauseFactor)
	}
}

// TestTeamMissed: a team whose worker begins no task does all of it, and pauses.
func TestTeamMissed(t *testing.T) {
	team := &Team{processors: 2, workers: []*worker{{part: 1}}}
	parts := 0
	for range mostMissed {
		if !team.Ready() {
			t.Fatalf("the team pauses after %d parts", parts)
		}
		team.Run(func(int) { parts++ })
	}
	if parts != 2*mostMissed || team.Ready() {
		t.Errorf("%d parts of %d tasks are done; the team is ready: %v", parts, mostMissed, team.Ready())
	}
}

// TestTeamPanic: the panic of a worker reaches the caller, with its text.
func TestTeamPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	team := NewTeam(2)
	defer team.Stop()
	defer func() {
		if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "broken") || !strings.Contains(text, "team_test.go") {
			t.Errorf("Run panics with %q", text)
		}
	}()
	started := make(chan struct{})
	team.Run(func(part int) {
		if part == 1 {
			close(started)
			panic("broken")
		}
		<-started // else the caller might do both parts
	})
}

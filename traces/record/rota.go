package record

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/carousel-sim/carousel/traces"
)

// rota lets instances of a program that run side by side take turns in a trace, by the time that
// they would take, so that they are at the same time of their execution in each window, whatever
// the host does.
type rota struct {
	changed *sync.Cond // with the converter's lock
	numbers map[uint32]int
	ended   []bool
	at      int
	turn    uint64 // time of a turn
	used    uint64
}

// A rough estimate of time, in halves of a cycle: one for each instruction, and what a miss of an
// L1 or of the L2 of the usual chip takes. Nothing overlaps with a fetch.
const (
	timeOfMiss, timeOfFetch, timeOfMemory = 30, 100, 520
	usualL1Ways, usualL2Ways              = 2, 16
)

// missed adds the time of an access, by how deep it was in its sets.
func (r *rota) missed(kind traces.Kind, l1, l2 int) {
	switch {
	case l1 < usualL1Ways:
		return
	case kind == traces.Fetch:
		r.used += timeOfFetch
	default:
		r.used += timeOfMiss
	}
	if l2 >= usualL2Ways {
		r.used += timeOfMemory
	}
}

func newRota(lock *sync.Mutex, c Config) *rota {
	return &rota{changed: sync.NewCond(lock), numbers: map[uint32]int{}, ended: make([]bool, c.Instances), turn: uint64(max(1, c.Turn))}
}

// started tells the number of an instance's process.
func (r *rota) started(process uint32, instance int) {
	r.changed.L.Lock()
	defer r.changed.L.Unlock()
	r.numbers[process] = instance
	r.changed.Broadcast()
}

// instance returns which instance a process is.
func (r *rota) instance(process uint32) int {
	r.changed.L.Lock()
	defer r.changed.L.Unlock()
	for {
		if i, known := r.numbers[process]; known {
			return i
		}
		r.changed.Wait()
	}
}

// wait waits for an instance's turn; the caller holds the lock.
func (r *rota) wait(instance int) {
	for r.at != instance && !r.ended[instance] {
		r.changed.Wait()
	}
}

// pass ends a turn when a message has used it up.
func (r *rota) pass(m *message) {
	switch {
	case m.kind == kindWork:
		r.used += m.value
	case m.kind <= kindDevice:
		r.used += uint64(m.instructions)
	}
	if r.used >= r.turn {
		r.next()
	}
}

func (r *rota) next() {
	r.used = 0
	for range r.ended {
		if r.at = (r.at + 1) % len(r.ended); !r.ended[r.at] {
			break
		}
	}
	r.changed.Broadcast()
}

// end takes an instance out of the rota.
func (r *rota) end(instance int) {
	r.ended[instance] = true
	if r.at == instance {
		r.next()
	}
	r.changed.Broadcast()
}

// endAll lets nobody wait any more.
func (r *rota) endAll() {
	r.changed.L.Lock()
	defer r.changed.L.Unlock()
	for i := range r.ended {
		r.ended[i] = true
	}
	r.changed.Broadcast()
}

// sideBySide records all instances at the same time. It returns how one of them failed, if one did.
func (s *session) sideBySide(ctx context.Context) (status string, err error) {
	k := s.converter
	running, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-k.windows.done:
		case <-running.Done():
		}
		k.rota.endAll()
		stop()
	}()
	list := s.listen(0)
	commands := make([]*exec.Cmd, s.config.Instances)
	for i := range commands {
		commands[i] = s.command(running, i)
		commands[i].Cancel = func() error { return commands[i].Process.Signal(syscall.SIGKILL) }
		if err := commands[i].Start(); err != nil {
			stop()
			for _, c := range commands[:i] {
				_ = c.Wait()
			}
			return "", errors.Join(err, list.wait(running))
		}
		k.rota.started(uint32(commands[i].Process.Pid), i)
	}
	var group sync.WaitGroup
	failed := make([]error, len(commands))
	for i, c := range commands {
		group.Go(func() {
			failed[i] = c.Wait()
			time.Sleep(100 * time.Millisecond) // if it has a stream, it is known now
			list.mutex.Lock()
			known := list.last[uint64(c.Process.Pid)] != nil
			list.mutex.Unlock()
			if !known {
				k.mutex.Lock()
				k.rota.end(i)
				k.mutex.Unlock()
			}
		})
	}
	group.Wait()
	err = list.wait(running)
	if k.windows.over() {
		s.last = RecordsReached
		return "", err
	}
	for _, f := range failed {
		var exit *exec.ExitError
		if errors.As(f, &exit) && ctx.Err() == nil {
			status = exit.String()
		}
	}
	return status, err
}

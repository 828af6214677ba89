package program

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// TestTogether: a program runs on the processor of its caller. Both have all processors back after a call, or when
// the network is no longer held. A program whose processors are fewer, or whose other threads work, keeps them.
func TestTogether(t *testing.T) {
	mask := func(pid int) (s unix.CPUSet) {
		must.Do(unix.SchedGetaffinity(pid, &s))
		return s
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := mask(0)
	if all.Count() < 2 {
		t.Skip("there is one processor")
	}
	n := must.Get(New(setup(compile(t, "source/relay.c"), topology.Torus(4, 4))))
	defer n.Close()
	call := func(what string, bound bool) {
		n.Offer(noc.Packet{Dst: noc.One(1), Phits: 1})
		n.Step(n.Now() + 1)
		caller, its, second := mask(0), mask(n.far.command.Process.Pid), mask(n.twin.command.Process.Pid)
		if bound && (caller.Count() != 1 || its != caller) || !bound && (caller != all || its != all) || second != all {
			t.Errorf("after %s: the caller has processors %v, the program %v, the second copy %v", what, caller, its, second)
		}
	}
	call("the first call, which is free", false)
	noc.Hold(n, true)
	n.far.beside.free = time.Now().Add(time.Minute)
	call("a call of a network that is held", true)
	n.far.beside.free = time.Now()
	call("a free call", false)
	n.far.beside.free = time.Now().Add(time.Minute)
	call("a call of a network that is held", true)
	noc.Hold(n, false)
	call("a call of a network that was held", false)
	worker := filepath.Join(t.TempDir(), "worker.c")
	must.Do(os.WriteFile(worker, []byte(`#include <pthread.h>
#include "relay.c"
static void *work(void *p) { for (volatile int i = 0;; i++) {} return p; }
__attribute__((constructor)) static void start(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); }
`), 0o600))
	n = must.Get(New(setup(compile(t, worker, "-pthread"), topology.Torus(4, 4))))
	defer n.Close()
	d := noctest.Drive(t, n, topology.Torus(4, 4), traffic.Config{Load: 0.3})
	for since := time.Now(); n.far.beside.able && time.Since(since) < time.Minute; {
		d.Run(n.Now() + 1)
	}
	if its := mask(n.far.command.Process.Pid); n.far.beside.able || its != all {
		t.Errorf("a program whose second thread works is bound; it has %d processors", its.Count())
	}
	var one unix.CPUSet
	for cpu := range 1024 {
		if all.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	n = must.Get(New(setup(n.setup.Path, topology.Torus(4, 4))))
	defer n.Close()
	program := n.far.command.Process.Pid
	must.Do(unix.SchedSetaffinity(program, &one))
	n.far.beside = together{}
	if n.far.beside.pair(program); n.far.beside.able {
		t.Error("a program with processors of its own is bound")
	}
}

// TestAnswersAreNotPolled: no poller of the process watches the pipe of answers.
func TestAnswersAreNotPolled(t *testing.T) {
	n := must.Get(New(setup(compile(t, "source/relay.c"), topology.Torus(4, 4))))
	defer n.Close()
	polled := fmt.Sprintf("tfd:%9d ", n.far.from.(*answerPipe).ready[0].Fd)
	for _, file := range must.Get(filepath.Glob("/proc/self/fdinfo/*")) {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), polled) {
			t.Errorf("%s has %q", file, polled)
		}
	}
}

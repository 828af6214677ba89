package program

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// together keeps the thread that calls a program and the first thread of the program on one processor during a
// call: to wake another processor takes longer than most calls. A program whose other threads work, or with
// processors of its own choice, is left alone.
type together struct {
	pid     int
	able    bool
	held    bool // calls come from one goroutine: its thread stays bound between them
	bound   bool // the calling thread, to the processor at
	at      int  // processor of the program; -1: any
	free    time.Time
	allowed unix.CPUSet // processors of threads that call
	// The program's threads are looked at in the release of the number next, and then ever more rarely: that
	// allocates memory.
	releases, next uint
}

// freeEvery is the time after which one call may use any processor, so that the system can move both to one
// that has nothing to do. The thread is unlocked then: Go's scheduler stops a goroutine of a locked thread that
// has run for 10 ms, and wakes two threads to go on with it.
const freeEvery = 8 * time.Millisecond

// pair prepares calls of a program that has started.
func (t *together) pair(pid int) {
	var its unix.CPUSet
	if unix.SchedGetaffinity(pid, &its) == nil && unix.SchedGetaffinity(0, &t.allowed) == nil {
		t.pid, t.at, t.able = pid, -1, its == t.allowed
	}
}

// begin binds both to the processor of the calling thread, if they should be. The caller then calls end.
func (t *together) begin() {
	if !t.able {
		return
	}
	if now := time.Now(); now.After(t.free) {
		t.free = now.Add(freeEvery)
		t.release()
		return
	}
	if t.bound {
		return
	}
	runtime.LockOSThread()
	var cpu uint32
	_, _, failed := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	var one unix.CPUSet
	one.Set(int(cpu))
	if failed == 0 && (t.at == int(cpu) || unix.SchedSetaffinity(t.pid, &one) == nil) {
		t.at = int(cpu)
		t.bound = unix.SchedSetaffinity(0, &one) == nil
	}
	if t.able = t.bound; !t.able {
		runtime.UnlockOSThread()
	}
}

// end gives the thread its processors back, unless it is held.
func (t *together) end() {
	if !t.bound || t.held {
		return
	}
	unix.SchedSetaffinity(0, &t.allowed)
	runtime.UnlockOSThread()
	t.bound = false
}

// hold keeps the thread of the calling goroutine bound between calls, until letGo: to bind it takes as long as a call.
func (t *together) hold() { t.held = true }

func (t *together) letGo() {
	t.held = false
	t.end()
}

// release lets the program use all processors, for good if its other threads work.
func (t *together) release() {
	held := t.held
	t.letGo()
	t.held = held
	runtime.Gosched()
	t.able = unix.SchedGetaffinity(0, &t.allowed) == nil && t.allowed.Count() > 1
	if t.at >= 0 && unix.SchedSetaffinity(t.pid, &t.allowed) != nil {
		t.able = false
	}
	if t.releases++; t.releases > t.next || !t.able {
		t.next = 2 * t.releases
		t.lookAtThreads()
	}
	t.at = -1
}

// lookAtThreads gives all threads of a bound program all processors, and finds out whether others than the
// first have worked.
func (t *together) lookAtThreads() {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(t.pid) + "/task/*")
	for _, thread := range threads {
		id, _ := strconv.Atoi(filepath.Base(thread))
		if t.at >= 0 && unix.SchedSetaffinity(id, &t.allowed) != nil {
			t.able = false
		}
		stat, _ := os.ReadFile(thread + "/stat")
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		// Of what follows the name, in 1/100 s: the times in the thread's own code and in the system.
		if f := bytes.Fields(rest); id != t.pid && len(f) > 12 && (string(f[11]) != "0" || string(f[12]) != "0") {
			t.able = false
		}
	}
}

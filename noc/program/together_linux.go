package program

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// together keeps the thread that calls a program and the first thread of the program on one processor during a
// call, or as long as its network is held: to wake another processor takes longer than most calls. A program whose
// other threads work, or with processors of its own choice, is left alone.
type together struct {
	pid     int
	able    bool
	held    bool // the network, by one goroutine
	bound   bool // the goroutine to its thread, and both sides to one processor
	free    time.Time
	allowed unix.CPUSet // processors of threads that call
	// The program's threads are looked at in the release of the number next, and then ever more rarely: that
	// allocates memory.
	releases, next uint
}

// freeEvery is the time after which one call may use any processor, so that the system can move both sides to one
// that has nothing to do. It is below 10 ms: Go's scheduler stops a goroutine that is bound for longer, and wakes
// two threads to go on with it.
const freeEvery = 8 * time.Millisecond

// pair prepares calls of a program that has started.
func (t *together) pair(pid int) {
	var its unix.CPUSet
	failed := cmp.Or(unix.SchedGetaffinity(pid, &its), unix.SchedGetaffinity(0, &t.allowed))
	t.pid, t.able = pid, failed == nil && its == t.allowed && its.Count() > 1
}

func (t *together) hold(held bool) {
	t.held = held
	t.release()
}

// end follows begin after the call.
func (t *together) end() {
	if !t.held {
		t.release()
	}
}

// begin binds both sides to the processor of the calling thread, if they should be.
func (t *together) begin() {
	if !t.able {
		return
	}
	if now := time.Now(); now.After(t.free) {
		t.free = now.Add(freeEvery)
		t.release()
		runtime.Gosched()
		return
	}
	if t.bound {
		return
	}
	runtime.LockOSThread()
	t.bound = true
	var cpu uint32
	_, _, failed := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	var one unix.CPUSet
	one.Set(int(cpu))
	if failed != 0 || unix.SchedSetaffinity(t.pid, &one) != nil || unix.SchedSetaffinity(0, &one) != nil {
		t.able = false
		t.release()
	}
}

// release lets both sides use all processors, for good if the program's other threads work.
func (t *together) release() {
	if !t.bound {
		return
	}
	unix.SchedSetaffinity(0, &t.allowed)
	runtime.UnlockOSThread()
	t.able = unix.SchedSetaffinity(t.pid, &t.allowed) == nil && t.able
	if t.releases++; t.releases > t.next || !t.able {
		t.next = 2 * t.releases
		t.lookAtThreads()
	}
	t.bound = false
}

// lookAtThreads gives all threads of a bound program all processors, and finds out whether others than the
// first have worked.
func (t *together) lookAtThreads() {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(t.pid) + "/task/*")
	for _, thread := range threads {
		id, _ := strconv.Atoi(filepath.Base(thread))
		if unix.SchedSetaffinity(id, &t.allowed) != nil {
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

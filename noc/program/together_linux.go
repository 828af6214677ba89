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
	pipe    [1]unix.PollFd // from the program
	able    bool
	at      int // processor of the program; -1: any
	free    time.Time
	allowed unix.CPUSet // processors of threads that call
	// The program's threads are looked at in the release of the number next, and then ever more rarely: that
	// allocates memory.
	releases, next uint
}

// freeEvery is the time after which one call may use any processor, so that the system can move both to one
// that has nothing to do.
const freeEvery = 20 * time.Millisecond

// pair prepares calls of a program that has started.
func (t *together) pair(pid int, pipe *os.File) {
	var its unix.CPUSet
	if unix.SchedGetaffinity(pid, &its) != nil || unix.SchedGetaffinity(0, &t.allowed) != nil {
		return
	}
	c, err := pipe.SyscallConn()
	if err == nil {
		err = c.Control(func(fd uintptr) { t.pipe[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN} })
	}
	t.pid, t.at, t.able = pid, -1, err == nil && its == t.allowed
}

// begin binds both to the processor of the calling thread, if they should be. The caller then calls end.
func (t *together) begin() bool {
	if !t.able {
		return false
	}
	if now := time.Now(); now.After(t.free) {
		t.free = now.Add(freeEvery)
		t.release()
		return false
	}
	runtime.LockOSThread()
	var cpu uint32
	_, _, failed := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	var one unix.CPUSet
	one.Set(int(cpu))
	if failed == 0 && (t.at == int(cpu) || unix.SchedSetaffinity(t.pid, &one) == nil) {
		t.at = int(cpu)
		if unix.SchedSetaffinity(0, &one) == nil {
			return true
		}
	}
	t.able = false
	runtime.UnlockOSThread()
	return false
}

// release lets the program use all processors, for good if its other threads work.
func (t *together) release() {
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

// wait waits in the calling thread for what the program sends, but not for ever: the pipe may be closed.
func (t *together) wait() { unix.Poll(t.pipe[:], 100) }

// end gives the thread its processors back.
func (t *together) end() {
	unix.SchedSetaffinity(0, &t.allowed)
	runtime.UnlockOSThread()
}

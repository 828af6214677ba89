package program

import (
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// together keeps the thread that calls a program and the program on one processor during a call: to wake
// another processor takes longer than most calls. A program of several threads, or with processors of its
// own choice, is left alone.
type together struct {
	pid     int
	pipe    [1]unix.PollFd // from the program
	able    bool
	at      int // processor of the program; -1: any
	free    time.Time
	allowed unix.CPUSet // processors of the calling thread
}

// freeEvery is the time after which one call may use any processor, so that the system can move both to one
// that has nothing to do.
const freeEvery = 20 * time.Millisecond

// pair prepares calls of a program that has started and made its threads.
func (t *together) pair(pid int, pipe *os.File) {
	threads, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	var its unix.CPUSet
	if err != nil || len(threads) != 1 || unix.SchedGetaffinity(pid, &its) != nil || unix.SchedGetaffinity(0, &t.allowed) != nil {
		return
	}
	c, err := pipe.SyscallConn()
	if err == nil {
		err = c.Control(func(fd uintptr) { t.pipe[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN} })
	}
	t.pid, t.at, t.able = pid, -1, err == nil && its == t.allowed && its.Count() > 1
}

// begin binds both to the processor of the calling thread, if they should be. The caller then calls end.
func (t *together) begin() bool {
	if !t.able {
		return false
	}
	if now := time.Now(); now.After(t.free) {
		t.free = now.Add(freeEvery)
		if t.at >= 0 {
			t.at, t.able = -1, unix.SchedSetaffinity(t.pid, &t.allowed) == nil
		}
		return false
	}
	runtime.LockOSThread()
	var cpu uint32
	_, _, failed := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	var one unix.CPUSet
	one.Set(int(cpu))
	if failed == 0 && unix.SchedGetaffinity(0, &t.allowed) == nil && t.allowed.Count() > 1 {
		if t.at == int(cpu) || unix.SchedSetaffinity(t.pid, &one) == nil {
			t.at = int(cpu)
			if unix.SchedSetaffinity(0, &one) == nil {
				return true
			}
		}
	}
	t.able = false
	runtime.UnlockOSThread()
	return false
}

// wait waits in the calling thread for what the program sends, but not for ever: the pipe may be closed.
func (t *together) wait() { unix.Poll(t.pipe[:], 100) }

// end gives the thread its processors back.
func (t *together) end() {
	unix.SchedSetaffinity(0, &t.allowed)
	runtime.UnlockOSThread()
}

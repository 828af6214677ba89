package riscv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// What system calls answer. The answers are those of Linux 6.18, which made the same calls.

// caller makes system calls of a machine, one after the other.
type caller struct {
	t     *testing.T
	m     *Machine
	texts uint64 // where the next text comes
}

// newCaller starts a program whose files are f, sub/g and links, and an empty folder.
func newCaller(t *testing.T) *caller {
	folder := t.TempDir()
	must.Do(os.MkdirAll(filepath.Join(folder, "sub", "empty"), 0o777))
	must.Do(os.WriteFile(filepath.Join(folder, "f"), []byte("hello world, this is a file\n"), 0o666))
	must.Do(os.WriteFile(filepath.Join(folder, "sub", "g"), []byte(strings.Repeat("x", 10000)), 0o666))
	for name, target := range map[string]string{"l": "f", "ls": "sub", "loop": "loop", "out": "../../etc/passwd", "up": "sub/../f", "far": "/f"} {
		must.Do(os.Symlink(target, filepath.Join(folder, name)))
	}
	config := DefaultConfig()
	config.Files = folder
	p := &program{t: t}
	p.call(94)
	return &caller{t: t, m: must.Get(Load("test", p.elf(), config)).start(), texts: dataAt + dataBytes/2}
}

// text puts a text into memory and returns its address.
func (c *caller) text(s string) int64 {
	at := c.texts
	c.m.memory.copyIn(at, append([]byte(s), 0))
	c.texts += uint64(len(s) + 1)
	return int64(at)
}

// words puts numbers of 8 bytes into memory and returns their address.
func (c *caller) words(values ...uint64) int64 {
	c.texts = (c.texts + 7) &^ 7
	at := c.texts
	c.m.memory.copyIn(at, words(values...))
	c.texts += uint64(8 * len(values))
	return int64(at)
}

// call makes a call.
func (c *caller) call(name string, arguments ...int64) int64 {
	c.t.Helper()
	h := c.m.harts[0]
	for number, call := range systemCalls {
		if call.name == name {
			h.r[17] = number
		}
	}
	if systemCalls[h.r[17]].name != name {
		c.t.Fatalf("there is no call %s", name)
	}
	clear(h.r[10:16])
	for i, a := range arguments {
		h.r[10+i] = uint64(a)
	}
	c.m.call(h)
	return int64(h.r[10])
}

// step is a call and its answer.
type step struct {
	name      string
	arguments []int64
	want      int64
}

// make makes calls and compares their answers.
func (c *caller) make(steps []step) {
	c.t.Helper()
	for i, s := range steps {
		if got := c.call(s.name, s.arguments...); got != s.want {
			c.t.Errorf("call %d, %s%#x: %d; Linux answers %d", i, s.name, s.arguments, got, s.want)
		}
		if c.m.fault != nil {
			c.t.Fatalf("call %d, %s%#x: %v", i, s.name, s.arguments, c.m.fault)
		}
	}
}

const here, spare = 0x50000000, 0x50020000 // addresses that are mapped, and not

// mmap, munmap, mprotect, mremap and brk.
func TestCallsOnAddresses(t *testing.T) {
	c := newCaller(t)
	end := int64(c.m.program.end)
	c.make([]step{
		{"mmap", []int64{here, 0x8000, 3, 0x32, -1, 0}, here},
		{"mmap", []int64{here, 0x1000, 3, 0x100022, -1, 0}, -exists},
		{"mmap", []int64{here + 0x10000, 0x1000, 3, 0x100022, -1, 0}, here + 0x10000},
		{"mmap", []int64{here + 1, 0x1000, 3, 0x32, -1, 0}, -badArgument},
		{"mmap", []int64{0x1000, 0x1000, 3, 0x32, -1, 0}, -notPermitted},
		{"mmap", []int64{0, 0, 3, 0x22, -1, 0}, -badArgument},
		{"mmap", []int64{0, 0x1000, 3, 0x20, -1, 0}, -badArgument}, // neither shared nor private
		{"mmap", []int64{0, 0x1000, 3, 0x23, -1, 0}, -badArgument},
		{"mmap", []int64{0, 0x1000, 3, 0x24, -1, 0}, -badArgument},
		{"mmap", []int64{0, 0x1000, 3, 0x22, -1, 1}, -badArgument},
		{"mmap", []int64{0, 1 << 62, 3, 0x22, -1, 0}, -noMemory},
		{"mmap", []int64{0, -1, 3, 0x22, -1, 0}, -noMemory},
		{"mmap", []int64{0, 0x1000, 3, 0x40022, -1, 0}, -noMemory}, // huge pages
		{"munmap", []int64{here + 1, 0x1000}, -badArgument},
		{"munmap", []int64{here, 0}, -badArgument},
		{"munmap", []int64{here, -1}, -badArgument},
		{"munmap", []int64{here + 0x10000, 0x1000}, 0},
		{"munmap", []int64{here + 0x10000, 0x1000}, 0}, // where nothing is any more
		{"mprotect", []int64{here + 0x10000, 0x1000, 3}, -noMemory},
		{"mprotect", []int64{here, 0, 3}, 0},
		{"mprotect", []int64{here + 1, 0, 3}, -badArgument},
		{"mprotect", []int64{here, 0x1000, 0x10}, -badArgument},
		{"mprotect", []int64{here, 0x1000, -1}, -badArgument},
		{"mprotect", []int64{here + 0x7000, 0x2000, 1}, -noMemory},
		{"mprotect", []int64{here, -4096, 1}, -noMemory},
		{"mprotect", []int64{here, 0x7000, 3}, 0},
		{"mremap", []int64{here, 0x8000, 0x4000, 0}, here},
		{"mprotect", []int64{here + 0x4000, 0x1000, 3}, -noMemory},
		{"mremap", []int64{here + 1, 0x4000, 0x4000, 0}, -badArgument},
		{"mremap", []int64{here, 0x4000, 0, 0}, -badArgument},
		{"mremap", []int64{here, 0x4000, 0x4000, 8}, -badArgument},
		{"mremap", []int64{here, 0x4000, 0x4000, 2}, -badArgument},
		{"mremap", []int64{spare, 0x4000, 0x2000, 0}, -badAddress},
		{"mremap", []int64{here, 0x4000, 0x8000, 0}, -noMemory},
		{"brk", []int64{0}, end},
		{"brk", []int64{end + 0x1800}, end + 0x1800},
		{"mmap", []int64{end + 0x4000, 0x1000, 3, 0x32, -1, 0}, end + 0x4000},
		{"brk", []int64{end + 0x8000}, end + 0x1800}, // it would meet the mapping
		{"brk", []int64{end + 0x3000}, end + 0x3000},
		{"brk", []int64{end - 1}, end + 0x3000},
		{"brk", []int64{end}, end},
	})
	for _, at := range []uint64{spare, here + 0x4000, here + 0x10000, uint64(end)} {
		if c.m.memory.states[at>>pageBits] != unmapped {
			t.Errorf("something is mapped to %#x", at)
		}
	}
	if s := c.m.memory.states[(here+0x7000)>>pageBits]; s != unmapped {
		t.Errorf("mprotect or mremap left state %b", s)
	}
}

// mmap without a file leaves nothing mapped, and what is behind the end of a file cannot be used.
func TestMappedFiles(t *testing.T) {
	c := newCaller(t)
	free := c.m.memory.clone().states
	c.make([]step{
		{"openat", []int64{-100, c.text("sub/g"), 0}, 3},
		{"openat", []int64{-100, c.text("sub"), 0}, 4},
		{"mmap", []int64{0, 0x1000, 3, 2, 77, 0}, -badFile},
		{"mmap", []int64{0, 0x1000, 3, 2, 1, 0}, -noDevice},
		{"mmap", []int64{0, 0x1000, 3, 2, 4, 0}, -noDevice},
		{"mmap", []int64{0, 0x1000, 3, 1, 3, 0}, -noAccess}, // shared and writable
		{"mmap", []int64{0, 0, 1, 2, 3, 0}, -badArgument},
	})
	if string(asBytes(free)) != string(asBytes(c.m.memory.states)) {
		t.Error("calls of mmap that fail have changed the address space")
	}
	c.make([]step{
		{"mmap", []int64{here, 0x4000, 3, 0x12, 3, 0x1000}, here},
		{"read", []int64{3, here + 0x2000, 1}, -badAddress}, // behind the file's end
		{"mprotect", []int64{here, 0x4000, 3}, 0},
		{"read", []int64{3, here + 0x2000, 1}, -badAddress},
		{"lseek", []int64{3, 0, 1}, 0},
		{"mmap", []int64{here + 0x10000, 0x1000, 1, 0x11, 3, 0}, here + 0x10000},
		{"mprotect", []int64{here + 0x10000, 0x1000, 3}, -noAccess},
	})
	for at, want := range map[uint64]uint64{here: 'x', here + 0x1000 + 10000%4096 - 1: 'x', here + 0x1000 + 10000%4096: 0} {
		if v, ok := c.m.memory.read(at, 0); !ok || v != want {
			t.Errorf("the mapping of the file has %d at %#x, %t; want %d", v, at, ok, want)
		}
	}
}

func asBytes(list []state) (b []byte) {
	for _, s := range list {
		b = append(b, byte(s))
	}
	return b
}

// madvise gives pages their first contents again, or the errors of Linux.
func TestAdvice(t *testing.T) {
	c := newCaller(t)
	c.make([]step{
		{"openat", []int64{-100, c.text("sub/g"), 0}, 3},
		{"mmap", []int64{here, 0x8000, 3, 0x32, -1, 0}, here},
		{"mmap", []int64{here + 0x10000, 0x4000, 3, 0x12, 3, 0x1000}, here + 0x10000}, // a file
		{"mmap", []int64{here + 0x14000, 0x1000, 1, 0x11, 3, 0}, here + 0x14000},      // a shared one
		{"mmap", []int64{here + 0x18000, 0x2000, 3, 0x31, -1, 0}, here + 0x18000},     // shared memory
		{"munmap", []int64{here + 0x11000, 0x1000}, 0},
		{"mmap", []int64{here + 0x11000, 0x1000, 3, 0x32, -1, 0}, here + 0x11000}, // in the middle of the file
	})
	const inStack, inCode = stackTop - 2*pageBytes, codeAt
	for _, w := range []struct {
		at     uint64
		advice int64
		want   uint64 // what is at the address, where 77 has been written
		answer int64
	}{
		{here, 4, 0, 0}, {here, 24, 0, 0}, {inStack, 4, 0, 0}, {dataAt, 4, 0, 0},
		{here + 0x10000, 4, 'x', 0}, {here + 0x11000, 4, 0, 0}, {here + 0x12000, 4, 0, 0}, // behind the file's end nothing can be written
		{here + 0x18000, 4, 77, 0}, {here + 0x18000, 9, 0, 0}, // shared memory stays, unless it is removed
		{here, 8, 77, 0}, {here + 0x10000, 8, 77, -badArgument}, {here + 0x18000, 8, 77, -badArgument},
		{here, 9, 77, -badArgument}, {here + 0x10000, 9, 77, -noAccess}, {here + 0x14000, 9, 'x', -noAccess},
		{here, 18, 77, 0}, {here + 0x10000, 18, 77, -badArgument}, {here + 0x18000, 18, 77, -badArgument},
		{here, 0, 77, 0}, {here, 1, 77, 0}, {here, 2, 77, 0}, {here, 3, 77, 0}, {here, 10, 77, 0}, {here, 11, 77, 0},
		{here, 14, 77, 0}, {here, 19, 77, 0}, {here, 20, 77, 0}, {here, 21, 77, 0}, {here, 22, 77, 0}, {here, 23, 77, 0},
		{here + 0x14000, 22, 'x', 0}, {here + 0x14000, 23, 'x', -badArgument}, {here + 0x13000, 22, 0, -badAddress},
		{here, 5, 77, -badArgument}, {here, 7, 77, -badArgument}, {here, 26, 77, -badArgument}, {here, 99, 77, -badArgument},
	} {
		c.m.memory.write(w.at, 0, 77)
		c.make([]step{{"madvise", []int64{int64(w.at), 1, w.advice}, w.answer}})
		if v, _ := c.m.memory.read(w.at, 0); v != w.want {
			t.Errorf("behind madvise(%#x, 1, %d) %d is there; Linux has %d", w.at, w.advice, v, w.want)
		}
	}
	c.m.memory.set(inCode>>pageBits, inCode>>pageBits+1, protection(7)|backed)
	old, _ := c.m.memory.read(inCode, 2)
	c.m.memory.write(inCode, 2, 77)
	c.make([]step{
		{"madvise", []int64{inCode, 4096, 4}, 0}, // the executable's own contents
		{"madvise", []int64{here + 1, 0x1000, 4}, -badArgument},
		{"madvise", []int64{here, 0, 4}, 0},
		{"madvise", []int64{here, 0, 99}, -badArgument},
		{"madvise", []int64{here + 0x7000, 0x2000, 4}, -noMemory},
		{"madvise", []int64{spare, 0x2000, 4}, -noMemory},
		{"madvise", []int64{spare, 0x2000, 22}, -noMemory},
		{"madvise", []int64{here, -1, 4}, -badArgument},
		{"madvise", []int64{here, -4096, 4}, -badArgument},
	})
	if v, _ := c.m.memory.read(inCode, 2); v != old {
		t.Errorf("the code has %#x behind MADV_DONTNEED; want %#x, as the executable", v, old)
	}
}

// Calls on files.
func TestCallsOnFiles(t *testing.T) {
	c := newCaller(t)
	buffer, edge := int64(dataAt), int64(dataAt+dataBytes-4)
	c.m.program.Config.Output = nil
	c.make([]step{
		{"openat", []int64{-100, c.text("/f"), 0}, 3},
		{"openat", []int64{-100, c.text("nofile"), 0}, -noEntry},
		{"openat", []int64{-100, c.text("out"), 0}, -noEntry}, // it leaves the folder, and so does the next
		{"openat", []int64{-100, c.text("far"), 0}, -noEntry},
		{"openat", []int64{-100, c.text("f/x"), 0}, -noFolder},
		{"openat", []int64{-100, c.text("f/"), 0}, -noFolder},
		{"openat", []int64{-100, c.text(""), 0}, -noEntry},
		{"openat", []int64{-100, 0, 0}, -badAddress},
		{"openat", []int64{-100, c.text("f"), openFolders}, -noFolder},
		{"openat", []int64{-100, c.text("l"), openNoLink}, -tooManyLinks},
		{"openat", []int64{-100, c.text("loop"), 0}, -tooManyLinks},
		{"openat", []int64{99, c.text("f"), 0}, -badFile},
		{"openat", []int64{3, c.text("f"), 0}, -noFolder},
		{"openat", []int64{-100, c.text("nofile"), 2}, -noEntry},
		{"openat", []int64{-100, c.text("new"), 0x41}, -readOnlyDisk},
		{"openat", []int64{-100, c.text("f"), 1}, -readOnlyDisk},
		{"openat", []int64{-100, c.text("sub"), 2}, -isFolder},
		{"openat", []int64{-100, c.text("f"), 0xc0}, -exists},
		{"openat", []int64{-100, c.text(strings.Repeat("a", 5000)), 0}, -longName},
		{"openat", []int64{-100, c.text(strings.Repeat("a", 300)), 0}, -longName},
		{"openat", []int64{-100, c.text("ls"), 0}, 4},
		{"openat", []int64{4, c.text("g"), 0}, 5},
		{"openat", []int64{4, c.text("../l"), 0}, 6},
		{"openat", []int64{-100, c.text("../f"), 0}, 7},
		{"close", []int64{6}, 0}, {"close", []int64{7}, 0}, {"close", []int64{7}, -badFile},
		{"read", []int64{4, buffer, 10}, -isFolder},
		{"read", []int64{77, buffer, 10}, -badFile},
		{"read", []int64{0, buffer, 10}, 0},
		{"read", []int64{3, 0, 10}, -badAddress},
		{"read", []int64{3, buffer, -1}, -badAddress},
		{"read", []int64{3, buffer, 0}, 0},
		{"read", []int64{3, buffer, 5}, 5},
		{"read", []int64{3, edge, 100}, 4}, // as much as there is room for
		{"lseek", []int64{3, 0, 1}, 9},
		{"read", []int64{3, edge + 4, 100}, -badAddress},
		{"lseek", []int64{3, 0, 0}, 0}, {"lseek", []int64{3, -1, 0}, -badArgument}, {"lseek", []int64{3, 100, 0}, 100},
		{"read", []int64{3, 0, 10}, 0}, // behind the end
		{"lseek", []int64{3, 0, 2}, 28}, {"lseek", []int64{3, -5, 2}, 23}, {"lseek", []int64{3, 0, 7}, -badArgument},
		{"lseek", []int64{3, 3, 3}, 3}, {"lseek", []int64{3, 3, 4}, 28}, {"lseek", []int64{3, 300, 3}, -noSuchPlace}, {"lseek", []int64{3, -3, 3}, -noSuchPlace},
		{"lseek", []int64{99, 0, 0}, -badFile}, {"lseek", []int64{1, 0, 0}, -seekPipe}, {"lseek", []int64{4, 0, 0}, 0},
		{"pread64", []int64{3, buffer, 4, -1}, -badArgument}, {"pread64", []int64{3, buffer, 4, 1000}, 0},
		{"pread64", []int64{3, buffer, 4, 3}, 4}, {"pread64", []int64{4, buffer, 4, 3}, -isFolder},
		{"write", []int64{3, buffer, 4}, -badFile}, {"write", []int64{77, buffer, 4}, -badFile},
		{"write", []int64{1, 0, 4}, -badAddress}, {"write", []int64{1, 0, 0}, 0}, {"write", []int64{1, buffer, -1}, -badAddress},
		{"write", []int64{1, edge, 100}, 4},
		{"writev", []int64{1, c.words(uint64(buffer), 1, 0, 5, uint64(buffer), 1), 3}, 1},
		{"writev", []int64{1, buffer, 0}, 0}, {"writev", []int64{1, buffer, 2000}, -badArgument}, {"writev", []int64{1, buffer, -1}, -badArgument},
		{"writev", []int64{1, 0, 2}, -badAddress}, {"writev", []int64{77, buffer, 1}, -badFile},
		{"writev", []int64{1, c.words(uint64(buffer), 1, uint64(buffer), 1<<64-1), 2}, -badArgument}, // and nothing is written
		{"lseek", []int64{3, 0, 0}, 0},
		{"readv", []int64{3, c.words(uint64(buffer), 1, uint64(buffer), 5, 0, 1), 3}, 6},
		{"readlinkat", []int64{-100, c.text("l"), buffer, 50}, 1}, {"readlinkat", []int64{-100, c.text("up"), buffer, 3}, 3},
		{"readlinkat", []int64{-100, c.text("f"), buffer, 50}, -badArgument}, {"readlinkat", []int64{-100, c.text("no"), buffer, 50}, -noEntry},
		{"readlinkat", []int64{-100, c.text("l"), buffer, 0}, -badArgument}, {"readlinkat", []int64{-100, c.text("l"), 0, 50}, -badAddress},
		{"faccessat", []int64{-100, c.text("f"), 4}, 0}, {"faccessat", []int64{-100, c.text("no"), 4}, -noEntry},
		{"faccessat", []int64{-100, c.text("f"), 2}, -readOnlyDisk}, {"faccessat", []int64{-100, c.text("f"), 1}, -noAccess}, {"faccessat", []int64{-100, c.text("sub"), 1}, 0},
		{"dup", []int64{99}, -badFile}, {"dup3", []int64{3, 3, 0}, -badArgument}, {"dup3", []int64{3, 5000, 0}, -badFile}, {"dup3", []int64{99, 50, 0}, -badFile},
		{"dup3", []int64{3, 50, 0}, 50}, {"lseek", []int64{50, 4, 0}, 4}, {"lseek", []int64{3, 0, 1}, 4}, // they share a position
		{"fcntl", []int64{3, 0, 60}, 60}, {"fcntl", []int64{3, 0, 100000}, -badArgument}, {"fcntl", []int64{99, 1}, -badFile}, {"fcntl", []int64{3, 1}, 0},
		{"fcntl", []int64{3, 3}, 0x8000}, {"fcntl", []int64{1, 3}, 0x8001},
		{"close", []int64{50}, 0}, {"close", []int64{50}, -badFile}, {"ioctl", []int64{99, 0x5401}, -badFile}, {"ioctl", []int64{1, 0x5401}, -noTerminal},
		{"close", []int64{0}, 0}, {"openat", []int64{-100, c.text("f"), 0}, 0},
		{"close", []int64{1}, 0}, {"write", []int64{1, buffer, 1}, -badFile}, {"dup", []int64{2}, 1}, {"write", []int64{1, buffer, 1}, 1},
	})
	for n := int64(6); n < mostOpen; n++ {
		if n != 60 {
			c.make([]step{{"openat", []int64{-100, c.text("f"), 0}, n}})
		}
	}
	c.make([]step{{"openat", []int64{-100, c.text("f"), 0}, -tooManyFiles}, {"dup", []int64{3}, -tooManyFiles}, {"prlimit64", []int64{0, 7, 0, buffer}, 0}})
	if v, _ := c.m.memory.read(uint64(buffer), 3); v != mostOpen {
		t.Errorf("the limit of open files is %d; want %d", v, mostOpen)
	}
}

// stat describes files, folders and links.
func TestDescriptions(t *testing.T) {
	const noFollow, mayBeEmpty = 0x100, 0x1000
	c := newCaller(t)
	c.make([]step{
		{"openat", []int64{-100, c.text("f"), 0}, 3},
		{"fstat", []int64{99, dataAt}, -badFile}, {"fstat", []int64{3, 0}, -badAddress},
		{"newfstatat", []int64{-100, c.text(""), dataAt, 0}, -noEntry}, {"newfstatat", []int64{99, c.text(""), dataAt, mayBeEmpty}, -badFile},
		{"newfstatat", []int64{-100, c.text("nodir/../f"), dataAt, 0}, -noEntry},
		{"newfstatat", []int64{-100, c.text("out"), dataAt, 0}, -noEntry},
	})
	for _, w := range []struct {
		number     int64
		name       string
		flags      int64
		mode, size uint64
	}{
		{1, "", mayBeEmpty, 0o020620, 0}, {3, "", mayBeEmpty, 0o100444, 28}, {-100, "l", 0, 0o100444, 28}, {-100, "l", noFollow, 0o120777, 1},
		{-100, "out", noFollow, 0o120777, 16}, {-100, "ls/", noFollow, 0o040555, 0}, {-100, "up", 0, 0o100444, 28}, {-100, "sub/empty/../../f", 0, 0o100444, 28},
		{-100, "sub/empty", 0, 0o040555, 0}, {-100, ".", 0, 0o040555, 0}, {-100, "/..", 0, 0o040555, 0}, {-100, "ls/g", 0, 0o100444, 10000},
	} {
		c.make([]step{{"newfstatat", []int64{w.number, c.text(w.name), dataAt, w.flags}, 0}})
		mode, _ := c.m.memory.read(dataAt+16, 2)
		size, _ := c.m.memory.read(dataAt+48, 3)
		if mode != w.mode || size != w.size {
			t.Errorf("%q, flags %#x: mode %o and %d bytes; want %o and %d", w.name, w.flags, mode, size, w.mode, w.size)
		}
	}
}

// Times that are none, and words that cannot be slept on.
func TestCallsWithTimes(t *testing.T) {
	c := newCaller(t)
	word, short := c.words(3), c.words(0, 5)
	much, negative, early := c.words(0, 1e9), c.words(0, 1<<64-1), c.words(1<<64-1, 0)
	c.make([]step{
		{"nanosleep", []int64{much, 0}, -badArgument}, {"nanosleep", []int64{negative, 0}, -badArgument}, {"nanosleep", []int64{early, 0}, -badArgument},
		{"nanosleep", []int64{0, 0}, -badAddress},
		{"clock_nanosleep", []int64{77, 0, short, 0}, -badArgument}, {"clock_nanosleep", []int64{3, 0, short, 0}, -notSupported},
		{"clock_nanosleep", []int64{1, 0, early, 0}, -badArgument},
		{"clock_gettime", []int64{77, dataAt}, -badArgument}, {"clock_gettime", []int64{10, dataAt}, -badArgument}, {"clock_gettime", []int64{1, 0}, -badAddress},
		{"clock_getres", []int64{1, 0}, 0}, {"clock_getres", []int64{77, 0}, -badArgument},
		{"futex", []int64{word, 0x80, 4, 0}, -tryAgain}, {"futex", []int64{word + 1, 0x80, 3, short}, -badArgument},
		{"futex", []int64{word, 0x80, 3, much}, -badArgument}, {"futex", []int64{word, 0x80, 3, early}, -badArgument}, {"futex", []int64{word, 0x80, 3, 8}, -badAddress},
		{"futex", []int64{word, 0x89, 3, short, 0, 0}, -badArgument}, // no bits
		{"futex", []int64{word, 0x81, 1}, 0}, {"futex", []int64{word, 0x8a, 1, 0, 0, 0}, -badArgument}, {"futex", []int64{word, 0x8a, 1, 0, 0, 1}, 0},
		{"futex", []int64{8, 0x81, 1}, 0}, {"futex", []int64{8, 0x80, 1, 0}, -badAddress},
		{"futex", []int64{word, 0x84, 1, 1, word, 4}, -tryAgain}, {"futex", []int64{word, 0x84, 1, 1, word, 3}, 0},
		{"futex", []int64{word, 0x84, -1, 1, word, 3}, -badArgument}, {"futex", []int64{word, 0x83, 1, -1, word, 3}, -badArgument},
		{"futex", []int64{word, 0x180, 1}, -noCall},
		{"sched_getaffinity", []int64{0, 7, dataAt}, -badArgument}, {"sched_getaffinity", []int64{0, 1, dataAt}, -badArgument},
		{"getrandom", []int64{dataAt, 300, 0}, 300}, {"getrandom", []int64{dataAt, 300, 64}, -badArgument}, {"prlimit64", []int64{0, 99, 0, dataAt}, -badArgument},
	})
}

// The stacks of all threads fit between heap and first stack: 8 MiB each, as on Linux, where there is room.
func TestStacksOfManyThreads(t *testing.T) {
	c := newCaller(t)
	for threads, want := range map[int]uint64{1: 8 << 20, 64: 8 << 20, 256: 2976 << 10, 1024: 744 << 10} {
		c.m.harts = make([]*hart, threads)
		if failed := c.m.limits(3, dataAt); failed != 0 {
			t.Fatal(failed)
		}
		if v, _ := c.m.memory.read(dataAt, 3); v != want {
			t.Errorf("%d threads have stacks of %d bytes; want %d", threads, v, want)
		}
	}
}

// Handlers and masks of signals are told as they were set.
func TestSignalsAreKept(t *testing.T) {
	c := newCaller(t)
	read := func(at int64) uint64 { v, _ := c.m.memory.read(uint64(at), 3); return v }
	action, mask, old := c.words(1, 0x10000000, 5), c.words(6), c.words(7, 7, 7)
	c.make([]step{{"rt_sigaction", []int64{10, action, old, 8}, 0}})
	if read(old) != 0 || read(old+16) != 0 {
		t.Error("a signal has a handler from the start")
	}
	c.make([]step{{"rt_sigaction", []int64{10, 0, old, 8}, 0}})
	if read(old) != 1 || read(old+16) != 5 {
		t.Errorf("the handler is %d with mask %d; want 1 and 5", read(old), read(old+16))
	}
	c.make([]step{
		{"rt_sigaction", []int64{9, action, 0, 8}, -badArgument}, {"rt_sigaction", []int64{0, 0, old, 8}, -badArgument},
		{"rt_sigaction", []int64{70, 0, old, 8}, -badArgument}, {"rt_sigaction", []int64{10, action, 0, 4}, -badArgument},
		{"rt_sigprocmask", []int64{0, mask, 0, 8}, 0}, {"rt_sigprocmask", []int64{1, c.words(2 | 1<<8), 0, 8}, 0},
		{"rt_sigprocmask", []int64{9, mask, 0, 8}, -badArgument}, {"rt_sigprocmask", []int64{2, mask, 0, 4}, -badArgument},
		{"rt_sigprocmask", []int64{9, 0, old, 8}, 0},
	})
	if read(old) != 4 {
		t.Errorf("the mask is %#x; want 4", read(old))
	}
}

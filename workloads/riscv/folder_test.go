package riscv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// reads makes a program that opens a file and writes what it reads from it.
func reads(t *testing.T, name string) []byte {
	p := &program{t: t}
	p.set(s0, dataAt)
	for i := 0; i < len(name); i++ {
		p.set(t0, int(name[i]))
		p.S("sb", s0, t0, i)
	}
	p.set(a0, -100)
	p.set(a1, dataAt)
	p.set(a2, 0)
	p.call(56)
	p.set(a1, dataAt+256)
	p.set(a2, 100)
	p.call(63)
	p.I("addi", a2, a0, 0)
	p.set(a0, 1)
	p.call(64)
	exits(0)(p)
	return p.elf()
}

// The digest of a program tells folders apart that the program can tell apart: by names, contents,
// texts of links, what links lead to, and empty folders. It depends on nothing else.
func TestDigestOfFiles(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	link := func(name, target string) func() {
		return func() {
			_ = os.Remove(at(name))
			must.Do(os.Symlink(target, at(name)))
		}
	}
	config := DefaultConfig()
	config.Files = folder
	content := reads(t, "in")
	seen := map[string]string{}
	last := ""
	for _, c := range []struct {
		name   string
		change func()
		same   bool
	}{
		{"nothing", func() {}, false},
		{"two files", func() {
			must.Do(os.WriteFile(at("a"), []byte("A\n"), 0o666))
			must.Do(os.WriteFile(at("b"), []byte("B\n"), 0o666))
		}, false},
		{"a link to one", link("in", "a"), false},
		{"a link to the other", link("in", "b"), false},
		{"a link to nothing", link("in", "c"), false},
		{"a link out of the folder", link("in", "../c"), false},
		{"an empty folder", func() { must.Do(os.Mkdir(at("empty"), 0o777)) }, false},
		{"another name", func() { must.Do(os.Rename(at("empty"), at("void"))) }, false},
		{"a file instead", func() { must.Do(os.Remove(at("void"))); must.Do(os.WriteFile(at("void"), nil, 0o666)) }, false},
		{"a link to a folder", func() { must.Do(os.Mkdir(at("one"), 0o777)); must.Do(os.Mkdir(at("two"), 0o777)); link("dir", "one")() }, false},
		{"a link to another folder", link("dir", "two"), false},
		{"another content", func() { must.Do(os.WriteFile(at("b"), []byte("C\n"), 0o666)) }, false},
		{"other modes and times", func() {
			must.Do(os.Chmod(at("b"), 0o600))
			must.Do(os.Chtimes(at("b"), time.Unix(1, 0), time.Unix(1, 0)))
		}, true},
	} {
		c.change()
		digest := must.Get(Load("test", content, config)).Digest
		if c.same != (digest == last) {
			t.Errorf("%s: the digest is the one before: %t; want %t", c.name, digest == last, c.same)
		}
		if before := seen[digest]; before != "" && !c.same {
			t.Errorf("%s: the digest is that with %s", c.name, before)
		}
		last, seen[digest] = digest, c.name
	}
}

// A program follows links in its folder.
func TestProgramsFollowLinks(t *testing.T) {
	folder := t.TempDir()
	must.Do(os.Mkdir(filepath.Join(folder, "sub"), 0o777))
	must.Do(os.WriteFile(filepath.Join(folder, "sub", "b"), []byte("B\n"), 0o666))
	must.Do(os.Symlink("sub/../dir/b", filepath.Join(folder, "in")))
	must.Do(os.Symlink("sub", filepath.Join(folder, "dir")))
	config := DefaultConfig()
	config.Files = folder
	if got, _, err := finish(t, reads(t, "in"), config); err != nil || got != "B\n" {
		t.Errorf("the program reads %q, %v; want B", got, err)
	}
}

// A file that changes between its digest and its reading ends the program.
func TestFilesThatChange(t *testing.T) {
	for name, change := range map[string]func(path string){
		"another content": func(path string) { must.Do(os.WriteFile(path, []byte("B\n"), 0o666)) },
		"another length": func(path string) {
			must.Do(os.WriteFile(path, []byte("longer\n"), 0o666))
			must.Do(os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		},
		"another file": func(path string) {
			must.Do(os.WriteFile(path+"2", []byte("A\n"), 0o666))
			must.Do(os.Chtimes(path+"2", time.Unix(1, 0), time.Unix(1, 0)))
			must.Do(os.Rename(path+"2", path))
		},
		"no file": func(path string) { must.Do(os.Remove(path)) },
	} {
		path := filepath.Join(t.TempDir(), "in")
		must.Do(os.WriteFile(path, []byte("A\n"), 0o666))
		must.Do(os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		config := DefaultConfig()
		config.Files = filepath.Dir(path)
		m := must.Get(Load("test", reads(t, "in"), config)).start()
		change(path)
		err := m.run(t.Context(), func() bool { return false })
		if err == nil || !strings.Contains(err.Error(), `its file "in" cannot be read`) || !strings.Contains(err.Error(), "start the command again") {
			t.Errorf("%s: the program ends with %v", name, err)
		}
	}
}

// A pipe is not opened: without a writer, opening it would not end.
func TestPipesAreNotOpened(t *testing.T) {
	folder := t.TempDir()
	if err := exec.Command("mkfifo", filepath.Join(folder, "in")).Run(); err != nil {
		t.Skip("needs mkfifo: ", err)
	}
	config := DefaultConfig()
	config.Files = folder
	_, _, err := finish(t, reads(t, "in"), config)
	if want := `it opens "in" of its folder, which is neither a file nor a folder; replace it by a file`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the program ends with %v; want %s", err, want)
	}
}

// A folder is refused for what is too large in it before that is read, and if it is none.
func TestFoldersThatAreRefused(t *testing.T) {
	folder := t.TempDir()
	large := filepath.Join(folder, "large")
	must.Do(os.WriteFile(large, nil, 0o666))
	must.Do(os.Truncate(large, 40<<30))
	for place, want := range map[string]string{folder: "large and the files before it have 42949672960 bytes, and 2147483648 are allowed", large: "not a directory", folder + "/none": "no such file"} {
		config := DefaultConfig()
		config.Files = place
		if _, err := Load("test", reads(t, "in"), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %s", filepath.Base(place), err, want)
		}
	}
}

// widest is the longest text that was written at once.
type widest struct{ bytes int }

func (w *widest) Write(b []byte) (int, error) {
	w.bytes = max(w.bytes, len(b))
	return len(b), nil
}

// Open files take no memory, and calls that read or write much copy a little at a time.
func TestFilesTakeLittleMemory(t *testing.T) {
	const bytes = 64 << 20
	folder, out := t.TempDir(), &widest{}
	must.Do(os.WriteFile(filepath.Join(folder, "big"), nil, 0o666))
	must.Do(os.Truncate(filepath.Join(folder, "big"), bytes))
	c := newCaller(t)
	config := DefaultConfig()
	config.Files, config.Output = folder, out
	p := &program{t: t}
	p.call(94)
	c.m = must.Get(Load("test", p.elf(), config)).start()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	name := c.text("big")
	for n := int64(3); n < mostOpen; n++ {
		c.make([]step{{"openat", []int64{-100, name, 0}, n}})
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8<<20 {
		t.Errorf("%d open files take %d bytes", mostOpen, taken)
	}
	c.make([]step{
		{"mmap", []int64{here, bytes, 3, 0x32, -1, 0}, here},
		{"read", []int64{3, here, bytes}, bytes},
	})
	runtime.ReadMemStats(&before)
	c.make([]step{
		{"read", []int64{4, here, bytes}, bytes}, // the pages are there now
		{"write", []int64{1, here, bytes}, bytes},
	})
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > bytes/8 || out.bytes > someBytes {
		t.Errorf("calls for %d bytes take %d bytes, and write %d at once", bytes, taken, out.bytes)
	}
}

// Decoded instructions take memory for so many pages only, and are right behind any number of
// pages.
func TestDecodedCodeIsBounded(t *testing.T) {
	const pages = 3 * mostCode / 2
	m := newMemory()
	m.set(16, 16+pages, protection(7))
	for round := range 2 {
		for n := range uint64(pages) {
			at := (16 + n) << pageBits
			raw := encode(t, "addi", a0, zero, 0, int(n)&0x7ff)
			m.write(at, 2, uint64(raw))
			if in := m.instruction(at); in == nil || in.raw != raw {
				t.Fatalf("round %d, page %d: the instruction is %v; want %#x", round, n, in, raw)
			}
		}
	}
	count := func() (n int) {
		for _, p := range m.pages {
			if p != nil && p.code != nil {
				n++
			}
		}
		return n
	}
	if n := count(); n != mostCode {
		t.Errorf("%d pages have decoded instructions; want %d", n, mostCode)
	}
	m.unmap(16, 18)
	if m.forgetCode(); count() != 0 || len(m.coded) != 0 {
		t.Errorf("%d pages have decoded instructions when all are forgotten", count())
	}
}

// A call asks whether the program is to stop, so that long ones do not delay that.
func TestCallsStop(t *testing.T) {
	var out bytes.Buffer
	p := &program{t: t}
	p.set(a0, 0)
	p.call(172)
	p.I("jal", zero, 0, -4) // the same call for ever
	config := DefaultConfig()
	config.Output = &out
	m := must.Get(Load("test", p.elf(), config)).start()
	calls := 0
	m.host.Stopped = func() error {
		if calls++; calls == 10 {
			return os.ErrDeadlineExceeded
		}
		return nil
	}
	m.harts[0].forward(1 << 20)
	if m.fault != os.ErrDeadlineExceeded || calls != 10 {
		t.Errorf("behind %d calls the program has stopped because of %v", calls, m.fault)
	}
}

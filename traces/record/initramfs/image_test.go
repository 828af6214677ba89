package initramfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// unpack reads an archive as plainly as possible: every entry as "mode path size", and the
// contents.
func unpack(t *testing.T, b []byte) (list []string, content map[string]string) {
	t.Helper()
	content = map[string]string{}
	field := func(at, i int) int {
		n := must.Get(strconv.ParseUint(string(b[at+6+8*i:at+14+8*i]), 16, 32))
		return int(n)
	}
	for at := 0; ; {
		if string(b[at:at+6]) != "070701" {
			t.Fatalf("no entry at byte %d", at)
		}
		mode, size, length := field(at, 1), field(at, 6), field(at, 11)
		name := string(b[at+110 : at+110+length-1])
		start := (at + 110 + length + 3) &^ 3
		if name == "TRAILER!!!" {
			return list, content
		}
		list = append(list, fmt.Sprintf("%o %s %d:%d", mode, name, field(at, 9), field(at, 10)))
		content[name] = string(b[start : start+size])
		at = (start + size + 3) &^ 3
	}
}

var time0 = time.Unix(1, 0)

func archived(t *testing.T, m *Image) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil || n != int64(b.Len()) || n%4 != 0 {
		t.Fatalf("%d bytes told, %d written: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"five": "12345", "sub/six": "123456"} {
		at := filepath.Join(folder, name)
		must.Do(os.MkdirAll(filepath.Dir(at), 0o750))
		must.Do(os.WriteFile(at, []byte(text), 0o640))
	}
	must.Do(os.Symlink("sub/six", filepath.Join(folder, "link")))
	must.Do(os.Chmod(folder, 0o700))
	m := New()
	m.Device("/dev/console", 0o600, 5, 1)
	m.File("/etc/deep/file", 0o644, []byte("text"))
	m.Link("/bin/sh", "busybox")
	must.Do(m.Copy(folder, "/data"))
	must.Do(m.Copy(filepath.Join(folder, "link"), "/followed"))
	first := archived(t, m)
	list, content := unpack(t, first)
	want := []string{"40755 bin 0:0", "120777 bin/sh 0:0", "40700 data 0:0", "100640 data/five 0:0", "120777 data/link 0:0",
		"40750 data/sub 0:0", "100640 data/sub/six 0:0", "40755 dev 0:0", "20600 dev/console 5:1", "40755 etc 0:0", "40755 etc/deep 0:0",
		"100644 etc/deep/file 0:0", "100640 followed 0:0"}
	if !slices.Equal(list, want) {
		t.Errorf("%q\nwant\n%q", list, want)
	}
	for name, text := range map[string]string{"bin/sh": "busybox", "data/five": "12345", "data/link": "sub/six", "followed": "123456", "etc/deep/file": "text"} {
		if content[name] != text {
			t.Errorf("%s has %q; want %q", name, content[name], text)
		}
	}
	must.Do(os.Chtimes(filepath.Join(folder, "five"), time0, time0))
	if !bytes.Equal(first, archived(t, m)) {
		t.Error("the archive depends on more than its contents")
	}
	must.Do(os.Truncate(filepath.Join(folder, "five"), 2))
	if _, err := m.WriteTo(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "2 of 5 bytes") {
		t.Errorf("a file that became shorter: %v", err)
	}
}

// TestNeeds: a program brings its loader and libraries, a script its interpreter.
func TestNeeds(t *testing.T) {
	if _, err := os.Stat(standardLoader); err != nil {
		t.Skip("this computer has no ", standardLoader)
	}
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	must.Do(os.WriteFile(script, []byte("#!/usr/bin/env -S sh\n"), 0o755))
	m := New()
	must.Do(m.Copy(script, "/script"))
	all := strings.Join(m.paths(), " ")
	for _, want := range []string{"/script", "/usr/bin/env", standardLoader, "libc.so.6", "/sh"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in %s", want, all)
		}
	}
	if err := New().Copy(filepath.Join(folder, "nothing"), "/x"); !os.IsNotExist(err) {
		t.Error(err)
	}
	if err := New().Copy("/dev/null", "/x"); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Error(err)
	}
}

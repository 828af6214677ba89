package wholefile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// names lists a folder, hidden files included.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func content(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	return string(text)
}

// TestWhole: the old content stays until the new one is complete, and readers of all users may read
// it.
func TestWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(WriteBytes(path, []byte("old")))
	err := Write(path, func(to io.Writer) error {
		_, err := io.WriteString(to, "new")
		if got := content(t, path); got != "old" {
			t.Errorf("while the file is being written, it is %q", got)
		}
		return err
	})
	if err != nil || content(t, path) != "new" {
		t.Errorf("%v; the file is %q", err, content(t, path))
	}
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestModeOfReplacedFile: a file that its owner keeps from others stays so.
func TestModeOfReplacedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(os.WriteFile(path, []byte("old"), 0o600))
	must.Do(WriteBytes(path, []byte("new")))
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestFailure: when the content fails, nothing is left of it, and the error is passed on.
func TestFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("broken")
	err := Write(path, func(to io.Writer) error {
		_, _ = io.WriteString(to, "half")
		return broken
	})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if list := names(t, filepath.Dir(path)); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestSeveral: sealed files appear together, and an aborted one never does.
func TestSeveral(t *testing.T) {
	folder := t.TempDir()
	var files []*File
	for _, name := range []string{"a", "b", "c"} {
		f := must.Get(Create(filepath.Join(folder, name)))
		must.Do(f.Seal())
		files = append(files, f)
	}
	for _, name := range names(t, folder) {
		if !strings.HasPrefix(name, ".") {
			t.Errorf("%s is there before it is placed", name)
		}
	}
	for _, f := range files[:2] {
		if err := f.Place(); err != nil {
			t.Error(err)
		}
		f.Abort() // does nothing
	}
	files[2].Abort()
	if err := SyncFolder(folder); err != nil {
		t.Error(err)
	}
	if list := names(t, folder); strings.Join(list, " ") != "a b" {
		t.Errorf("there are %v", list)
	}
}

// TestErrorsNameTheFile: nobody knows the temporary name.
func TestErrorsNameTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing", "file")
	folder := filepath.Join(t.TempDir(), "folder")
	must.Do(os.MkdirAll(filepath.Join(folder, "full"), 0o700))
	for path, err := range map[string]error{missing: Probe(missing), folder: WriteBytes(folder, nil)} {
		var detail *fs.PathError
		if !errors.As(err, &detail) || detail.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	if list := names(t, filepath.Dir(folder)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestFilesOfOthersStay: no writer removes or changes a file that it has not made, whatever the name. A
// file of which another writer has only written a part stays, too.
func TestFilesOfOthersStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	first := must.Get(createNamed(path, 0o644))
	defer first.Abort()
	others := []string{".file.20261126", ".file.carousel-1", ".carousel-20261126", "carousel-1"}
	for _, name := range others {
		must.Do(os.WriteFile(filepath.Join(dir, name), []byte("precious"), 0o600))
	}
	must.Do(Probe(path))
	must.Do(WriteBytes(path, []byte("second")))
	must.Do(WriteBytes(path, []byte("third"))) // which replaces the second
	must.Do(first.Commit())
	for _, name := range others {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != "precious" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if list := names(t, dir); len(list) != len(others)+1 {
		t.Errorf("there are %v", list)
	}
}

// TestNamedFiles: a file with a temporary name behaves as one without, where there is no other.
func TestNamedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second"} { // which replaces the first
		f := must.Get(createNamed(path, 0o600))
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil || content(t, path) != text {
			t.Errorf("%v; the file is %q", err, content(t, path))
		}
	}
	f := must.Get(createNamed(path, 0o600))
	f.Abort()
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestReopen: a sealed file can be read before it has its name.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f := must.Get(Create(path))
	defer f.Abort()
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	must.Do(f.Seal())
	again := must.Get(f.Reopen())
	defer again.Close()
	if got, err := io.ReadAll(again); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file has its name: %v", err)
	}
}

// TestKilledWriterLeavesNothing: of a file that has no name until it is complete nothing is left, and
// what it was to replace stays. The test program runs itself as the writer.
func TestKilledWriterLeavesNothing(t *testing.T) {
	const variable = "WHOLEFILE_WRITES"
	if path := os.Getenv(variable); path != "" {
		f := must.Get(Create(path))
		if _, err := f.WriteString("half"); err != nil || f.Seal() != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("written\n")
		select {}
	}
	path := filepath.Join(t.TempDir(), "file")
	if f := openUnnamed(path); f == nil {
		t.Skip("files need names here")
	} else {
		f.Close()
	}
	for _, before := range []string{"", "old"} {
		if before != "" {
			must.Do(WriteBytes(path, []byte(before)))
		}
		writer := exec.Command(os.Args[0], "-test.run=^TestKilledWriterLeavesNothing$")
		writer.Env = append(os.Environ(), variable+"="+path)
		out := must.Get(writer.StdoutPipe())
		must.Do(writer.Start())
		if _, err := io.ReadFull(out, make([]byte, len("written\n"))); err != nil {
			t.Fatal(err)
		}
		writer.Process.Kill()
		writer.Wait()
		list := names(t, filepath.Dir(path))
		if before == "" && len(list) > 0 || before != "" && (len(list) != 1 || content(t, path) != before) {
			t.Errorf("before %q; left behind: %v", before, list)
		}
	}
}

// TestLargeFilesAreRefused: a sparse file of any size takes no memory.
func TestLargeFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(os.WriteFile(path, nil, 0o600))
	must.Do(os.Truncate(path, TextBytes))
	if content, err := Read(path, TextBytes); len(content) != TextBytes || err != nil {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	must.Do(os.Truncate(path, 1<<40))
	if _, err := Read(path, TextBytes); err == nil || !strings.Contains(err.Error(), path+": the file is longer than 16 MiB") {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Digest(stopped, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDigest: the digest is that of the whole content, of any length.
func TestDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, bytes := range []int{0, 3, 1 << 20, 3<<20 + 5} {
		content := []byte(strings.Repeat("x", bytes))
		must.Do(os.WriteFile(path, content, 0o600))
		if got := must.Get(Digest(context.Background(), path)); got != fmt.Sprintf("%x", sha256.Sum256(content)) {
			t.Errorf("%d bytes: %s", bytes, got)
		}
	}
}

// TestOpenRefusesPipes: a pipe without a writer, a device without end and standard input are refused
// at once, by name.
func TestOpenRefusesPipes(t *testing.T) {
	paths := []string{"-"}
	if runtime.GOOS != "windows" {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := exec.Command("mkfifo", pipe).Run(); err != nil {
			t.Skip("needs mkfifo: ", err)
		}
		paths = append(paths, pipe, "/dev/zero")
	}
	for _, path := range paths {
		if _, err := Read(path, TextBytes); !errors.Is(err, ErrNoFile) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

package packed

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// compressions returns the plain bytes and their compressed forms by name, except bzip2, which
// Go's library does not write.
func compressions(t testing.TB, plain []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"plain": plain}
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err == nil {
			_, err = w.Write(plain)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	return all
}

// zipped returns an archive of members in this order.
func zipped(t testing.TB, members ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, m := range members {
		w, err := z.Create(fmt.Sprintf("chunk.%04d", i))
		if err == nil {
			_, err = w.Write(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(z.Close())
	return b.Bytes()
}

func TestRead(t *testing.T) {
	want := bytes.Repeat([]byte("twelve bytes"), 1000)
	for name, b := range compressions(t, want) {
		r, err := NewReader(name, bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		r.Close()
		if name != "plain" {
			cut(t, name, b, want)
		}
	}
}

// cut shortens a compressed file at every byte: what is read is a beginning, and then comes an
// error.
func cut(t *testing.T, name string, b, want []byte) {
	t.Helper()
	for n := 6; n < len(b); n++ {
		r, err := NewReader(name, bytes.NewReader(b[:n]))
		if err != nil {
			if !errors.Is(err, traces.ErrTruncated) && !errors.Is(err, traces.ErrCorrupt) {
				t.Errorf("%s cut to %d: %v", name, n, err)
			}
			continue
		}
		got, err := io.ReadAll(r)
		if err == nil || !bytes.HasPrefix(want, got) {
			t.Errorf("%s cut to %d of %d: %d bytes, %v", name, n, len(b), len(got), err)
		}
		if _, condition := Condition(err); err != nil && condition == nil {
			t.Errorf("%s cut to %d: %v has no condition", name, n, err)
		}
		r.Close()
	}
}

// What bzip2 made of "twelve bytes".
const bzipped = "425a683931415926535986ec70020000041180400012040da02000220346d420c988bae6d4008f17724538509086ec7002"

// TestReadingOfPlainBytesCanBeStopped: a small file may decompress to so much that the next read of
// the file itself comes too late to ask for an interrupt.
func TestReadingOfPlainBytesCanBeStopped(t *testing.T) {
	content := make([]byte, 8<<20)
	files := compressions(t, content)
	files["zip"] = zipped(t, content)
	for name, stored := range files {
		path := filepath.Join(t.TempDir(), name)
		must.Do(os.WriteFile(path, stored, 0o600))
		stop, opened := errors.New("stop"), false
		r := must.Get(Open(path, func(bytes int) error {
			if opened && bytes == 0 {
				return stop
			}
			return nil
		}))
		opened = true
		defer r.Close()
		if n, err := io.Copy(io.Discard, r); name != "plain" && (n > 1<<20 || !errors.Is(err, stop)) {
			t.Errorf("%s: %d bytes are read, %v", name, n, err)
		}
	}
}

func TestBzip2(t *testing.T) {
	b := must.Get(hex.DecodeString(bzipped))
	r := must.Get(NewReader("x", bytes.NewReader(b)))
	if got, err := io.ReadAll(r); err != nil || string(got) != "twelve bytes" {
		t.Errorf("%q, %v", got, err)
	}
	cut(t, "bzip2", b, []byte("twelve bytes"))
}

func TestZip(t *testing.T) {
	want := bytes.Repeat([]byte("twelve bytes"), 300)
	b := zipped(t, want[:1000], nil, want[1000:])
	path := filepath.Join(t.TempDir(), "x")
	for n := len(b); n > 4; n -= 7 {
		must.Do(os.WriteFile(path, b[:n], 0o600))
		r, err := Open(path, nil)
		if n < len(b) {
			if !errors.Is(err, traces.ErrTruncated) {
				t.Fatalf("cut to %d of %d: %v", n, len(b), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		r.Close()
	}
}

// TestCutNotes: a note names the files in which a cut would not show, at most three of them.
func TestCutNotes(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must.Do(os.WriteFile(path, content, 0o600))
		return path
	}
	plain, zip := write("a", []byte("0 1\n")), write("b.zip", zipped(t, []byte("0 1\n")))
	gz := write("c.gz", compressions(t, []byte("0 1\n"))["gzip"])
	for want, paths := range map[string][]string{
		"": {zip, gz}, "no end mark: the file may be cut off (a)": {zip, plain, gz},
		"no end mark: the file may be cut off (a, a, a, 2 more)": {plain, plain, plain, plain, plain},
	} {
		if got := strings.Join(CutNotes(paths...), "; "); got != want {
			t.Errorf("%d files: %q, want %q", len(paths), got, want)
		}
	}
}

func TestLargeDictionaryIsRefused(t *testing.T) {
	// The heads of xz streams whose first block wants 4 GiB - 1 and 4 KiB.
	for _, c := range []struct {
		head string
		ok   bool
	}{{"fd377a585a000004e6d6b446" + "0200210128000000", false}, {"fd377a585a000004e6d6b446" + "02c08001" + "05210128000000", false},
		{"fd377a585a000004e6d6b446" + "0200210100000000", true}} {
		b, err := hex.DecodeString(c.head)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewReader("x", bytes.NewReader(b))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.head, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, b := range compressions(f, []byte("a few bytes, a few bytes")) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := NewReader("fuzz", bytes.NewReader(b)); err == nil {
			_, _ = io.CopyN(io.Discard, r, 1<<20)
			r.Close()
		}
	})
}

// TestDamagedPlaces: a head that leads behind the end of the file is no end of what it holds.
func TestDamagedPlaces(t *testing.T) {
	plain := bytes.Repeat([]byte("twelve bytes"), 100)
	b := compressions(t, plain)["xz"]
	b[12] = 0x82 // a quarter of the length of the block's head
	r, err := NewReader("x", bytes.NewReader(b))
	if err == nil {
		_, err = io.ReadAll(r)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("xz: %v", err)
	}
	b = zipped(t, plain)
	at := bytes.LastIndex(b, []byte("chunk.0000"))
	b[at-3] = 0x40 // of the offset of the file's own head
	path := filepath.Join(t.TempDir(), "x")
	must.Do(os.WriteFile(path, b, 0o600))
	if _, err := OpenFor(path, traces.ImportConfig{}); !errors.Is(err, traces.ErrTruncated) {
		t.Errorf("zip: %v", err)
	}
	b = zipped(t, plain)
	copy(b[len(b)-14:], "\x00\x00\x00\x00\x00\x00") // files in the list, and its length
	must.Do(os.WriteFile(path, b, 0o600))
	if _, err := OpenFor(path, traces.ImportConfig{}); !errors.Is(err, traces.ErrCorrupt) && !errors.Is(err, traces.ErrTruncated) {
		t.Errorf("zip without a list: %v", err)
	}
}

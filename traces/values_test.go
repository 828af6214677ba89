package traces_test

import (
	"bytes"
	"hash/crc32"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// withValues is a file in which an earlier program has stored what accesses read and wrote.
func withValues(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/values.trace")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFileWithValues: all else in the file is read, and a copy is a file without values.
func TestFileWithValues(t *testing.T) {
	want := [][]traces.Record{
		{{Kind: traces.Store, Address: 0x10, Size: 2, Instructions: 1}, {Address: 0x10, Size: 1, Instructions: 1}, {Address: 0x20, Size: 3, Instructions: 1},
			{Address: 0x18, Size: 3, Instructions: 2}, {Kind: traces.End}},
		{{Address: 0x40, Instructions: 1}, {Kind: traces.Store, Address: 0x80, Size: 3, Instructions: 1}, {Kind: traces.End}},
	}
	file := withValues(t)
	f := tracetest.Open(t, file)
	if _, err := f.Verify(); err != nil || !f.SkipsValues() || f.Version() != "2.0" {
		t.Errorf("%v; version %s, values skipped: %v", err, f.Version(), f.SkipsValues())
	}
	if got := tracetest.Read(t, file); !reflect.DeepEqual(got.Records, want) {
		t.Errorf("%+v", got.Records)
	}
	var copied bytes.Buffer
	w, err := traces.NewWriter(&copied, f.Metadata(), traces.DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := traces.CopyFile(w, f); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := tracetest.Open(t, copied.Bytes())
	if got := tracetest.Read(t, copied.Bytes()); !reflect.DeepEqual(got.Records, want) || c.SkipsValues() || c.Version() != "1.0" {
		t.Errorf("%+v; version %s, values skipped: %v", got.Records, c.Version(), c.SkipsValues())
	}
}

// TestFlippedBytesOfValues: verification also covers the bytes that nobody reads.
func TestFlippedBytesOfValues(t *testing.T) {
	file := withValues(t)
	for i := range file {
		file[i] ^= 0x24
		f, err := traces.OpenReader(bytes.NewReader(file), int64(len(file)), traces.DefaultReaderConfig())
		if err == nil {
			_, err = f.Verify()
			f.Close()
		}
		if err == nil {
			t.Errorf("byte %d may change", i)
		}
		file[i] ^= 0x24
	}
}

// TestTextWithValues: what earlier programs wrote after = is refused with the reason.
func TestTextWithValues(t *testing.T) {
	_, err := traces.ParseText("x", strings.NewReader("carousel trace text 1\ncore 0\n+1 load 0x10 2 = 0102\n"))
	if err == nil || !strings.Contains(err.Error(), "line 3: values of accesses were removed") {
		t.Error(err)
	}
}

// TestFilesStayTheSame: files are what earlier programs wrote, byte by byte.
func TestFilesStayTheSame(t *testing.T) {
	trace := tracetest.Random(4, 3, 2000)
	for _, records := range trace.Records {
		for i := range records {
			if !records[i].Kind.IsAccess() {
				records[i].Size = 0 // they did not know how cores wait for locks
			}
		}
	}
	if sum := crc32.ChecksumIEEE(tracetest.Write(t, trace)); sum != 0x3d1ff681 {
		t.Errorf("the file has checksum %#x", sum)
	}
}

package flat

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func imported(b []byte) ([]byte, traces.Imported, error) {
	var out bytes.Buffer
	done, err := importFrom(&reader{from: bufio.NewReader(bytes.NewReader(b))}, traces.ImportConfig{Workload: "x"}, traces.ToStream(&out, traces.DefaultWriterConfig()))
	return out.Bytes(), done, err
}

func stream(h head, rows ...row) []byte {
	b := appendHead(nil, h)
	for _, r := range rows {
		b = r.append(b)
	}
	return b
}

// TestBytes fixes the format: the bytes are written out by hand.
func TestBytes(t *testing.T) {
	const text = "\xC7CRSB\r\n\x1a" + "\x01\x00" + "\x01\x00" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00" + "\x00\x03" + "\x05\x00\x00\x00" + "\x18\x60\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00" + "\x00\x00" + "\x00\x00\x00\x00" +
		"\x00\x00" + "\x01\x02" + "\x01\x00\x00\x00" + "\x1c\x50\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00" + "\x00\x00" + "\x00\x00\x00\x00" +
		"\x00\x00" + "\x0a\x00" + "\x07\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00" + "\x00\x00" + "\x00\x00\x00\x00"
	file, done, err := imported([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	want := []traces.Record{{Address: 0x18, Instructions: 5, Size: 3}, {Address: 0x101c, Instructions: 1, Size: 2, Kind: traces.Store, Dependence: 1},
		{Kind: traces.End, Instructions: 7}}
	if !reflect.DeepEqual(got.Records[0], want) || done.Input[0].N != 3 || got.Metadata.Addresses != "mapped" {
		t.Errorf("%+v\n%+v", got, done)
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(6) {
		want := tracetest.Random(seed, 1+int(seed)%4, 600)
		if seed == 2 {
			want.Pages = [][]traces.Page{{{Virtual: 5, Frame: 9}, {Virtual: 9, Frame: 5}}}
		}
		f := tracetest.Open(t, tracetest.Write(t, want))
		path := filepath.Join(t.TempDir(), "x")
		var b bytes.Buffer
		if err := Export(&b, f, f.Metadata()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Import([]string{path}, traces.ImportConfig{}, traces.ToStream(&out, traces.DefaultWriterConfig())); err != nil {
			t.Fatal(err)
		}
		got := tracetest.Read(t, out.Bytes())
		if !reflect.DeepEqual(got.Records, want.Records) {
			t.Errorf("seed %d: the records differ", seed)
		}
		for core := range want.Edges {
			if len(want.Edges[core])+len(got.Edges[core]) > 0 && !reflect.DeepEqual(got.Edges[core], want.Edges[core]) {
				t.Errorf("seed %d: the edges of core %d differ", seed, core)
			}
		}
	}
}

// TestCutAnywhere: a file that lacks its end is an error that names the byte where the first
// incomplete record begins.
func TestCutAnywhere(t *testing.T) {
	b := stream(head{2, flagPhysical}, row{physical: 8, size: 3, gap: 1}, row{core: 1, kind: kindEdge}, row{core: 1, kind: 10}, row{kind: 10})
	for n := range len(b) {
		_, _, err := imported(b[:n])
		var e *traces.Error
		if !errors.Is(err, traces.ErrTruncated) || !errors.As(err, &e) || e.Offset != int64(n/32*32) {
			t.Errorf("cut to %d: %v", n, err)
		}
	}
	if _, done, err := imported(b); err != nil || done.Sum().Records != 3 || done.Sum().Edges != 1 {
		t.Errorf("%v, %+v", err, done)
	}
}

func TestBadRecords(t *testing.T) {
	for _, c := range []struct {
		says   string
		offset int64
		bytes  []byte
	}{
		{"first eight bytes", 0, bytes.Repeat([]byte("text"), 8)},
		{"version 2", 8, bytes.Replace(stream(head{1, 1}), []byte("\x1a\x01"), []byte("\x1a\x02"), 1)},
		{"flags 0x0", 10, stream(head{1, 0})},
		{"flags 0x11", 10, stream(head{1, 17})},
		{"0 cores", 12, stream(head{0, 1})},
		{"core 1 of 1", 32, stream(head{1, 1}, row{core: 1})},
		{"kind 11", 32, stream(head{1, 1}, row{kind: 11})},
		{"flag 8 was removed", 10, stream(head{1, 9})},
		{"last four", 32, stream(head{1, 1}, row{zero: 1})},
		{"count must", 32, stream(head{1, 1}, row{count: 1})},
		{"gap must", 32, stream(head{2, 1}, row{kind: 255, gap: 1, count: 1})},
		{"neither size", 32, stream(head{2, 1}, row{kind: 255, size: 1, count: 1})},
		{"another one", 32, stream(head{2, 1}, row{kind: 255})},
		{"address must", 32, stream(head{1, 1}, row{kind: 4, virtual: 1})},
		{"physical address must", 32, stream(head{1, 2}, row{kind: 5, physical: 1})},
		{"within a line", 32, stream(head{1, 1}, row{virtual: 60, size: 3})},
		{"no physical", 32, stream(head{1, 1}, row{physical: 64})},
		{"the header declares no virtual addresses", 32, stream(head{1, 2}, row{virtual: 64})},
		{"crosses a line", 64, stream(head{1, 2}, row{}, row{physical: 63, size: 1})},
		{"2^7", 32, stream(head{1, 2}, row{size: 7})},
		{"before the first", 32, stream(head{1, 2}, row{dependence: 1})},
		{"different places", 32, stream(head{1, 3}, row{virtual: 1, physical: 2})},
		{"follows the end", 64, stream(head{1, 2}, row{kind: 10}, row{})},
	} {
		_, _, err := imported(c.bytes)
		var e *traces.Error
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add(stream(head{2, 3}, row{physical: 8, virtual: 0x1008, size: 3, gap: 1}, row{core: 1, kind: kindEdge}, row{core: 1, kind: 10}, row{kind: 10}))
	f.Add(stream(head{1, 1}, row{virtual: 0x7fff0000}, row{kind: 10}))
	f.Add(stream(head{1, 2}, row{size: 2}, row{core: 7, kind: 9}, row{kind: 10}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 16 && b[14]|b[13] != 0 {
			return // thousands of cores
		}
		_, _, err := imported(b)
		var e *traces.Error
		if err != nil && !errors.As(err, &e) {
			t.Error(err)
		}
	})
}

package record

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// TestValuesOfAProgram records a program whose stores and loads are known, and finds just their
// values.
func TestValuesOfAProgram(t *testing.T) {
	program := compile(t, "values.c", "-static")
	for _, threads := range []int{1, 2} { // with another thread beside it, QEMU tells of atomics in another way
		if threads == 2 {
			program = compile(t, "values.c", "-static", "-pthread", "-DTHREADS")
		}
		c := DefaultConfig()
		c.Cores, c.Program, c.Cache, c.Values, c.Fetches = threads, []string{program}, cache, true, threads == 1
		c.Begin, c.End = "begin", "end"
		path := filepath.Join(t.TempDir(), "values.trace")
		if _, err := Run(context.Background(), c, traces.ToFile(path, traces.DefaultWriterConfig())); err != nil {
			t.Fatal(err)
		}
		f, err := traces.Open(path, traces.DefaultReaderConfig())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		got := valuesOf(t, f, 0)
		want := []string{"store 8877665544332211", "store ccbbaa99", "store eedd", "store ff", "load ff", "load 2800000000000000", "store 2701000000000000",
			"atomic 0c00000000000000", "atomic 0c00000000000000"}
		at := 0
		for _, line := range got {
			if at < len(want) && line == want[at] {
				at++
			}
		}
		if at < len(want) {
			t.Errorf("with %d threads, %q does not follow; recorded are\n%s", threads, want[at], strings.Join(got, "\n"))
		}
		if threads == 1 {
			checkCode(t, f, program)
		}
	}
}

// valuesOf lists what a core's accesses read and wrote, and fails where one is not told.
func valuesOf(t *testing.T, f *traces.File, core int) (list []string) {
	t.Helper()
	f.Rewind()
	records := make([]traces.Record, 4096)
	position := uint64(0)
	for {
		n, err := f.ReadRecords(core, records)
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		var values traces.Values
		if err := f.ReadValues(core, position, n, &values); err != nil {
			t.Fatal(err)
		}
		for i := range records[:n] {
			if !records[i].Kind.IsAccess() {
				continue
			}
			if len(values.Of(i)) == 0 {
				t.Errorf("core %d: the value of record %d, a %s, is not told", core, position+uint64(i), records[i].Kind)
			}
			list = append(list, records[i].Kind.String()+" "+hex.EncodeToString(values.Of(i)))
		}
		position += uint64(n)
	}
}

// TestValuesOfAStream: accesses are followed by their bytes, however many; whatever is cut off is
// the end.
func TestValuesOfAStream(t *testing.T) {
	line := bytes.Repeat([]byte("fetched line 16 "), 4)
	var whole []byte
	ends := map[int]int{} // of the stream and the messages up to there
	add := func(m message, value []byte) {
		whole = append(append(whole, encode(m)...), value...)
		for len(whole)%messageBytes != 0 {
			whole = append(whole, 0)
		}
		ends[len(whole)] = len(ends) + 1
	}
	add(message{kind: kindProcess, value: streamVersion, size: 1}, nil)
	add(message{kind: kindStore, size: 2}, []byte("four"))
	add(message{kind: kindWakes}, nil)
	add(message{kind: kindFetch, size: 6}, line)
	add(message{kind: kindDevice, size: 3}, nil)
	add(message{kind: kindLoad, size: 4}, line[16:32])
	add(message{kind: kindOver}, nil)
	want := []string{"", "four", "", string(line), "", string(line[16:32]), ""}
	for _, batch := range []int{1, 2, 100} {
		complete := 0
		for cut := range len(whole) + 1 {
			if n, ok := ends[cut]; ok {
				complete = n
			}
			from, got, messages := newStream(bytes.NewReader(whole[:cut])), []string(nil), make([]message, batch)
			for {
				n, err := from.next(messages)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range messages[:n] {
					got = append(got, string(m.bytes))
				}
			}
			if !slices.Equal(got, want[:complete]) {
				t.Fatalf("of %d bytes %d at a time: %q", cut, batch, got)
			}
		}
	}
}

// checkCode finds the lines that were fetched in the program's file.
func checkCode(t *testing.T, f *traces.File, program string) {
	t.Helper()
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	code := hex.EncodeToString(content)
	lines := slices.DeleteFunc(valuesOf(t, f, 0), func(line string) bool { return !strings.HasPrefix(line, "fetch ") })
	found := 0
	for _, line := range lines {
		if strings.Contains(code, strings.TrimPrefix(line, "fetch ")) {
			found++
		}
	}
	if found == 0 || found < len(lines)-1 {
		t.Errorf("%d of %d fetched lines are in the program", found, len(lines))
	}
}

// TestNoValuesOfMachines: what the recorder does not see is not promised.
func TestNoValuesOfMachines(t *testing.T) {
	c := DefaultConfig()
	c.Program, c.Values, c.System = []string{"x"}, true, new(System)
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "whole machine") {
		t.Errorf("%v", err)
	}
}

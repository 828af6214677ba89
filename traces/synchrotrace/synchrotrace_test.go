package synchrotrace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// The program: thread 1 creates thread 2, both write under one lock and read what the other has
// written, meet at a barrier, and thread 1 joins thread 2. It is written as the format is
// documented; it is no recording.
var program = [2]string{`@ 5,2,1,1 $ 0x1000 0x1007 * 0x2000 0x2003
^ 3^0x77
! 4096
^ 1^0x9
@ 1,0,0,1 $ 0x3000 0x3007
^ 2^0x9
^ 5^0x55
^ 1^0x9
# 2 2 0x3008 0x300f
^ 2^0x9
^ 7^0x44
^ 4^0x77
`, `# 1 0 0x1000 0x1007
^ 9^0x9
@ 0,0,0,1 $ 0x3008 0x300f
# 1 3 0x3000 0x3003 # 1 3 0x3004 0x3006
^ 10^0x9
^ 5^0x55
`}

const named = "##119,2\n**85,1,2\n"

func imported(t testing.TB, names string, texts ...[]byte) ([]byte, traces.Imported, error) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range texts {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("sigil.events.out-%d.gz", i+1)))
		must.Do(os.WriteFile(paths[i], text, 0o600))
	}
	if names != "" {
		must.Do(os.WriteFile(filepath.Join(dir, "sigil.pthread.out"), []byte(names), 0o600))
	}
	var out bytes.Buffer
	done, err := Import(paths, traces.ImportConfig{}, traces.ToStream(&out, traces.DefaultWriterConfig()))
	return out.Bytes(), done, err
}

var want = [][]traces.Record{{
	{Address: 0x0000, Size: 2, Instructions: 4}, {Address: 0x1000, Kind: traces.Store, Size: 3, Instructions: 5},
	{Kind: traces.Create, Address: 1, Instructions: 1}, {Kind: traces.Lock, Address: 9, Instructions: 1},
	{Address: 0x2000, Kind: traces.Store, Size: 3, Instructions: 2}, {Kind: traces.Unlock, Address: 9, Instructions: 1},
	{Kind: traces.Barrier, Address: 0x55, Count: 2, Instructions: 1}, {Kind: traces.Lock, Address: 9, Instructions: 1},
	{Address: 0x2008, Size: 3, Instructions: 1}, {Kind: traces.Unlock, Address: 9, Instructions: 1},
	{Kind: traces.Join, Address: 1, Instructions: 2}, {Kind: traces.End},
}, {
	{Address: 0x1000, Size: 3, Instructions: 1}, {Kind: traces.Lock, Address: 9, Instructions: 1},
	{Address: 0x2008, Kind: traces.Store, Size: 3, Instructions: 1},
	{Address: 0x2000, Size: 2}, {Address: 0x2004, Size: 1, Instructions: 1}, {Address: 0x2006, Instructions: 1},
	{Kind: traces.Unlock, Address: 9, Instructions: 1}, {Kind: traces.Barrier, Address: 0x55, Count: 2, Instructions: 1}, {Kind: traces.End},
}}

func TestImport(t *testing.T) {
	file, done, err := imported(t, named, []byte(program[0]), []byte(program[1]))
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records, want) {
		t.Errorf("%+v\nwant\n%+v", got.Records, want)
	}
	// The reads under the lock wait where it is taken; the first read of thread 2 waits
	// itself.
	edges := [][]traces.Edge{{{At: 7, Producer: 1, Position: 2}}, {{At: 0, Producer: 0, Position: 1}, {At: 1, Producer: 0, Position: 4}, {At: 1, Producer: 0, Position: 4}}}
	if !reflect.DeepEqual(got.Edges, edges) {
		t.Errorf("%+v", got.Edges)
	}
	for _, n := range done.Input {
		if want := map[string]uint64{"computations": 3, "communications": 3, "calls": 11, "calls left out": 1, "edges that stand at a lock": 3}[n.Name]; n.N != want &&
			n.Name != "instruction markers and totals" {
			t.Errorf("%s: %d, want %d", n.Name, n.N, want)
		}
	}
}

func TestWithoutNames(t *testing.T) {
	file, done, err := imported(t, "", []byte(program[0]), []byte(program[1]))
	if err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file); len(got.Records[0]) != len(want[0])-3 || len(done.Metadata.Notes) != 4 {
		t.Errorf("%+v", got.Records[0])
	}
}

// TestCutAnywhere: a thread that ends within a line is an error that names the byte where the line
// begins.
func TestCutAnywhere(t *testing.T) {
	text := program[1]
	for n := range len(text) {
		_, _, err := imported(t, named, []byte(program[0]), []byte(text[:n]))
		begin := strings.LastIndexByte(text[:n], '\n') + 1
		var e *traces.Error
		if begin == n {
			// Whole lines are read; what thread 1 waits for may be gone.
			if err != nil && !errors.Is(err, traces.ErrIllegal) {
				t.Errorf("cut to %d: %v", n, err)
			}
		} else if !errors.As(err, &e) || e.Offset != int64(begin) || !errors.Is(err, traces.ErrTruncated) {
			t.Errorf("cut to %d: %v", n, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	for text, says := range map[string]string{"": "", "hello\n": "is not an event", "\n": "empty", "@ 1,2,3\n": "four counts", "@ 1,2,x,4\n": "is no count", "@ 1,0,0,1 % 0 7\n": "neither $ nor *",
		"@ 1,0,0,1 $ 7 6\n": "no range", "@ 1,0,0,1 $ 0 0x1000000\n": "no range", "# 1 2 3\n": "a communication is", "# 0 0 0 7\n": "thread from 1", "# 3 0 0 7\n": "thread 3 does not exist",
		"# 2 5 0 7\n": "event 5 of thread 2 does not exist", "# 1 0 0 7\n": "another one", "^ 16^0\n": "is no call", "^ 1\n": "is no call"} {
		_, _, err := imported(t, named, []byte(text), []byte("@ 1,0,0,1 $ 0x0 0x7\n"))
		var e *traces.Error
		if says == "" && err == nil {
			continue
		}
		if !errors.As(err, &e) || e.Offset < 0 || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, names := range []string{"##5\n", "##5,3\n", "**5\n", "5,1\n", "##x,1\n"} {
		if _, _, err := imported(t, names, []byte(program[0]), []byte(program[1])); !errors.Is(err, traces.ErrIllegal) {
			t.Errorf("%q: %v", names, err)
		}
	}
	if _, err := list([]string{"sigil.events.out-1", "sigil.events.out-3.gz"}); err == nil || !strings.Contains(err.Error(), "thread 2 is missing") {
		t.Error(err)
	}
}

// firstVersion rewrites events of the second version.
func firstVersion(text string, thread int) string {
	var b strings.Builder
	event := 0
	for line := range strings.Lines(text) {
		start := fmt.Sprintf("%d,%d", event, thread)
		switch line[0] {
		case '@':
			b.WriteString(start + "," + line[2:])
		case '#':
			b.WriteString(start + " " + line)
		case '^':
			b.WriteString(start + ",pth_ty:" + line[2:])
		default:
			b.WriteString(line)
			continue
		}
		event++
	}
	return b.String() + "IOP_cnt: 12\nFLOP_cnt: 0\n"
}

// TestVersionsAreEqual: the first version of the events, and the commas and totals of older
// recorders, give the same trace. (TextLogger.cpp and EventHandlers.cpp of VANDAL/prism.)
func TestVersionsAreEqual(t *testing.T) {
	old := strings.ReplaceAll(named, "2\n", "2,\n") + "Total instructions: 5000\nTotal iops: 147\nTotal flops: 0\n"
	file, _, err := imported(t, old, []byte(firstVersion(program[0], 1)), []byte(firstVersion(program[1], 2)))
	if err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file); !reflect.DeepEqual(got.Records, want) {
		t.Errorf("%+v\nwant\n%+v", got.Records, want)
	}
	if _, _, err := imported(t, old, []byte(firstVersion(program[0], 3)), []byte(firstVersion(program[1], 2))); err == nil || !strings.Contains(err.Error(), "an event of thread 3 in the file of thread 1") {
		t.Error(err)
	}
}

// TestPublishedSample reads the file of threads of a published recording: VANDAL/SynchroTrace, fft
// simsmall 8.
func TestPublishedSample(t *testing.T) {
	sample := tracetest.Public(t, "synchrotrace/sigil.pthread.out")
	n, err := readNames(sample, 8)
	if err != nil || len(n.barriers) != 1 || n.barriers[67117104] != 8 {
		t.Errorf("%+v, %v", n, err)
	}
}

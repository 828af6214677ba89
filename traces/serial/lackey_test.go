package serial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func TestLackey(t *testing.T) {
	sample := must.Get(os.ReadFile("testdata/sample.lackey"))
	file, report, err := tracetest.Import(t, Lackey, traces.ImportConfig{}, sample, []byte("I  04001000,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file).Lines()
	want := `0 +1 fetch 0x0 64
0 +0 load 0x17e0 8
0 +1 store 0x17f8 8
0 +0 load 0x1830 8
0 +0 store 0x1830 8
0 +1 fetch 0x40 64
0 +1 load 0x183c 4
0 +0 load 0x1840 8
0 +0 load 0x1848 4
0 +1 end 0x0 1
1 +1 fetch 0x2000 64
1 +0 end 0x0 1
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, c := range report.Input {
		if want := map[string]uint64{"instructions read": 6, "fetches": 6, "loads": 3, "stores": 2, "lines without an access": 3}[c.Name]; c.N != want {
			t.Errorf("%s: %d, want %d", c.Name, c.N, want)
		}
	}
}

func TestLimitOfLackey(t *testing.T) {
	file, report, err := tracetest.Import(t, Lackey, traces.ImportConfig{Instructions: 2}, []byte("I  0,1\nI  1,1\n L 8,4\nI  80,1\n L 10,4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file).Lines(); got != "0 +1 fetch 0x0 64\n0 +1 load 0x8 4\n0 +0 end 0x0 1\n" || report.Input[0].N != 2 {
		t.Errorf("%s %v", got, report.Input)
	}
}

func TestBadLinesOfLackey(t *testing.T) {
	for text, c := range map[string]struct {
		want   error
		offset int64
	}{
		"X 10,1\nI  0,1\nX 10,1\n":      {traces.ErrIllegal, 0},
		" L zz,1\n":                     {traces.ErrIllegal, 0},
		" L 10\n":                       {traces.ErrIllegal, 0},
		" L 10,0\n":                     {traces.ErrIllegal, 0},
		" L 10,4097\n":                  {traces.ErrIllegal, 0},
		" L ffffffffffffffff,2\n":       {traces.ErrIllegal, 0},
		"I  0,1\n L 10,":                {traces.ErrIllegal, 7},
		strings.Repeat(" ", 1<<16) + "": {traces.ErrIllegal, 0},
		"\x1F\x8B\x08":                  {traces.ErrTruncated, 0},
	} {
		_, _, err := tracetest.Import(t, Lackey, traces.ImportConfig{}, []byte(text))
		var e *traces.Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Offset != c.offset {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestProcesses: lines of several processes in one file are refused, since accesses have no mark of theirs.
func TestProcesses(t *testing.T) {
	text := []byte("==12== Lackey\nI  0,1\n==12== x\n--13-- y\n L 8,4\n")
	if _, _, err := tracetest.Import(t, Lackey, traces.ImportConfig{}, text); err == nil || !strings.Contains(err.Error(), "line 4: a line of process 13 in the file of process 12; record each") {
		t.Error(err)
	}
	if _, done, err := tracetest.Import(t, Lackey, traces.ImportConfig{Anyway: true}, text); err != nil || done.Sum().Loads != 1 {
		t.Error(done, err)
	}
	if _, _, err := tracetest.Import(t, Pin, traces.ImportConfig{}, []byte("0x1: R 0x10\n#eof\n0x1: R 0x10\n")); err == nil || !strings.Contains(err.Error(), `line 3: an access follows "#eof"`) {
		t.Error(err)
	}
}

// TestRecordedByValgrind imports what the tool itself writes, if it is installed, and compares the
// counts with those of its lines.
func TestRecordedByValgrind(t *testing.T) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		t.Skip(err)
	}
	for _, options := range [][]string{nil, {"--trace-superblocks=yes"}} {
		log := filepath.Join(t.TempDir(), "log")
		args := append([]string{"--tool=lackey", "--trace-mem=yes", "--log-file=" + log}, options...)
		if out, err := exec.Command(valgrind, append(args, "true")...).CombinedOutput(); err != nil {
			t.Skipf("valgrind: %v: %s", err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]uint64{}
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "I "):
				want["instructions read"]++
			case strings.HasPrefix(line, " L"):
				want["loads"]++
			case strings.HasPrefix(line, " S"):
				want["stores"]++
			case strings.HasPrefix(line, " M"):
				want["loads"]++
				want["stores"]++
			}
		}
		_, report, err := tracetest.Import(t, Lackey, traces.ImportConfig{}, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Input {
			if n, counted := want[c.Name]; counted && c.N != n || c.Name == "lines of something else, left out" && c.N > 0 {
				t.Errorf("%v: %s: %d, want %d", options, c.Name, c.N, n)
			}
		}
	}
}

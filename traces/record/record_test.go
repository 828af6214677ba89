package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// cache is one folder for all tests, in which built makes the libraries once, before any test that runs
// a program looks at its watch.
var (
	cache string
	built sync.Once
)

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "carousel-record-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// compile builds a program of testdata, or skips the test where that or recording it is not
// possible.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, _, err := emulator("qemu-x86_64", "qemu-user"); err != nil {
		t.Skip(err)
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	built.Do(func() {
		for _, folder := range []string{"plugin", "preload"} {
			if _, err := library(cache, folder); err != nil {
				t.Fatal(err)
			}
		}
	})
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)))
	args := append([]string{"-O1", "-o", program, filepath.Join("testdata", source)}, flags...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// recorded runs the recorder and reads what it wrote, which must be sound.
func recorded(t *testing.T, ctx context.Context, change func(*Config), program ...string) (*tracetest.Trace, Result) {
	t.Helper()
	c := DefaultConfig()
	var said bytes.Buffer
	c.Program, c.Cores, c.Cache, c.Errors = program, 8, cache, &said
	if change != nil {
		change(&c)
	}
	var out bytes.Buffer
	result, err := Run(ctx, c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return slurp(t, tracetest.Open(t, out.Bytes())), result
}

func tally(records []traces.Record) (n [traces.Kinds]int, instructions uint64) {
	for _, r := range records {
		n[r.Kind]++
		instructions += uint64(r.Instructions)
	}
	return n, instructions
}

// TestCounts: 1000 rounds of a load, a store and a locked increment; a string of ten bytes; a load
// of 16 bytes in two pieces; an exchange; a load across two lines.
func TestCounts(t *testing.T) {
	t.Parallel()
	program := compile(t, "counts.S", "-nostdlib", "-static")
	for _, c := range []struct {
		name                           string
		change                         func(*Config)
		loads, stores, atomics, instrs int
		reason                         Reason
		status                         string
	}{
		{"whole", nil, 1014, 1010, 1001, 5015, ProgramEnded, "exit status 7"},
		{"from a function", func(c *Config) { c.Begin = "middle"; c.Fetches = false }, 0, 0, 0, 4, ProgramEnded, "exit status 7"},
		{"to a function", func(c *Config) { c.End = "middle" }, 1000, 1000, 1000, 5002, FunctionReached, ""},
		{"on to the end", func(c *Config) { c.End, c.GoOn = "middle", true }, 1000, 1000, 1000, 5002, FunctionReached, "exit status 7"},
		{"100 accesses", func(c *Config) { c.Records, c.Fetches = 100, false }, 34, 33, 33, 168, RecordsReached, ""},
		{"500 instructions", func(c *Config) { c.Instructions = 500 }, 99, 99, 99, 497, InstructionsReached, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, result := recorded(t, t.Context(), c.change, program)
			n, instructions := tally(m.Records[0])
			if c.name == "from a function" {
				// The region begins with the block after the function's first.
				if result.Reason != c.reason || result.Status != c.status || n[traces.Load] > 14 || instructions > 15 || instructions < 4 {
					t.Errorf("%v, %d instructions, %v, %q", n, instructions, result.Reason, result.Status)
				}
				return
			}
			if n[traces.Load] != c.loads || n[traces.Store] != c.stores || n[traces.Atomic] != c.atomics || instructions != uint64(c.instrs) {
				t.Errorf("%v, %d instructions; want %d loads, %d stores, %d atomics, %d instructions",
					n, instructions, c.loads, c.stores, c.atomics, c.instrs)
			}
			if result.Reason != c.reason || result.Status != c.status {
				t.Errorf("%v, %q", result.Reason, result.Status)
			}
		})
	}
}

// TestMarkers: the region lies between the program's markers, and ends it unless it is to go on.
func TestMarkers(t *testing.T) {
	t.Parallel()
	program := compile(t, "markers.c")
	for _, on := range []bool{false, true} {
		m, result := recorded(t, t.Context(), func(c *Config) { c.Marker, c.GoOn, c.Fetches = true, on, false }, program)
		n, _ := tally(m.Records[0])
		// The call and its frame store a few words more.
		if n[traces.Store] < 100 || n[traces.Store] > 104 || result.Reason != MarkerReached || (result.Status != "") != on {
			t.Errorf("go on: %v; %v, %v, %q", on, n, result.Reason, result.Status)
		}
	}
}

// TestOpenMP: the threads of a parallel region are cores, and their barriers order them: no core
// reads what another one writes in the round after.
func TestOpenMP(t *testing.T) {
	t.Parallel()
	m, result := recorded(t, t.Context(), func(c *Config) {
		c.Cores, c.Environment = 4, []string{"OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive"}
	}, compile(t, "openmp.c", "-fopenmp"))
	if result.Status != "" {
		t.Fatal(result.Status)
	}
	for core, records := range m.Records {
		n, _ := tally(records)
		// Each thread has a quarter of six loops of 4096 loads and stores.
		if n[traces.Load] < 6*1024 || n[traces.Store] < 6*1024 || n[traces.Barrier] != 2*6 {
			t.Errorf("core %d: %v, %d edges", core, n, len(m.Edges[core]))
		}
		if slices.ContainsFunc(records, func(r traces.Record) bool {
			return r.Kind == traces.Barrier && (r.Address&traces.LockWord != 0 || r.Size != traces.Sleeps)
		}) {
			t.Errorf("core %d meets others at a place that has no word of a barrier, or does not sleep there", core)
		}
	}
	clocks := happensBefore(t, m)
	for core := 1; core < 4; core++ {
		if clocks[0][core] == 0 {
			t.Errorf("core 0 does not wait for core %d", core)
		}
	}
}

// TestAddresses compares every data access with what the program does.
func TestAddresses(t *testing.T) {
	t.Parallel()
	m, _ := recorded(t, t.Context(), nil, compile(t, "counts.S", "-nostdlib", "-static"))
	var got []string
	page := ^uint64(0)
	for _, r := range m.Records[0] {
		if r.Kind > traces.Atomic {
			continue
		}
		if page == ^uint64(0) {
			page = r.Address
		}
		got = append(got, fmt.Sprintf("%s %d %d", r.Kind, r.Address-page, r.Size))
	}
	var want []string
	for range 1000 {
		want = append(want, "load 0 3", "store 8 3", "atomic 16 3")
	}
	for i := range 10 {
		want = append(want, fmt.Sprintf("load %d 0", i), fmt.Sprintf("store %d 0", 64+i))
	}
	want = append(want, "load 0 3", "load 8 3", "atomic 24 2", "load 60 2", "load 64 2")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d accesses, want %d; the last %v, want %v", len(got), len(want), got[max(0, len(got)-6):], want[len(want)-6:])
	}
}

// TestRepeats: a program with one thread gives the same trace again.
func TestRepeats(t *testing.T) {
	t.Parallel()
	program := compile(t, "counts.S", "-nostdlib", "-static")
	three := func(c *Config) { c.Instances = 3 }
	one, _ := recorded(t, t.Context(), three, program)
	two, _ := recorded(t, t.Context(), three, program)
	if fmt.Sprint(one.Records) != fmt.Sprint(two.Records) {
		t.Error("two recordings differ")
	}
	if n, _ := tally(one.Records[2]); n[traces.Atomic] != 1001 || len(one.Records[3]) != 1 {
		t.Errorf("instance 2 has %v, core 3 %d records", n, len(one.Records[3]))
	}
	if one.Records[0][1].Address == one.Records[1][1].Address {
		t.Error("instances share memory")
	}
}

// TestThreads: the mutex, the barrier, creations and joins order threads.
func TestThreads(t *testing.T) {
	t.Parallel()
	m, result := recorded(t, t.Context(), nil, compile(t, "threads.c", "-pthread"))
	if result.Status != "" {
		t.Fatal(result.Status)
	}
	creates, _ := tally(m.Records[0])
	if creates[traces.Create] != 4 {
		t.Errorf("core 0 creates %d cores", creates[traces.Create])
	}
	clocks := happensBefore(t, m)
	for core := 1; core <= 4; core++ {
		n, _ := tally(m.Records[core])
		locks := map[uint64]int{} // the mutex, beside words of the C library
		for _, r := range m.Records[core] {
			if r.Kind == traces.Lock && r.Size == traces.Sleeps && r.Address&traces.LockWord != 0 {
				locks[r.Address]++
			}
			if r.Kind == traces.Barrier && r.Size != traces.Sleeps|traces.Exchanges {
				t.Errorf("core %d waits at the barrier in way %d", core, r.Size)
			}
		}
		if !slices.Contains(slices.Collect(maps.Values(locks)), 500) || n[traces.Unlock] != n[traces.Lock] || n[traces.Barrier] != 1 || n[traces.Load] < 500 || n[traces.Atomic] > 50 {
			t.Errorf("core %d: %v", core, n)
		}
		if last := uint64(len(m.Records[core]) - 1); clocks[0][core] < last {
			t.Errorf("main ends after record %d of core %d, which has %d: the join is lost", clocks[0][core], core, last)
		}
	}
	for core := 5; core < 8; core++ {
		if len(m.Records[core]) != 1 {
			t.Errorf("core %d has %d records", core, len(m.Records[core]))
		}
	}
}

// TestContendedAtomicsEndTurns: threads that exchange one word do so by turns, however long turns
// are.
func TestContendedAtomicsEndTurns(t *testing.T) {
	t.Parallel()
	program := compile(t, "swaps.c", "-pthread")
	m, _ := recorded(t, context.Background(), func(c *Config) { c.Turn = 1000 }, program, "4", "5000")
	atomics, edges := 0, 0
	for core, records := range m.Records {
		edges += len(m.Edges[core])
		counts, _ := tally(records)
		atomics += counts[traces.Atomic]
	}
	// How many edges there are depends on when this computer lets the threads start.
	if atomics < 20000 || edges < atomics/8 {
		t.Errorf("%d atomics and %d edges: many exchanges must follow another thread's", atomics, edges)
	}
}

// TestMappedThreads: two threads share each core, and one is left out.
func TestMappedThreads(t *testing.T) {
	t.Parallel()
	m, _ := recorded(t, t.Context(), func(c *Config) { c.Cores, c.Mapping = 2, []int{0, 0, 1, 1, LeaveOut} },
		compile(t, "threads.c", "-pthread"))
	for core := range 2 {
		// Threads that share a core take locks in recorded order: there are edges in place of the
		// libraries' accesses. The first of them may be through with its 500 locks before the
		// second one begins.
		if n, _ := tally(m.Records[core]); n[traces.Lock] > 500 || n[traces.Lock] != n[traces.Unlock] || n[traces.Atomic] > 200 || len(m.Edges[core]) == 0 {
			t.Errorf("core %d: %v, %d edges", core, n, len(m.Edges[core]))
		}
	}
}

// TestChildren: forked processes are recorded only on demand, each in its own memory.
func TestChildren(t *testing.T) {
	t.Parallel()
	program := compile(t, "children.c")
	for _, follow := range []bool{false, true} {
		m, result := recorded(t, t.Context(), func(c *Config) { c.Children = follow }, program)
		if spaces := result.Metadata.AddressSpaces; spaces != 1 && !follow || spaces != 8 && follow {
			t.Errorf("children followed: %v; %d address spaces", follow, spaces)
		}
		for core := 1; core <= 2; core++ {
			if n, _ := tally(m.Records[core]); follow != (n[traces.Store] >= 1000) {
				t.Errorf("children followed: %v; core %d has %v", follow, core, n)
			}
		}
	}
}

// TestInterrupt: what was recorded is kept when the context ends. A busy machine may need more time to begin.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	compile(t, "counts.S", "-nostdlib", "-static")
	for wait := 4 * time.Second; ; wait *= 4 {
		ctx, stop := context.WithTimeout(t.Context(), wait)
		m, result := recorded(t, ctx, func(c *Config) { c.Records, c.Fetches = 0, false }, "sh", "-c", "while :; do :; done")
		stop()
		n, _ := tally(m.Records[0])
		if n[traces.Load] < 1000 && wait < time.Minute {
			continue
		}
		if !result.Interrupted || result.Reason != CutOff || n[traces.Load] < 1000 {
			t.Errorf("%v, %+v", n, result)
		}
		return
	}
}

// TestExecuted: the programs of a pipeline are recorded, each on the core of the process that
// executes it.
func TestExecuted(t *testing.T) {
	t.Parallel()
	counted := compile(t, "counts.S", "-nostdlib", "-static")
	script := filepath.Join(t.TempDir(), "script")
	must.Do(os.WriteFile(script, []byte("#!/bin/sh -e\n"+counted+"\n"), 0o700))
	m, result := recorded(t, t.Context(), func(c *Config) { c.Children, c.Environment = true, os.Environ() },
		"sh", "-c", counted+" | "+script+" | env "+counted+"; exit 5")
	if result.Status != "exit status 5" {
		t.Error(result.Status)
	}
	total := 0
	for core := range m.Records {
		n, _ := tally(m.Records[core])
		total += n[traces.Atomic] / 1001
	}
	if total != 3 {
		t.Errorf("%d programs were recorded; want 3", total)
	}
}

func TestNothingRecorded(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	c.Program, c.Cache, c.Marker = []string{compile(t, "children.c")}, cache, true
	path := filepath.Join(t.TempDir(), "none.trace")
	_, err := Run(t.Context(), c, traces.ToFile(path, traces.DefaultWriterConfig()))
	if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), "between markers") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 0 {
		t.Errorf("there is %v", left)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	if _, _, err := emulator("qemu-x86_64", "qemu-user"); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, "here"), nil, 0o600))
	if _, result := recorded(t, t.Context(), func(c *Config) { c.Folder = folder }, "cat", "here"); result.Status != "" {
		t.Errorf("the program does not run in its folder: %s", result.Status)
	}
}

package record

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// machineConfig is a machine with two processors.
func machineConfig(program ...string) Config {
	c := DefaultConfig()
	y := DefaultSystem()
	y.Memory = 256
	c.System, c.Cores, c.Program, c.Cache = &y, 2, program, cache
	return c
}

// needMachine skips the test where no machine can be recorded.
func needMachine(t *testing.T) {
	t.Helper()
	if _, _, err := emulator(SystemEmulator, "qemu-system-x86"); err != nil {
		t.Skip(err)
	}
	if _, err := DefaultSystem().kernel(); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("busybox"); err != nil {
		t.Skip(err)
	}
}

// recordedMachine gives the file, and what is in it.
func recordedMachine(t *testing.T, c Config) ([]byte, *tracetest.Trace, Result) {
	t.Helper()
	var said, out bytes.Buffer
	c.Errors, c.Output = &said, &said
	result, err := Run(t.Context(), c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return out.Bytes(), slurp(t, tracetest.Open(t, out.Bytes())), result
}

// rounds counts the rounds of counts.S: a load, a store and a locked increment at known places of a
// page.
func rounds(m *tracetest.Trace) (n int) {
	for _, records := range m.Records {
		var data []traces.Record
		for _, r := range records {
			if r.Kind <= traces.Atomic {
				data = append(data, r)
			}
		}
		for i := range max(0, len(data)-2) {
			at, d := data[i].Address, data[i:i+3]
			if at%traces.PageBytes == 0 && d[0].Kind == traces.Load && d[1].Kind == traces.Store && d[1].Address == at+8 &&
				d[2].Kind == traces.Atomic && d[2].Address == at+16 && d[0].Size == 3 && d[2].Instructions == 1 {
				n++
			}
		}
	}
	return n
}

// TestMachine: a machine is booted and its program recorded with the kernel; a second recording is
// the same to the last byte.
func TestMachine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("boots a machine")
	}
	needMachine(t)
	c := machineConfig(compile(t, "counts.S", "-nostdlib", "-static"))
	first, m, result := recordedMachine(t, c)
	// An interrupt now and then comes between the three accesses.
	if n := rounds(m); n < 990 || n > 1000 {
		t.Errorf("%d rounds of the program's 1000 are in the trace", n)
	}
	if result.Status != "exit status 7" || result.Reason != ProgramEnded || result.Metadata.Addresses != "physical" {
		t.Errorf("%q, %v, %+v", result.Status, result.Reason, result.Metadata)
	}
	for core, records := range m.Records {
		n, _ := tally(records)
		for _, r := range records {
			if r.Kind.IsAccess() && r.Address >= 256<<20 {
				t.Fatalf("core %d: %+v is outside the machine's memory", core, r)
			}
		}
		if core == 0 && n[traces.Fetch] == 0 {
			t.Error("no fetches")
		}
	}
	second, _, _ := recordedMachine(t, c)
	if !bytes.Equal(first, second) {
		t.Errorf("two recordings of one machine differ: %d and %d bytes", len(first), len(second))
	}
}

// TestMarkersInMachine: a script begins and ends the region, files are where they should be, setup
// has been done, and a limit ends the machine.
func TestMarkersInMachine(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("boots two machines; set CAROUSEL_LONG=1")
	}
	needMachine(t)
	program := compile(t, "counts.S", "-nostdlib", "-static")
	file := filepath.Join(t.TempDir(), "file")
	must.Do(os.WriteFile(file, []byte("here"), 0o600))
	c := machineConfig("sh", "-c", "test $(cat /data/x) = here || exit 3; test -e /tmp/done || exit 4; "+program+"; region-begin; "+program+"; region-end; "+program+"; exit 5")
	c.Marker, c.GoOn, c.System.Setup = true, true, "echo >/tmp/done"
	c.System.Files = []string{file + "=/data/x", program}
	_, m, result := recordedMachine(t, c)
	if n := rounds(m); n < 990 || n > 1000 || result.Status != "exit status 5" || result.Reason != MarkerReached {
		t.Errorf("%d rounds, %q, %v", n, result.Status, result.Reason)
	}
	c.GoOn, c.Records = false, 100
	_, m, result = recordedMachine(t, c)
	total := 0
	for _, records := range m.Records {
		total += len(records) - 1
	}
	if result.Reason != RecordsReached || result.Status != "" || total < 100 || total > 110 {
		t.Errorf("%d records, %q, %v", total, result.Status, result.Reason)
	}
	c.System.Setup = "exit 9"
	if _, err := Run(t.Context(), c, traces.ToStream(io.Discard, traces.DefaultWriterConfig())); err == nil || !strings.Contains(err.Error(), "with status 9") {
		t.Error(err)
	}
}

// TestThreadsInMachine: all of 16 processors work, and two recordings are the same to the last
// byte.
func TestThreadsInMachine(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("boots a machine with 16 processors; set CAROUSEL_LONG=1")
	}
	needMachine(t)
	c := machineConfig(compile(t, "openmp.c", "-fopenmp"))
	c.Cores, c.Environment = 16, []string{"OMP_NUM_THREADS=16", "OMP_WAIT_POLICY=passive"}
	first, m, result := recordedMachine(t, c)
	if result.Status != "" {
		t.Error(result.Status)
	}
	for core, records := range m.Records {
		if n, _ := tally(records); n[traces.Atomic] == 0 || n[traces.Load] < 1000 {
			t.Errorf("core %d: %v", core, n)
		}
	}
	second, _, _ := recordedMachine(t, c)
	if !bytes.Equal(first, second) {
		t.Errorf("two recordings of one machine differ: %d and %d bytes", len(first), len(second))
	}
}

// TestTasksInMachine: threads that stay on their processors take tickets in a machine, too.
func TestTasksInMachine(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("boots a machine; set CAROUSEL_LONG=1")
	}
	needMachine(t)
	path := filepath.Join(t.TempDir(), "tasks.trace")
	c := machineConfig(compile(t, "tasks.c", "-pthread", "-DTASKS=6000"))
	c.Cores = 4
	must.Get(Run(t.Context(), c, traces.ToFile(path, traces.DefaultWriterConfig())))
	f := must.Get(traces.Open(path, traces.DefaultReaderConfig()))
	defer f.Close()
	survey := must.Get(f.Verify())
	own, ok := f.Tickets()
	if !ok || survey.Sum().Tickets < 1000 || len(own[0]) == 0 {
		t.Errorf("given out %t, %d tickets, own lines %x", ok, survey.Sum().Tickets, own)
	}
}

// TestMachinesRules: addresses are physical already, a processor is a core, and devices are no
// memory.
func TestMachinesRules(t *testing.T) {
	c := machineConfig("test")
	m, k, err := converted(t, c, encode(hello,
		message{kind: kindFetch, thread: 1, value: 0x123000, instructions: 1, size: 6, system: true},
		message{kind: kindStore, thread: 1, value: 0x7000, size: 3, system: true},
		message{kind: kindDevice, thread: 1, instructions: 3, size: 2, system: true},
		message{kind: kindLoad, thread: 0, value: 0x7000, instructions: 1, size: 3},
		message{kind: kindLoad, thread: 1, value: 0x7010, instructions: 2, size: 2}, message{kind: kindOver}))
	if err != nil {
		t.Fatal(err)
	}
	want := &tracetest.Trace{
		Records: [][]traces.Record{
			{{Kind: traces.Load, Address: 0x7000, Instructions: 1, Size: 3}, {Kind: traces.End}},
			{{Kind: traces.Fetch, Address: 0x123000, Instructions: 1, Size: 6}, {Kind: traces.Store, Address: 0x7000, Size: 3},
				{Kind: traces.Load, Address: 0x7010, Instructions: 5, Size: 2}, {Kind: traces.End}},
		},
		Edges: [][]traces.Edge{{{At: 0, Position: 1, Producer: 1}}, nil},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("%+v\nwant\n%+v", m, want)
	}
	if n := k.counts; n.kinds[kindDevice] != 1 || n.bySystem != 1 || n.fetchedBySystem != 1 {
		t.Errorf("%+v", n)
	}
	_, _, err = converted(t, c, encode(hello, message{kind: kindLoad, thread: 2}))
	if !errors.Is(err, errStream) || !strings.Contains(err.Error(), "processor 2, and the machine has 2") {
		t.Error(err)
	}
}

func TestMachinesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"memory is 4096 MiB":       func(c *Config) { c.System.Memory = 4096 },
		"at most 255":              func(c *Config) { c.Cores = 256 },
		"are for single programs":  func(c *Config) { c.Children = true },
		"skipped instructions are": func(c *Config) { c.SkipInstructions = 1 },
	} {
		c := machineConfig("test")
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	y := DefaultSystem()
	y.Kernel = filepath.Join(t.TempDir(), "none")
	if _, err := y.kernel(); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	y.Busybox = "no-such-busybox"
	if err := y.addBusybox(nil); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install busybox-static") {
		t.Error(err)
	}
	c := machineConfig("sh")
	c.Emulator = "no-such-emulator"
	if _, err := Run(t.Context(), c, nil); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install qemu-system-x86") {
		t.Error(err)
	}
}

func TestNewestKernel(t *testing.T) {
	list := []string{"vmlinuz-6.1.0-9-amd64", "vmlinuz-6.1.0-10-amd64", "vmlinuz-5.19", "vmlinuz-6.1.0-10-cloud-amd64", "vmlinuz-6.01.0-11", "vmlinuz-6.1"}
	slices.SortFunc(list, func(a, b string) int {
		if newer(a, b) {
			return 1
		}
		return -1
	})
	want := []string{"vmlinuz-5.19", "vmlinuz-6.1", "vmlinuz-6.1.0-9-amd64", "vmlinuz-6.1.0-10-amd64", "vmlinuz-6.1.0-10-cloud-amd64", "vmlinuz-6.01.0-11"}
	if !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}

// TestMarkerProgram: it is a program, it holds the marker, and Linux runs it.
func TestMarkerProgram(t *testing.T) {
	b := markerProgram(2)
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil || f.Machine != elf.EM_X86_64 || len(f.Progs) != 1 || f.Progs[0].Filesz != uint64(len(b)) {
		t.Fatalf("%+v, %v", f, err)
	}
	if code := b[f.Entry-f.Progs[0].Vaddr:]; !bytes.HasPrefix(code, []byte{0x0f, 0x1f, 0x80, 2, 0, 0xa7, 0x0c}) {
		t.Errorf("% x", code)
	}
	path := filepath.Join(t.TempDir(), "marker")
	must.Do(os.WriteFile(path, b, 0o700))
	if err := exec.Command(path).Run(); err != nil {
		t.Error(err)
	}
}

// TestScript: the shell sees the words as they were given.
func TestScript(t *testing.T) {
	c := machineConfig("prog", "a b", "it's", "")
	text := c.script("/a'b/prog", "/here")
	if !strings.Contains(text, `'/a'\''b/prog' 'a b' 'it'\''s' '' </dev/null`) || !strings.Contains(text, beginProgram+"\n") {
		t.Error(text)
	}
	if out, err := exec.Command("sh", "-c", "printf '%s|' "+quote("it's")+" "+quote("$HOME `x`")).Output(); err != nil || string(out) != "it's|$HOME `x`|" {
		t.Errorf("%s, %v", out, err)
	}
	c.Marker = true
	if text := c.script("prog", "/"); strings.Contains(text, beginProgram) || strings.Contains(text, endProgram) {
		t.Error(text)
	}
}

// TestMonitor: events between an answer and its command, errors, and a status that is waited for.
func TestMonitor(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		requests, answers := json.NewDecoder(there), []string{
			`{"event":"STOP"} {"return":{"status":"inmigrate"}}`, `{"return":{"status":"paused"}}`, `{"error":{"desc":"it is late"}}`}
		for _, a := range answers {
			var request any
			if requests.Decode(&request) != nil {
				return
			}
			_, _ = io.WriteString(there, a)
		}
		there.Close()
	}()
	m := &monitor{here, json.NewDecoder(here)}
	if err := m.status(t.Context(), "query-status", "paused", ""); err != nil {
		t.Error(err)
	}
	if err := m.execute("cont", nil, nil); err == nil || !strings.Contains(err.Error(), "cont: it is late") {
		t.Error(err)
	}
	if err := m.execute("cont", nil, nil); err == nil {
		t.Error("the connection was closed")
	}
	ended := make(chan struct{})
	close(ended)
	if _, err := dial(context.Background(), filepath.Join(t.TempDir(), "socket"), ended); err == nil {
		t.Error("nobody listens")
	}
}

// TestKeptStates: those used last stay, and what was written is what is read.
func TestKeptStates(t *testing.T) {
	folder := t.TempDir()
	for i := range 7 {
		path := filepath.Join(folder, "machine-"+string(rune('a'+i))+".zst")
		f := must.Get(os.Create(path))
		must.Do(writeState(f, strings.NewReader("state")))
		f.Close()
		used := time.Now().Add(-time.Duration(i) * time.Hour)
		must.Do(os.Chtimes(path, used, used))
	}
	forgetStates(folder)
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != keptStates || filepath.Base(left[keptStates-1]) != "machine-d.zst" {
		t.Errorf("%q", left)
	}
	var b bytes.Buffer
	if err := readState(left[0], &b); err != nil || b.String() != "state" {
		t.Errorf("%q, %v", b.String(), err)
	}
	must.Do(os.Truncate(left[0], 9))
	if err := readState(left[0], io.Discard); err == nil {
		t.Error("a damaged state was read")
	}
}

package record

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// registerNames names the bits of the plugin's sets of registers.
func registerNames(set uint64) string {
	general := []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	var list []string
	for i := range 64 {
		switch {
		case set>>i&1 == 0:
		case i < 16:
			list = append(list, general[i])
		case i < 48:
			list = append(list, fmt.Sprintf("v%d", i-16))
		case i == 48:
			list = append(list, "flags")
		default:
			list = append(list, "x87")
		}
	}
	return strings.Join(list, " ")
}

// TestRegisters holds the plugin's decoder to instructions of every kind.
func TestRegisters(t *testing.T) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	program := filepath.Join(t.TempDir(), "registers")
	args := []string{"-O1", "-Wall", "-Wextra", "-Werror", "-Iplugin", "-o", program, "testdata/registers_main.c"}
	for _, part := range []string{"registers", "operands", "integers", "system", "vectors"} {
		args = append(args, "plugin/"+part+".c")
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := must.Get(os.ReadFile("testdata/registers.txt"))
	codes, cases := "", [][]string{}
	for line := range strings.Lines(string(text)) {
		if c := strings.Split(line, ";"); !strings.HasPrefix(line, "#") {
			codes, cases = codes+c[0]+"\n", append(cases, c)
		}
	}
	command := exec.Command(program)
	command.Stdin = strings.NewReader(codes)
	out := must.Get(command.Output())
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(cases) || len(cases) < 80 {
		t.Fatalf("%d answers to %d instructions", len(lines), len(cases))
	}
	for i, c := range cases {
		var address, reads, writes uint64
		var bits string
		if _, err := fmt.Sscanf(lines[i], "%x %x %x %s", &address, &reads, &writes, &bits); err != nil {
			t.Fatal(err)
		}
		traits := ""
		for i, letter := range "mlfu" {
			if bits[i] == '1' {
				traits += string(letter)
			}
		}
		for k, got := range []string{registerNames(address), registerNames(reads), registerNames(writes), traits} {
			if want := strings.TrimSpace(c[2+k]); got != want {
				t.Errorf("%s: of address, reads, writes and traits, number %d is %q, want %q", c[1], k, got, want)
			}
		}
	}
}

// dataAccess is a load or store of a recording.
type dataAccess struct {
	kind       traces.Kind
	address    uint64 // virtual
	dependence int
}

// dataAccesses records a program without fetches.
func dataAccesses(t *testing.T, program ...string) (list []dataAccess) {
	t.Helper()
	c := DefaultConfig()
	var said bytes.Buffer
	c.Cores, c.Program, c.Cache, c.Fetches, c.Marker, c.Errors = 1, program, cache, false, true, &said
	var out bytes.Buffer
	if _, err := Run(t.Context(), c, traces.ToStream(&out, traces.DefaultWriterConfig())); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	trace := tracetest.Read(t, out.Bytes())
	pages := map[uint64]uint64{}
	for _, p := range trace.Pages[0] {
		pages[p.Frame] = p.Virtual
	}
	for _, r := range trace.Records[0] {
		if r.Kind.IsAccess() {
			list = append(list, dataAccess{r.Kind, pages[r.Address>>12]<<12 | r.Address&4095, int(r.Dependence)})
		}
	}
	return list
}

// TestDependences records chains of loads. The test builds the ring of nodes as dependences.c does,
// so it knows which node each load of a chain leads to: the load of that node depends on it.
func TestDependences(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O3", "-mavx2", "-mfma"}} {
		program := compile(t, "dependences.c", append(flags, "-static")...)
		ring := newRing(t, program)
		for _, what := range []string{"chase", "mix", "indices"} {
			chained, found := ring.chains(t, dataAccesses(t, program, what), what == "chase" && flags[0] != "-O0")
			if chained < 3990 || found*100 < chained*99 {
				t.Errorf("%v, %s: %d of %d loads of chains depend on the load that has their address", flags, what, found, chained)
			}
		}
		streamed := 0
		list := dataAccesses(t, program, "stream")
		for _, a := range list {
			if a.kind == traces.Load && a.dependence > 0 {
				streamed++
			}
		}
		if flags[0] != "-O0" && streamed*100 > len(list) {
			t.Errorf("%v, stream: %d of %d loads have dependences, and none depends on another", flags, streamed, len(list))
		}
	}
}

const ringNodes, nodeBytes = 4096, 64

// ring is the array of nodes of dependences.c.
type ring struct {
	base uint64
	next [ringNodes]int
}

// newRing links the nodes as link_up of dependences.c does, and finds them in the program.
func newRing(t *testing.T, program string) *ring {
	t.Helper()
	r := new(ring)
	var order [ringNodes]int
	for i := range order {
		order[i] = i
	}
	for i, s := ringNodes-1, uint32(1); i > 0; i-- {
		s = s*1664525 + 1013904223
		k := int(s>>8) % i
		order[i], order[k] = order[k], order[i]
	}
	for i := range order {
		r.next[order[i]] = order[(i+1)%ringNodes]
	}
	file := must.Get(elf.Open(program))
	defer file.Close()
	symbols := must.Get(file.Symbols())
	for _, s := range symbols {
		if s.Name == "nodes" && s.Size == ringNodes*nodeBytes {
			r.base = s.Value
			return r
		}
	}
	t.Fatal("the program has no symbol nodes")
	return nil
}

// node returns which node a load reads, or -1.
func (r *ring) node(a dataAccess) int {
	if at := a.address - r.base; a.kind == traces.Load && at < ringNodes*nodeBytes {
		return int(at / nodeBytes)
	}
	return -1
}

// keptWithin is how many accesses after the load of a pointer compiled code stores it, where it does.
const keptWithin = 16

// chains counts the loads of nodes that an earlier load leads to, and those of them that depend on
// it, or on a load of the place where its result was kept in between.
func (r *ring) chains(t *testing.T, list []dataAccess, exact bool) (chained, found int) {
	t.Helper()
	leader := map[int]int{}    // by node, the latest load that leads to it
	stored := map[uint64]int{} // by address, the latest store
	from := make([]int, len(list))
	for i, a := range list {
		if from[i] = -1; a.kind == traces.Store {
			stored[a.address] = i
		} else if at, known := stored[a.address]; known {
			from[i] = at
		}
		node := r.node(a)
		if node < 0 {
			continue
		}
		if lead, known := leader[node]; known && i-lead < 64 {
			chained++
			on := i - a.dependence
			if kept := from[on]; on == lead || kept > lead && kept-lead <= keptWithin && a.dependence > 0 {
				found++
			}
			if exact && on != lead {
				t.Fatalf("access %d depends on the one %d before it, want %d", i, a.dependence, i-lead)
			}
		}
		leader[r.next[node]] = i
	}
	return chained, found
}

// TestEmulatorsVersion: what the recorder cannot work with is refused by name and version.
func TestEmulatorsVersion(t *testing.T) {
	for _, c := range []struct{ says, problem string }{
		{"qemu-x86_64 version 7.2.22 (Debian)", ""},
		{"qemu-x86_64 version 6.2.0", ""},
		{"qemu-x86_64 version 8.2.1", ""},
		{"qemu-x86_64 version 6.1.0", "QEMU 6.1; the recorder needs 6.2 to 8.2"},
		{"qemu-x86_64 version 9.0.0", "QEMU 9.0; the recorder needs"},
		{"hello", "does not print its version"},
	} {
		path := filepath.Join(t.TempDir(), "qemu")
		must.Do(os.WriteFile(path, []byte("#!/bin/sh\necho '"+c.says+"'\n"), 0o700))
		_, _, err := emulator(path, "qemu-user")
		if c.problem == "" && err != nil || c.problem != "" && (!errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	if _, _, err := emulator("no-such-emulator", "qemu-user"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install qemu-user") {
		t.Error(err)
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := library(t.TempDir(), "plugin"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install gcc") {
		t.Error(err)
	}
}

func TestProgramsThatCannotBeRecorded(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	must.Do(os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700))
	for name, problem := range map[string]string{script: "name its interpreter first", "no-such-program": "cannot be run"} {
		if _, err := openProgram(name); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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

// registerCases are instructions with the registers of their addresses, what they read and what
// they write; then whether they may access memory (m), load what they write (l), leave a frame
// (f), or are unknown (u).
var registerCases = []struct{ code, name, address, reads, writes, traits string }{
	{"488b0411", "mov rax,[rcx+rdx]", "rcx rdx", "", "rax", "ml"},
	{"4e8b44e508", "mov r8,[rbp+r12*8+8]", "rbp r12", "", "r8", "ml"},
	{"488b04c500000000", "mov rax,[rax*8]", "rax", "", "rax", "ml"},
	{"488b0500000000", "mov rax,[rip]", "", "", "rax", "ml"},
	{"49890424", "mov [r12],rax", "r12", "rax", "", "m"},
	{"8a27", "mov ah,[rdi]", "rdi", "rax", "rax", "ml"},
	{"408a37", "mov sil,[rdi]", "rdi", "rsi", "rsi", "ml"},
	{"668b07", "mov ax,[rdi]", "rdi", "rax", "rax", "ml"},
	{"8b07", "mov eax,[rdi]", "rdi", "", "rax", "ml"},
	{"4801d8", "add rax,rbx", "", "rax rbx", "rax flags", ""},
	{"480318", "add rbx,[rax]", "rax", "rbx", "rbx flags", "ml"},
	{"480118", "add [rax],rbx", "rax", "rbx", "flags", "ml"},
	{"4811d8", "adc rax,rbx", "", "rax rbx flags", "rax flags", ""},
	{"4839d8", "cmp rax,rbx", "", "rax rbx", "flags", ""},
	{"31c0", "xor eax,eax", "", "", "rax flags", ""},
	{"4531c9", "xor r9d,r9d", "", "", "r9 flags", ""},
	{"33c1", "xor eax,ecx", "", "rax rcx", "rax flags", ""},
	{"488d0411", "lea rax,[rcx+rdx]", "", "rcx rdx", "rax", ""},
	{"4157", "push r15", "rsp", "r15", "", "m"},
	{"415f", "pop r15", "rsp", "", "r15", "ml"},
	{"c9", "leave", "rsp", "", "rbp", "mlf"},
	{"c3", "ret", "rsp", "", "", "ml"},
	{"e800000000", "call", "rsp", "", "", "m"},
	{"ff10", "call [rax]", "rax rsp", "", "", "ml"},
	{"ffe2", "jmp rdx", "", "rdx", "", ""},
	{"ff30", "push [rax]", "rax rsp", "", "", "ml"},
	{"48ffc0", "inc rax", "", "rax flags", "rax flags", ""},
	{"4863d0", "movsxd rdx,eax", "", "rax", "rdx", ""},
	{"0fb6c4", "movzx eax,ah", "", "rax", "rax", ""},
	{"480f44c1", "cmove rax,rcx", "", "rax rcx flags", "rax", ""},
	{"0f94c0", "sete al", "", "rax flags", "rax", ""},
	{"48f7e1", "mul rcx", "", "rax rcx", "rax rdx flags", ""},
	{"48f7f1", "div rcx", "", "rax rcx rdx", "rax rdx flags", ""},
	{"48d3e0", "shl rax,cl", "", "rax rcx flags", "rax flags", ""},
	{"48c1e003", "shl rax,3", "", "rax", "rax flags", ""},
	{"4899", "cqo", "", "rax", "rdx", ""},
	{"f0480fb111", "lock cmpxchg [rcx],rdx", "rcx", "rax rdx", "rax flags", "ml"},
	{"f0480fc111", "lock xadd [rcx],rdx", "rcx", "rdx", "rdx flags", "ml"},
	{"488711", "xchg [rcx],rdx", "rcx", "rdx", "rdx", "ml"},
	{"480fb318", "btr [rax],rbx", "rax rbx", "rbx", "flags", "ml"},
	{"480fc8", "bswap rax", "", "rax", "rax", ""},
	{"0fa2", "cpuid", "", "", "rax rcx rdx rbx", ""},
	{"0f05", "syscall", "", "", "rax rcx r11", ""},
	{"f348a5", "rep movsq", "rsi rdi", "", "", "m"},
	{"f348ab", "rep stosq", "rdi", "rax", "", "m"},
	{"48ad", "lodsq", "rsi", "", "rax", "ml"},
	{"0f1f4000", "nop [rax]", "", "", "", ""},
	{"0f1806", "prefetchnta [rsi]", "", "", "", ""},
	{"dd00", "fld [rax]", "rax", "x87", "x87", "ml"},
	{"dd18", "fstp [rax]", "rax", "x87", "", "m"},
	{"d928", "fldcw [rax]", "rax", "", "", "m"},
	{"f20f1000", "movsd xmm0,[rax]", "rax", "", "v0", "ml"},
	{"f20f10c1", "movsd xmm0,xmm1", "", "v0 v1", "v0", ""},
	{"f20f1100", "movsd [rax],xmm0", "rax", "v0", "", "m"},
	{"f20f5803", "addsd xmm0,[rbx]", "rbx", "v0", "v0", "ml"},
	{"660fefc0", "pxor xmm0,xmm0", "", "", "v0", ""},
	{"660fefc1", "pxor xmm0,xmm1", "", "v0 v1", "v0", ""},
	{"f2480f2ac0", "cvtsi2sd xmm0,rax", "", "rax v0", "v0", ""},
	{"f2480f2cc0", "cvttsd2si rax,xmm0", "", "v0", "rax", ""},
	{"66480f6ec0", "movq xmm0,rax", "", "rax", "v0", ""},
	{"66480f7ec0", "movq rax,xmm0", "", "v0", "rax", ""},
	{"660f7f00", "movdqa [rax],xmm0", "rax", "v0", "", "m"},
	{"660fd7c0", "pmovmskb eax,xmm0", "", "v0", "rax", ""},
	{"660f2ec1", "ucomisd xmm0,xmm1", "", "v0 v1", "flags", ""},
	{"0f6f00", "movq mm0,[rax]", "rax", "", "x87", "ml"},
	{"660f3800c1", "pshufb xmm0,xmm1", "", "v0 v1", "v0", ""},
	{"660f3a16c001", "pextrd eax,xmm0,1", "", "v0", "rax", ""},
	{"660f3a22c001", "pinsrd xmm0,eax,1", "", "rax v0", "v0", ""},
	{"c5fd6f00", "vmovdqa ymm0,[rax]", "rax", "", "v0", "ml"},
	{"c5fd7f00", "vmovdqa [rax],ymm0", "rax", "v0", "", "m"},
	{"c4c1755804c4", "vaddpd ymm0,ymm1,[r12+rax*8]", "rax r12", "v1", "v0", "ml"},
	{"c5f5efc1", "vpxor ymm0,ymm1,ymm1", "", "", "v0", ""},
	{"c5f5efc2", "vpxor ymm0,ymm1,ymm2", "", "v1 v2", "v0", ""},
	{"c4e2f5b8c2", "vfmadd231pd ymm0,ymm1,ymm2", "", "v0 v1 v2", "v0", ""},
	{"c4e2ed920408", "vgatherdpd ymm0,[rax+xmm1],ymm2", "rax v1", "v0 v2", "v0 v2", "ml"},
	{"c4e3754ac230", "vblendvps ymm0,ymm1,ymm2,ymm3", "", "v1 v2 v3", "v0", ""},
	{"c5f572f203", "vpslld ymm1,ymm2,3", "", "v2", "v1", ""},
	{"c5f877", "vzeroupper", "", "", "", ""},
	{"c4e27d180411", "vbroadcastss ymm0,[rcx+rdx]", "rcx rdx", "", "v0", "ml"},
	{"c4e26d2c00", "vmaskmovps ymm0,ymm2,[rax]", "rax", "v2", "v0", "ml"},
	{"c4e2e8f2c3", "andn rax,rdx,rbx", "", "rdx rbx", "rax flags", ""},
	{"c4e2ebf6c3", "mulx rax,rdx,rbx", "", "rdx rbx", "rax rdx", ""},
	{"c4e2fbf7c3", "shrx rax,rbx,rax", "", "rax rbx", "rax", ""},
	{"c4e3fbf0c308", "rorx rax,rbx,8", "", "rbx", "rax", ""},
	{"f2480f38f1c3", "crc32 rax,rbx", "", "rax rbx", "rax", ""},
	{"62f17c481006", "vmovups zmm0,[rsi]", "rsi", "", "", "mu"},
	{"0fff", "ud0", "", "", "", "mu"},
	{"c4", "cut short", "", "", "", "mu"},
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
	var codes strings.Builder
	for _, c := range registerCases {
		fmt.Fprintln(&codes, c.code)
	}
	command := exec.Command(program)
	command.Stdin = strings.NewReader(codes.String())
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(registerCases) {
		t.Fatalf("%d answers to %d instructions", len(lines), len(registerCases))
	}
	for i, c := range registerCases {
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
		got := [...]string{registerNames(address), registerNames(reads), registerNames(writes), traits}
		if want := [...]string{c.address, c.reads, c.writes, c.traits}; got != want {
			t.Errorf("%s: address, reads, writes, traits are %q, want %q", c.name, got, want)
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
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+c.says+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, problem := range map[string]string{script: "name its interpreter first", "no-such-program": "cannot be run"} {
		if _, err := openProgram(name); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

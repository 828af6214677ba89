package record

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

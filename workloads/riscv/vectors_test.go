package riscv

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

var update = flag.Bool("update", false, "write testdata/vectors.txt anew, with riscv64-linux-gnu-gcc and qemu-riscv64")

const vectorFile = "testdata/vectors.txt"

// vector is what an instruction gets: three operands, which it finds in integer and floating-point
// registers, and a rounding mode.
type vector struct{ a, b, c, mode uint64 }

// vectors are the same in each run: numbers at the ends of ranges, and random ones.
func vectors() (list []vector) {
	special := []uint64{0, 1, 2, 3, 31, 63, 1 << 31, 1<<31 - 1, 1 << 63, 1<<63 - 1, ^uint64(0), ^uint64(0) - 1, 0xffffffff, 0x8000000000000001}
	for _, v := range []float64{0, 1, -1, 1.5, -2.5, 0.1, 3.9999999, -0.75, 1e300, -1e-300, 5e-324, 2.5e-308, math.MaxFloat64, 2147483647.5, -2147483648.7,
		4294967295.9, 9.2233720368547758e18, 1.8446744073709552e19, math.Inf(1), math.Inf(-1), math.NaN(), 1 + 0x1p-52, 0x1p-1022} {
		special = append(special, math.Float64bits(v), math.Float64bits(-v), uint64(math.Float32bits(float32(v)))|boxed, uint64(math.Float32bits(float32(-v)))|boxed)
	}
	special = append(special, 0x7ff0000000000001, boxed|0x7f800001, boxed|1, boxed|0x7fffff, boxed|0x800000, boxed|0x3f800001)
	s := random.Stream(37)
	draw := func() uint64 {
		switch s.Remainder(6) {
		case 0:
			return s.Uint64()
		case 1:
			return uint64(math.Float32bits(float32(int32(s.Uint64()))/float32(1+s.Remainder(1000)))) | boxed
		case 2:
			return math.Float64bits(float64(int64(s.Uint64())) / float64(1+s.Remainder(1000)))
		}
		return special[s.Remainder(len(special))]
	}
	for i := range 600 {
		v := vector{draw(), draw(), draw(), uint64(i % 5)}
		if i%7 == 0 {
			v.b = v.a
		}
		list = append(list, v)
	}
	return list
}

// sequence is instructions that vectors test. They get the operands in registers 11 to 13, a rounding
// mode, which register 14 has as a number, and 32 bytes of memory with the operands at register 20.
// The result is in register 10.
type sequence struct {
	name  string
	code  []uint32
	float bool // result in a floating-point register
}

// sequences returns those of all instructions but fences, calls and markers.
func sequences(t *testing.T) (list []sequence) {
	const data, link, scratch = 20, a5, t0
	for i := range table {
		r := &table[i]
		p := &program{t: t}
		at := func(imm int) { // scratch is up to 4 bytes, by the rounding mode, behind a place in memory
			p.R("add", scratch, data, a4)
			p.I("addi", scratch, scratch, imm)
		}
		switch {
		case strings.HasPrefix(r.name, "sc."): // one that succeeds, and one that fails
			lr := strings.Replace(r.name, "sc", "lr", 1)
			p.I("addi", scratch, data, 8)
			p.R(lr, link, scratch, 0)
			p.R(r.name, link, scratch, a1)
			p.R(r.name, a0, scratch, a3)
			p.I("slli", a0, a0, 1)
			p.R("add", a0, a0, link)
		case r.kind == atomic:
			p.I("addi", scratch, data, 8)
			p.R(r.name, a0, scratch, a3)
		case r.kind == load:
			at(13)
			p.I(r.name, a0, scratch, -5)
		case r.kind == store:
			p.I("addi", a0, zero, 0)
			at(13)
			p.S(r.name, scratch, a3, -5)
		case r.kind != plain:
			continue
		case strings.Contains(r.operands, "B"): // 1 if it is not taken, else 2
			p.S(r.name, a1, a2, 12)
			p.I("addi", a0, zero, 1)
			p.I("jal", zero, 0, 8)
			p.I("addi", a0, zero, 2)
		case r.name == "jal", r.name == "jalr", r.name == "auipc":
			p.I("auipc", link, 0, 0)
			p.code = append(p.code, encode(t, r.name, a0, link, 0, map[string]int{"jal": 8, "jalr": 13, "auipc": -0x65433000}[r.name]))
			if r.name != "auipc" {
				p.I("addi", a0, zero, -1) // jumped over
			}
			p.R("sub", a0, a0, link)
		case strings.Contains(r.operands, "z"):
			p.I(r.name, a0, map[bool]uint32{true: a1, false: 13}[strings.Contains(r.operands, "1")], csrFloat)
			p.I("csrrs", link, zero, csrMode)
			p.I("slli", link, link, 8)
			p.R("add", a0, a0, link)
		default:
			raw := encode(t, r.name, a0, a1, a2, map[bool]int{true: 13, false: -0x544}[strings.Contains(r.operands, "h")])
			if strings.Contains(r.operands, "c") {
				raw |= a3 << 27
			}
			if strings.Contains(r.operands, "m") {
				raw |= dynamic << 12
			}
			p.code = append(p.code, raw)
		}
		list = append(list, sequence{r.name, p.code, strings.Contains(r.operands, "D")})
	}
	return list
}

// outcome is what a sequence leaves: the result, exceptions, and a sum over the memory.
type outcome struct{ Result, Flags, Memory uint64 }

// Every instruction gives what QEMU gives, for 600 sets of operands in all rounding modes, with the
// exceptions and what it leaves in memory.
func TestInstructionsEqualQEMU(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	text := must.Get(os.ReadFile(vectorFile))
	want := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if name, digest, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "#") {
			want[name] = digest
		}
	}
	for _, q := range sequences(t) {
		if got := digest(q.execute(t)); got != want[q.name] {
			t.Errorf("%s: the results have digest %s, and QEMU's %s; -update shows the first difference", q.name, got, want[q.name])
		}
	}
}

// execute executes a sequence with all vectors, and calculations once more behind an inexact one, when
// the host computes most of them.
func (q *sequence) execute(t *testing.T) (list []outcome) {
	list = q.executeBehind(t, 0)
	if q.float {
		for i, o := range q.executeBehind(t, inexact) {
			if o.Result != list[i].Result || o.Flags != list[i].Flags|uint64(inexact) {
				t.Errorf("%s of %#x: %#x, and behind an inexact calculation %#x", q.name, vectors()[i], list[i], o)
			}
		}
	}
	return list
}

func (q *sequence) executeBehind(t *testing.T, raised exceptions) (list []outcome) {
	loaded := must.Get(Load(q.name, (&program{t: t, code: q.code}).elf(), DefaultConfig()))
	m := loaded.start()
	h := m.harts[0]
	for _, v := range vectors() {
		for i, x := range []uint64{v.a, v.b, v.c} {
			h.r[a1+i], h.r[32+a1+i] = x, x
			m.memory.write(dataAt+8*uint64(i), 3, x)
		}
		m.memory.write(dataAt+24, 3, v.mode)
		h.r[20], h.r[a4], h.rounding, h.flags, h.pc = dataAt, v.mode, uint8(v.mode), raised, codeAt
		for h.pc != codeAt+4*uint64(len(q.code)) && m.fault == nil {
			h.forward(1)
		}
		if m.fault != nil {
			t.Fatal(m.fault)
		}
		o := outcome{h.r[a0], uint64(h.flags), 0}
		if q.float {
			o.Result = h.r[32+a0]
		}
		for i := range uint64(4) {
			word, _ := m.memory.read(dataAt+8*i, 3)
			o.Memory = 3*o.Memory + word
		}
		list = append(list, o)
	}
	return list
}

func digest(list []outcome) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, list)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// writeVectors lets QEMU execute the same and keeps the digests. It reports the first difference of
// each instruction.
func writeVectors(t *testing.T) {
	all := sequences(t)
	folder := t.TempDir()
	var s strings.Builder
	s.WriteString(".globl _start\n_start:\nla s0, vectors\nla s1, results\n")
	for _, q := range all {
		fmt.Fprintf(&s, "li s2, %d\nmv s3, s0\n1:\nld a1, 0(s3)\nld a2, 8(s3)\nld a3, 16(s3)\nld a4, 24(s3)\n"+
			"fld fa1, 0(s3)\nfld fa2, 8(s3)\nfld fa3, 16(s3)\nla s4, data\nsd a1, 0(s4)\nsd a2, 8(s4)\nsd a3, 16(s4)\nsd a4, 24(s4)\nfscsr zero\nfsrm a4\n", len(vectors()))
		for _, raw := range q.code {
			fmt.Fprintf(&s, ".word %#x\n", raw)
		}
		s.WriteString(map[bool]string{true: "frflags a5\nfsd fa0, 0(s1)\n", false: "frflags a5\nsd a0, 0(s1)\n"}[q.float])
		s.WriteString("sd a5, 8(s1)\nli a4, 0\n.irp at, 0, 8, 16, 24\nslli a5, a4, 1\nadd a4, a4, a5\nld a5, \\at(s4)\nadd a4, a4, a5\n.endr\nsd a4, 16(s1)\n" +
			"addi s1, s1, 24\naddi s3, s3, 32\naddi s2, s2, -1\nbnez s2, 1b\n")
	}
	bytesOut := len(all) * len(vectors()) * 24
	fmt.Fprintf(&s, "la a1, results\nli s4, %d\n2:\nli a0, 1\nmv a2, s4\nli a7, 64\necall\nadd a1, a1, a0\nsub s4, s4, a0\nbgtz s4, 2b\nli a0, 0\nli a7, 94\necall\n.data\n.align 3\nvectors:\n", bytesOut)
	for _, v := range vectors() {
		fmt.Fprintf(&s, ".quad %#x, %#x, %#x, %#x\n", v.a, v.b, v.c, v.mode)
	}
	fmt.Fprintf(&s, "data: .zero 32\n.bss\n.align 3\nresults: .zero %d\n", bytesOut)
	source, binaryFile := filepath.Join(folder, "v.s"), filepath.Join(folder, "v")
	must.Do(os.WriteFile(source, []byte(s.String()), 0o666))
	if out, err := exec.Command("riscv64-linux-gnu-gcc", "-static", "-nostdlib", "-o", binaryFile, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	raw := must.Get(exec.Command("qemu-riscv64", binaryFile).Output())
	outcomes := make([]outcome, len(all)*len(vectors()))
	must.Do(binary.Read(bytes.NewReader(raw), binary.LittleEndian, outcomes))
	text := "# Digests of the results of qemu-riscv64, made by go test -run TestInstructionsEqualQEMU -update.\n"
	for i := range all {
		q := &all[i]
		want, got := outcomes[i*len(vectors()):][:len(vectors())], q.execute(t)
		text += q.name + " " + digest(want) + "\n"
		for k, v := range vectors() {
			if got[k] != want[k] {
				t.Errorf("%s of %#x, %#x, %#x, mode %d: %#x; QEMU gives %#x", q.name, v.a, v.b, v.c, v.mode, got[k], want[k])
				break
			}
		}
	}
	must.Do(os.WriteFile(vectorFile, []byte(text), 0o666))
}

// Compressed instructions stand for what the GNU assembler makes of the same text without them, and
// codes that have no meaning for none.
func TestCompressedInstructions(t *testing.T) {
	content := must.Get(os.ReadFile("testdata/compressed.txt"))
	n := 0
	for line := range strings.Lines(string(content)) {
		var short, want uint32
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x %x", &short, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got, long := decode(short), decode(want)
		if lookupCompressed(short).long != lookup(want).name || got.rd != long.rd || got.r1 != long.r1 || got.r2 != long.r2 || got.imm != long.imm || got.kind != long.kind || got.size != long.size {
			t.Errorf("%#x becomes %+v, want %+v, %s", short, got, long, line)
		}
		n++
	}
	if n < 200 {
		t.Errorf("%d instructions", n)
	}
	// All zeros, the reserved forms of C.ADDI4SPN, C.ADDIW, C.LUI, C.LWSP, C.LDSP and C.JR, and the space
	// of no extension that is executed.
	for _, short := range []uint32{0x0000, 0x0004, 0x2001, 0x6081, 0x4002, 0x6002, 0x8002, 0x8000, 0x9c41} {
		if in := decode(short); in.kind != stops {
			t.Errorf("%#x is executed, as %+v", short, in)
		}
	}
}

// Immediates of all formats are those that the GNU assembler has encoded.
func TestImmediates(t *testing.T) {
	content := must.Get(os.ReadFile("testdata/immediates.txt"))
	for line := range strings.Lines(string(content)) {
		var raw uint32
		var name string
		var want int64
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x %s %d", &raw, &name, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if r, in := lookup(raw), decode(raw); r == nil || r.name != name || in.imm != want {
			t.Errorf("%#08x becomes %+v, want %s", raw, in, line)
		}
	}
}

// What the host computes behind an inexact result is what the exact form computes, also where a fused
// result of singles is in the middle of two before it is rounded for good.
func TestHostEqualsExactForm(t *testing.T) {
	s := random.Stream(7)
	draw := func(f int) float64 {
		v := math.Ldexp(float64(int64(s.Uint64())), s.Remainder(160)-140)
		if f == 0 {
			v = float64(float32(v))
		}
		return v
	}
	for i := range 100_000 {
		op, f := operation(i%int(fused+1)), i/int(fused+1)%2
		a, b, c := draw(f), draw(f), draw(f)
		if op == fused && s.Remainder(3) == 0 {
			a, b, c = 4097, 4097, math.Ldexp(float64(s.Remainder(3)-1), -80)
		}
		if op == root {
			a = math.Abs(a)
		}
		want, _ := compute(op, f, toNearestEven, a, b, c, 0)
		if got, _ := compute(op, f, toNearestEven, a, b, c, inexact); got != want {
			t.Fatalf("operation %d of %x, %x, %x in format %d: %x, want %x", op, a, b, c, f, got, want)
		}
	}
}

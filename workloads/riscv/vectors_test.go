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

// computes reports whether vectors test a row: it changes registers alone, by its operands.
func (r *row) computes() bool {
	return r.kind == plain && !strings.ContainsAny(r.operands, "Bjz") && r.name != "jalr" && r.name != "auipc"
}

// operandsOf gives a row's instruction its registers: 10 for the result, 11 to 13 for sources.
func operandsOf(r *row) uint32 {
	raw := r.match
	for _, o := range r.operands {
		switch o {
		case 'd', 'D':
			raw |= a0 << 7
		case '1', 'a':
			raw |= a1 << 15
		case '2', 'b':
			raw |= a2 << 20
		case 'c':
			raw |= a3 << 27
		case 'i':
			raw |= 0xabc << 20
		case 'h':
			raw |= 13 << 20
		case 'u':
			raw |= 0x9abcd << 12
		case 'm':
			raw |= dynamic << 12
		}
	}
	return raw
}

// outcome is what an instruction leaves.
type outcome struct{ Result, Flags uint64 }

// Every instruction that computes gives what QEMU gives, for 600 sets of operands in all rounding
// modes, with the exceptions.
func TestInstructionsEqualQEMU(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if name, digest, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "#") {
			want[name] = digest
		}
	}
	for i := range table {
		if r := &table[i]; r.computes() {
			if got := digest(execute(r)); got != want[r.name] {
				t.Errorf("%s: the results have digest %s, and QEMU's %s; -update shows the first difference", r.name, got, want[r.name])
			}
		}
	}
}

// execute executes a row's instruction with all vectors.
func execute(r *row) (list []outcome) {
	m := (&Program{Config: DefaultConfig(), image: newMemory()}).start()
	h := m.harts[0]
	in := decode(operandsOf(r))
	for _, v := range vectors() {
		h.r[a1], h.r[a2], h.r[a3] = v.a, v.b, v.c
		h.r[32+a1], h.r[32+a2], h.r[32+a3] = v.a, v.b, v.c
		h.rounding, h.flags = uint8(v.mode), 0
		in.exec(h, &in)
		list = append(list, outcome{h.r[in.rd], uint64(h.flags)})
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
	var rows []*row
	for i := range table {
		if table[i].computes() {
			rows = append(rows, &table[i])
		}
	}
	folder := t.TempDir()
	var s strings.Builder
	s.WriteString(".globl _start\n_start:\nla s0, vectors\nla s1, results\n")
	for i, r := range rows {
		fmt.Fprintf(&s, "li s2, %d\nmv s3, s0\n1:\nld a1, 0(s3)\nld a2, 8(s3)\nld a3, 16(s3)\nld a4, 24(s3)\n"+
			"fld fa1, 0(s3)\nfld fa2, 8(s3)\nfld fa3, 16(s3)\nfscsr zero\nfsrm a4\n.word %#x # %s %d\nfrflags a5\n", len(vectors()), operandsOf(r), r.name, i)
		if r.operands[0] == 'D' {
			s.WriteString("fsd fa0, 0(s1)\n")
		} else {
			s.WriteString("sd a0, 0(s1)\n")
		}
		s.WriteString("sd a5, 8(s1)\naddi s1, s1, 16\naddi s3, s3, 32\naddi s2, s2, -1\nbnez s2, 1b\n")
	}
	bytesOut := len(rows) * len(vectors()) * 16
	fmt.Fprintf(&s, "la a1, results\nli s4, %d\n2:\nli a0, 1\nmv a2, s4\nli a7, 64\necall\nadd a1, a1, a0\nsub s4, s4, a0\nbgtz s4, 2b\nli a0, 0\nli a7, 94\necall\n.data\n.align 3\nvectors:\n", bytesOut)
	for _, v := range vectors() {
		fmt.Fprintf(&s, ".quad %#x, %#x, %#x, %#x\n", v.a, v.b, v.c, v.mode)
	}
	fmt.Fprintf(&s, ".bss\n.align 3\nresults: .zero %d\n", bytesOut)
	source, binaryFile := filepath.Join(folder, "v.s"), filepath.Join(folder, "v")
	if err := os.WriteFile(source, []byte(s.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("riscv64-linux-gnu-gcc", "-static", "-nostdlib", "-o", binaryFile, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	raw, err := exec.Command("qemu-riscv64", binaryFile).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]outcome, len(rows)*len(vectors()))
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, all); err != nil {
		t.Fatal(err)
	}
	text := "# Digests of the results of qemu-riscv64, made by go test -run TestInstructionsEqualQEMU -update.\n"
	for i, r := range rows {
		want, got := all[i*len(vectors()):][:len(vectors())], execute(r)
		text += r.name + " " + digest(want) + "\n"
		for k, v := range vectors() {
			if got[k] != want[k] {
				t.Errorf("%s of %#x, %#x, %#x, mode %d: %#x, flags %#x; QEMU gives %#x, %#x", r.name, v.a, v.b, v.c, v.mode,
					got[k].Result, got[k].Flags, want[k].Result, want[k].Flags)
				break
			}
		}
	}
	if err := os.WriteFile(vectorFile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Compressed instructions stand for what the GNU assembler makes of the same text without them, and
// codes that have no meaning for none.
func TestCompressedInstructions(t *testing.T) {
	content, err := os.ReadFile("testdata/compressed.txt")
	if err != nil {
		t.Fatal(err)
	}
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

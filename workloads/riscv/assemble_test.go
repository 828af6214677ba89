package riscv

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// Tests assemble programs by the inverse of the table.

// x and f name registers.
const (
	zero = iota
	ra
	stack
	_
	_
	t0
	t1
	t2
	s0
	s1
	a0
	a1
	a2
	a3
	a4
	a5
	a6
	a7
)

// encode returns the instruction of a name with registers by number and an immediate.
func encode(t testing.TB, name string, rd, r1, r2 uint32, imm int) uint32 {
	t.Helper()
	r := byName[name]
	if r == nil {
		t.Fatalf("no instruction %s", name)
	}
	raw := r.match
	for _, o := range r.operands {
		switch o {
		case 'd', 'D':
			raw |= rd & 31 << 7
		case '1', 'a':
			raw |= r1 & 31 << 15
		case '2', 'b':
			raw |= r2 & 31 << 20
		case 'i', 'h', 'z':
			raw = typeI(raw, 0, 0, uint32(imm))
		case 's':
			raw = typeS(raw, 0, 0, uint32(imm))
		case 'B':
			raw = typeB(raw, 0, 0, uint32(imm))
		case 'j':
			raw = typeJ(raw, 0, uint32(imm))
		case 'u':
			raw |= uint32(imm) &^ 0xfff
		}
	}
	return raw
}

// Instructions of 32 bits by format; match has opcode and function bits.
func typeI(match, rd, r1, imm uint32) uint32 { return match | rd<<7 | r1<<15 | imm<<20 }
func typeS(match, r1, r2, imm uint32) uint32 {
	return match | imm&31<<7 | r1<<15 | r2<<20 | imm>>5<<25
}
func typeB(match, r1, r2, imm uint32) uint32 {
	return match | imm>>11&1<<7 | imm>>1&15<<8 | r1<<15 | r2<<20 | imm>>5&63<<25 | imm>>12&1<<31
}
func typeJ(match, rd, imm uint32) uint32 {
	return match | rd<<7 | imm>>12&0xff<<12 | imm>>11&1<<20 | imm>>1&0x3ff<<21 | imm>>20&1<<31
}

// program collects instructions.
type program struct {
	t    testing.TB
	code []uint32
}

// I adds instructions of the format rd, rs1, immediate; R of three registers; S stores rs2 at
// rs1+immediate and branches if rs1 and rs2 compare.
func (p *program) I(name string, rd, r1 uint32, imm int) {
	p.code = append(p.code, encode(p.t, name, rd, r1, 0, imm))
}
func (p *program) R(name string, rd, r1, r2 uint32) {
	p.code = append(p.code, encode(p.t, name, rd, r1, r2, 0))
}
func (p *program) S(name string, r1, r2 uint32, imm int) {
	p.code = append(p.code, encode(p.t, name, 0, r1, r2, imm))
}

// set sets a register to a small number; call makes a system call.
func (p *program) set(rd uint32, v int) {
	p.I("lui", rd, 0, (v+0x800)&^0xfff)
	p.I("addiw", rd, rd, v<<20>>20)
}
func (p *program) call(number int) {
	p.set(a7, number)
	p.I("ecall", 0, 0, 0)
}

// Places of assembled programs.
const (
	codeAt    = 0x10000
	dataAt    = 0x20000
	dataBytes = 1 << 20
)

// elf makes an executable: the code at codeAt, and a megabyte of zeros at dataAt.
func (p *program) elf() []byte {
	var code bytes.Buffer
	_ = binary.Write(&code, binary.LittleEndian, p.code)
	header := elf.Header64{Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1}, Type: uint16(elf.ET_EXEC),
		Machine: uint16(elf.EM_RISCV), Version: 1, Entry: codeAt, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2}
	segments := []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 4096, Vaddr: codeAt, Filesz: uint64(code.Len()), Memsz: uint64(code.Len())},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: 4096, Vaddr: dataAt, Memsz: dataBytes}}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, header)
	_ = binary.Write(&b, binary.LittleEndian, segments)
	b.Write(make([]byte, 4096-b.Len()))
	b.Write(code.Bytes())
	return b.Bytes()
}

// KeepAtMost bounds the pages that windows may keep.
func KeepAtMost(c *WindowConfig, pages uint64) { c.mostKept = pages }

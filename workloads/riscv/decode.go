package riscv

import (
	"slices"
	"strings"
)

// kind says what an instruction does beside changing registers.
type kind uint8

const (
	plain kind = iota
	load
	store
	atomic
	fence // any, and fence.i: whether it needs a record depends on what it orders
	call  // ecall
	mark  // of the region
	stops // ebreak, and what cannot be decoded
)

// inst is a decoded instruction. Registers are numbered 0 to 31 for integers, 32 to 63 for floating
// point; 0, which is always zero, stands for none.
type inst struct {
	exec           func(h *hart, in *inst)
	imm            int64
	raw            uint32
	rd, r1, r2, r3 uint8
	kind           kind
	bytes          uint8
	size           uint8 // log2 of the bytes that it accesses
	mode           uint8 // rounding mode
	acquire        bool  // load with a fence for reads behind it
	hooked         bool  // the machine's host wants to know that a hart comes here
}

// row is one instruction of the table. It is the one whose bits under the mask are those of match.
type row struct {
	name        string
	mask, match uint32
	// operands tells where registers and the immediate are: d rd, 1 rs1, 2 rs2, the same as
	// floating-point registers D, a, b, with c for rs3; i, s, B, u, j immediates of the formats I,
	// S, B, U and J, h a shift by 6 bits, z a control register with rs1 as a number; m a
	// rounding mode.
	operands string
	kind     kind
	size     uint8
	exec     func(h *hart, in *inst)
}

// table has every instruction of 32 bits that the front end executes. Of two rows that match, the
// first is meant.
var table = slices.Concat(integerRows, atomicRows, controlRows, floatRows(0, "s"), floatRows(1, "d"), convertRows)

// Masks by format: which bits tell instructions apart.
const (
	maskU      = 0x0000007f
	maskI      = 0x0000707f
	maskR      = 0xfe00707f
	maskShift  = 0xfc00707f
	maskR4     = 0x0600007f
	maskFloat  = 0xfe00007f // with a rounding mode
	maskFloat1 = 0xfff0007f // with a rounding mode and one source
	maskOne    = 0xfff0707f // with one source
	maskAtomic = 0xf800707f
	maskLR     = 0xf9f0707f
	maskAll    = 0xffffffff
)

// byOpcode lists the rows of each major opcode, and byName has each by its name.
var byOpcode, byName = func() (lists [128][]*row, names map[string]*row) {
	names = map[string]*row{}
	for i := range table {
		r := &table[i]
		lists[r.match&0x7f], names[r.name] = append(lists[r.match&0x7f], r), r
	}
	return lists, names
}()

// lookup finds the row of an instruction of 32 bits; nil for one that is not known.
func lookup(raw uint32) *row {
	for _, r := range byOpcode[raw&0x7f] {
		if raw&r.mask == r.match {
			return r
		}
	}
	return nil
}

// decode decodes the instruction that begins with these bits. One that is not known is of kind
// stops.
func decode(raw uint32) inst {
	in := inst{raw: raw, bytes: 4, kind: stops}
	var r *row
	if raw&3 != 3 {
		r = in.decodeCompressed(raw & 0xffff)
	} else if r = lookup(raw); r != nil {
		in.decodeOperands(r.operands, raw)
	}
	if r == nil {
		return in
	}
	in.exec, in.kind, in.size = r.exec, r.kind, r.size
	if r.kind == store || r.kind == fence || r.kind == mark {
		in.rd = 0
	}
	return in
}

// field says that the bits from high down to low of an immediate are those of the instruction from a
// bit on. High 31 repeats that bit, the sign.
type field struct{ high, low, from uint32 }

// immediateOf puts an immediate together.
func immediateOf(c uint32, fields []field) int64 {
	v := uint32(0)
	for _, f := range fields {
		if f.high == 31 {
			v |= -(c >> f.from & 1) << f.low
		} else {
			v |= c >> f.from & (2<<(f.high-f.low) - 1) << f.low
		}
	}
	return int64(int32(v))
}

// immediates are those of 32-bit instructions, by letter.
var immediates = map[rune][]field{
	'i': {{31, 11, 31}, {10, 0, 20}},
	's': {{31, 11, 31}, {10, 5, 25}, {4, 0, 7}},
	'B': {{31, 12, 31}, {11, 11, 7}, {10, 5, 25}, {4, 1, 8}},
	'u': {{31, 31, 31}, {30, 12, 12}},
	'j': {{31, 20, 31}, {19, 12, 12}, {11, 11, 20}, {10, 1, 21}},
	'h': {{5, 0, 20}},
	'z': {{11, 0, 20}, {16, 12, 15}},
}

// decodeOperands takes the operands of an instruction of 32 bits.
func (in *inst) decodeOperands(operands string, raw uint32) {
	rd, r1, r2 := uint8(raw>>7&31), uint8(raw>>15&31), uint8(raw>>20&31)
	for _, operand := range operands {
		switch operand {
		case 'd':
			in.rd = rd
		case 'D':
			in.rd = 32 + rd
		case '1':
			in.r1 = r1
		case 'a':
			in.r1 = 32 + r1
		case '2':
			in.r2 = r2
		case 'b':
			in.r2 = 32 + r2
		case 'c':
			in.r3 = 32 + uint8(raw>>27)
		case 'm':
			in.mode = uint8(raw >> 12 & 7)
		default:
			in.imm = immediateOf(raw, immediates[operand])
		}
	}
}

// orders reports which accesses a fence orders: those before it and those behind it, as bits of
// reads and writes. FENCE.I orders stores before fetches.
func (in *inst) orders() (before, behind uint32) {
	if in.raw&maskI == fenceCode {
		return fenceWrites, fenceReads
	}
	return in.raw >> 24 & 3, in.raw >> 20 & 3
}

// Bits of a fence, and those that tell FENCE.I.
const (
	fenceCode   = 0x100f
	fenceWrites = 1
	fenceReads  = 2
)

// full reports whether a fence orders stores before loads, which total store order does not do by
// itself.
func (in *inst) full() bool {
	before, behind := in.orders()
	return before&fenceWrites != 0 && behind&fenceReads != 0
}

// compressed is one instruction of the C extension: which bits tell it, and the instruction of 32
// bits that it stands for, by name, with its operands. Of two rows that match, the first is meant.
type compressed struct {
	name        string
	mask, match uint32
	long        string // "" for none
	rd, r1, r2  place
	imm         []field
}

// place says where a register of a compressed instruction is named.
type place uint8

const (
	none place = iota // x0
	x1                // always this one
	x2
	full7 // bits 11 to 7
	full2 // bits 6 to 2
	part7 // bits 9 to 7, which name x8 to x15
	part2 // bits 4 to 2, likewise
)

// register returns the register that an instruction names.
func (p place) register(c uint32) uint8 {
	return [...]uint8{none: 0, x1: 1, x2: 2, full7: uint8(c >> 7 & 31), full2: uint8(c >> 2 & 31),
		part7: uint8(c>>7&7 + 8), part2: uint8(c>>2&7 + 8)}[p]
}

// Immediates of several instructions.
var (
	immediate6  = []field{{31, 5, 12}, {4, 0, 2}}
	shift6      = []field{{5, 5, 12}, {4, 0, 2}}
	wordAt      = []field{{5, 3, 10}, {2, 2, 6}, {6, 6, 5}}
	doubleAt    = []field{{5, 3, 10}, {7, 6, 5}}
	doubleStack = []field{{5, 5, 12}, {4, 3, 5}, {8, 6, 2}}
	storeStack  = []field{{5, 3, 10}, {8, 6, 7}}
	target8     = []field{{31, 8, 12}, {4, 3, 10}, {7, 6, 5}, {2, 1, 3}, {5, 5, 2}}
)

var compressedTable = []compressed{
	{"illegal", 0xffe3, 0x0000, "", none, none, none, nil},
	{"c.addi4spn", 0xe003, 0x0000, "addi", part2, x2, none, []field{{5, 4, 11}, {9, 6, 7}, {2, 2, 6}, {3, 3, 5}}},
	{"c.fld", 0xe003, 0x2000, "fld", part2, part7, none, doubleAt},
	{"c.lw", 0xe003, 0x4000, "lw", part2, part7, none, wordAt},
	{"c.ld", 0xe003, 0x6000, "ld", part2, part7, none, doubleAt},
	{"c.fsd", 0xe003, 0xa000, "fsd", none, part7, part2, doubleAt},
	{"c.sw", 0xe003, 0xc000, "sw", none, part7, part2, wordAt},
	{"c.sd", 0xe003, 0xe000, "sd", none, part7, part2, doubleAt},
	{"c.addi", 0xe003, 0x0001, "addi", full7, full7, none, immediate6},
	{"reserved", 0xef83, 0x2001, "", none, none, none, nil},
	{"c.addiw", 0xe003, 0x2001, "addiw", full7, full7, none, immediate6},
	{"c.li", 0xe003, 0x4001, "addi", full7, none, none, immediate6},
	{"reserved", 0xf07f, 0x6001, "", none, none, none, nil},
	{"c.addi16sp", 0xef83, 0x6101, "addi", x2, x2, none, []field{{31, 9, 12}, {4, 4, 6}, {6, 6, 5}, {8, 7, 3}, {5, 5, 2}}},
	{"c.lui", 0xe003, 0x6001, "lui", full7, none, none, []field{{31, 17, 12}, {16, 12, 2}}},
	{"c.srli", 0xec03, 0x8001, "srli", part7, part7, none, shift6},
	{"c.srai", 0xec03, 0x8401, "srai", part7, part7, none, shift6},
	{"c.andi", 0xec03, 0x8801, "andi", part7, part7, none, immediate6},
	{"c.sub", 0xfc63, 0x8c01, "sub", part7, part7, part2, nil},
	{"c.xor", 0xfc63, 0x8c21, "xor", part7, part7, part2, nil},
	{"c.or", 0xfc63, 0x8c41, "or", part7, part7, part2, nil},
	{"c.and", 0xfc63, 0x8c61, "and", part7, part7, part2, nil},
	{"c.subw", 0xfc63, 0x9c01, "subw", part7, part7, part2, nil},
	{"c.addw", 0xfc63, 0x9c21, "addw", part7, part7, part2, nil},
	{"c.j", 0xe003, 0xa001, "jal", none, none, none, []field{{31, 11, 12}, {4, 4, 11}, {9, 8, 9}, {10, 10, 8}, {6, 6, 7}, {7, 7, 6}, {3, 1, 3}, {5, 5, 2}}},
	{"c.beqz", 0xe003, 0xc001, "beq", none, part7, none, target8},
	{"c.bnez", 0xe003, 0xe001, "bne", none, part7, none, target8},
	{"c.slli", 0xe003, 0x0002, "slli", full7, full7, none, shift6},
	{"c.fldsp", 0xe003, 0x2002, "fld", full7, x2, none, doubleStack},
	{"reserved", 0xef83, 0x4002, "", none, none, none, nil},
	{"c.lwsp", 0xe003, 0x4002, "lw", full7, x2, none, []field{{5, 5, 12}, {4, 2, 4}, {7, 6, 2}}},
	{"reserved", 0xef83, 0x6002, "", none, none, none, nil},
	{"c.ldsp", 0xe003, 0x6002, "ld", full7, x2, none, doubleStack},
	{"reserved", 0xffff, 0x8002, "", none, none, none, nil},
	{"c.jr", 0xf07f, 0x8002, "jalr", none, full7, none, nil},
	{"c.mv", 0xf003, 0x8002, "add", full7, none, full2, nil},
	{"c.ebreak", 0xffff, 0x9002, "ebreak", none, none, none, nil},
	{"c.jalr", 0xf07f, 0x9002, "jalr", x1, full7, none, nil},
	{"c.add", 0xf003, 0x9002, "add", full7, full7, full2, nil},
	{"c.fsdsp", 0xe003, 0xa002, "fsd", none, x2, full2, storeStack},
	{"c.swsp", 0xe003, 0xc002, "sw", none, x2, full2, []field{{5, 2, 9}, {7, 6, 7}}},
	{"c.sdsp", 0xe003, 0xe002, "sd", none, x2, full2, storeStack},
}

// lookupCompressed finds the row of a compressed instruction; nil for one that is not known.
func lookupCompressed(c uint32) *compressed {
	for i := range compressedTable {
		if r := &compressedTable[i]; c&r.mask == r.match {
			return r
		}
	}
	return nil
}

// decodeCompressed takes the operands of a compressed instruction. It returns the row of what the
// instruction stands for, or nil.
func (in *inst) decodeCompressed(c uint32) *row {
	in.raw, in.bytes = c, 2
	short := lookupCompressed(c)
	if short == nil || short.long == "" {
		return nil
	}
	in.rd, in.r1, in.r2, in.imm = short.rd.register(c), short.r1.register(c), short.r2.register(c), immediateOf(c, short.imm)
	long := byName[short.long]
	if strings.Contains(long.operands, "D") {
		in.rd += 32
	}
	if strings.Contains(long.operands, "b") {
		in.r2 += 32
	}
	return long
}

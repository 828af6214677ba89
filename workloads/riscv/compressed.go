package riscv

import "strings"

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

package riscv

// compressed is one instruction of the C extension: which bits tell it, and the instruction of 32
// bits that it stands for. Of two rows that match, the first is meant.
type compressed struct {
	name        string
	mask, match uint32
	expand      func(c uint32) uint32
}

// Register fields of compressed instructions. The three-bit ones name x8 to x15.
func fieldRD(c uint32) uint32  { return c >> 7 & 31 }
func fieldR2(c uint32) uint32  { return c >> 2 & 31 }
func fieldRDc(c uint32) uint32 { return c>>2&7 + 8 }
func fieldR1c(c uint32) uint32 { return c>>7&7 + 8 }

// bitsOf moves bits of c: each pair is a bit of the result and the bit of c that it is.
func bitsOf(c uint32, pairs ...[2]uint) (v uint32) {
	for _, p := range pairs {
		v |= c >> p[1] & 1 << p[0]
	}
	return v
}

// extend extends the sign of a number of so many bits.
func extend(v uint32, bits uint) uint32 { return uint32(int32(v<<(32-bits)) >> (32 - bits)) }

// Immediates, by the instructions that have them.
func immCI(c uint32) uint32            { return extend(c>>12&1<<5|c>>2&31, 6) }
func immShift(c uint32) uint32         { return c>>12&1<<5 | c>>2&31 }
func immWord(c uint32) uint32          { return c>>10&7<<3 | c>>6&1<<2 | c>>5&1<<6 }
func immDouble(c uint32) uint32        { return c>>10&7<<3 | c>>5&3<<6 }
func immWordSP(c uint32) uint32        { return c>>12&1<<5 | c>>4&7<<2 | c>>2&3<<6 }
func immDoubleSP(c uint32) uint32      { return c>>12&1<<5 | c>>5&3<<3 | c>>2&7<<6 }
func immStoreWordSP(c uint32) uint32   { return c>>9&15<<2 | c>>7&3<<6 }
func immStoreDoubleSP(c uint32) uint32 { return c>>10&7<<3 | c>>7&7<<6 }
func immAddi4(c uint32) uint32         { return c>>11&3<<4 | c>>7&15<<6 | c>>6&1<<2 | c>>5&1<<3 }
func immAddi16(c uint32) uint32 {
	return extend(bitsOf(c, [2]uint{9, 12}, [2]uint{4, 6}, [2]uint{6, 5}, [2]uint{8, 4}, [2]uint{7, 3}, [2]uint{5, 2}), 10)
}
func immJump(c uint32) uint32 {
	return extend(bitsOf(c, [2]uint{11, 12}, [2]uint{4, 11}, [2]uint{9, 10}, [2]uint{8, 9}, [2]uint{10, 8}, [2]uint{6, 7},
		[2]uint{7, 6}, [2]uint{3, 5}, [2]uint{2, 4}, [2]uint{1, 3}, [2]uint{5, 2}), 12)
}
func immBranch(c uint32) uint32 {
	return extend(bitsOf(c, [2]uint{8, 12}, [2]uint{4, 11}, [2]uint{3, 10}, [2]uint{7, 6}, [2]uint{6, 5}, [2]uint{2, 4}, [2]uint{1, 3}, [2]uint{5, 2}), 9)
}

// Instructions of 32 bits by format; match has opcode and function bits.
func typeR(match, rd, r1, r2 uint32) uint32  { return match | rd<<7 | r1<<15 | r2<<20 }
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

const sp = 2

// registers makes a row's expansion of two compressed registers, the first of which is changed.
func registers(match uint32) func(uint32) uint32 {
	return func(c uint32) uint32 { return typeR(match, fieldR1c(c), fieldR1c(c), fieldRDc(c)) }
}

// loads and stores make those of accesses relative to a compressed register.
func loads(match uint32, imm func(uint32) uint32) func(uint32) uint32 {
	return func(c uint32) uint32 { return typeI(match, fieldRDc(c), fieldR1c(c), imm(c)) }
}
func stores(match uint32, imm func(uint32) uint32) func(uint32) uint32 {
	return func(c uint32) uint32 { return typeS(match, fieldR1c(c), fieldRDc(c), imm(c)) }
}

// loadsSP and storesSP make those of accesses relative to the stack pointer.
func loadsSP(match uint32, imm func(uint32) uint32) func(uint32) uint32 {
	return func(c uint32) uint32 { return typeI(match, fieldRD(c), sp, imm(c)) }
}
func storesSP(match uint32, imm func(uint32) uint32) func(uint32) uint32 {
	return func(c uint32) uint32 { return typeS(match, sp, fieldR2(c), imm(c)) }
}

// illegal is no instruction.
func illegal(uint32) uint32 { return 0 }

var compressedTable = []compressed{
	{"illegal", 0xffe3, 0x0000, illegal},
	{"c.addi4spn", 0xe003, 0x0000, func(c uint32) uint32 { return typeI(0x13, fieldRDc(c), sp, immAddi4(c)) }},
	{"c.fld", 0xe003, 0x2000, loads(0x3007, immDouble)},
	{"c.lw", 0xe003, 0x4000, loads(0x2003, immWord)},
	{"c.ld", 0xe003, 0x6000, loads(0x3003, immDouble)},
	{"c.fsd", 0xe003, 0xa000, stores(0x3027, immDouble)},
	{"c.sw", 0xe003, 0xc000, stores(0x2023, immWord)},
	{"c.sd", 0xe003, 0xe000, stores(0x3023, immDouble)},
	{"c.addi", 0xe003, 0x0001, func(c uint32) uint32 { return typeI(0x13, fieldRD(c), fieldRD(c), immCI(c)) }},
	{"reserved", 0xef83, 0x2001, illegal},
	{"c.addiw", 0xe003, 0x2001, func(c uint32) uint32 { return typeI(0x1b, fieldRD(c), fieldRD(c), immCI(c)) }},
	{"c.li", 0xe003, 0x4001, func(c uint32) uint32 { return typeI(0x13, fieldRD(c), 0, immCI(c)) }},
	{"reserved", 0xf07f, 0x6001, illegal},
	{"c.addi16sp", 0xef83, 0x6101, func(c uint32) uint32 { return typeI(0x13, sp, sp, immAddi16(c)) }},
	{"c.lui", 0xe003, 0x6001, func(c uint32) uint32 { return 0x37 | fieldRD(c)<<7 | immCI(c)<<12 }},
	{"c.srli", 0xec03, 0x8001, func(c uint32) uint32 { return typeI(0x5013, fieldR1c(c), fieldR1c(c), immShift(c)) }},
	{"c.srai", 0xec03, 0x8401, func(c uint32) uint32 { return typeI(0x40005013, fieldR1c(c), fieldR1c(c), immShift(c)) }},
	{"c.andi", 0xec03, 0x8801, func(c uint32) uint32 { return typeI(0x7013, fieldR1c(c), fieldR1c(c), immCI(c)) }},
	{"c.sub", 0xfc63, 0x8c01, registers(0x40000033)},
	{"c.xor", 0xfc63, 0x8c21, registers(0x00004033)},
	{"c.or", 0xfc63, 0x8c41, registers(0x00006033)},
	{"c.and", 0xfc63, 0x8c61, registers(0x00007033)},
	{"c.subw", 0xfc63, 0x9c01, registers(0x4000003b)},
	{"c.addw", 0xfc63, 0x9c21, registers(0x0000003b)},
	{"c.j", 0xe003, 0xa001, func(c uint32) uint32 { return typeJ(0x6f, 0, immJump(c)) }},
	{"c.beqz", 0xe003, 0xc001, func(c uint32) uint32 { return typeB(0x0063, fieldR1c(c), 0, immBranch(c)) }},
	{"c.bnez", 0xe003, 0xe001, func(c uint32) uint32 { return typeB(0x1063, fieldR1c(c), 0, immBranch(c)) }},
	{"c.slli", 0xe003, 0x0002, func(c uint32) uint32 { return typeI(0x1013, fieldRD(c), fieldRD(c), immShift(c)) }},
	{"c.fldsp", 0xe003, 0x2002, loadsSP(0x3007, immDoubleSP)},
	{"reserved", 0xef83, 0x4002, illegal},
	{"c.lwsp", 0xe003, 0x4002, loadsSP(0x2003, immWordSP)},
	{"reserved", 0xef83, 0x6002, illegal},
	{"c.ldsp", 0xe003, 0x6002, loadsSP(0x3003, immDoubleSP)},
	{"reserved", 0xffff, 0x8002, illegal},
	{"c.jr", 0xf07f, 0x8002, func(c uint32) uint32 { return typeI(0x67, 0, fieldRD(c), 0) }},
	{"c.mv", 0xf003, 0x8002, func(c uint32) uint32 { return typeR(0x33, fieldRD(c), 0, fieldR2(c)) }},
	{"c.ebreak", 0xffff, 0x9002, func(uint32) uint32 { return 0x00100073 }},
	{"c.jalr", 0xf07f, 0x9002, func(c uint32) uint32 { return typeI(0x67, 1, fieldRD(c), 0) }},
	{"c.add", 0xf003, 0x9002, func(c uint32) uint32 { return typeR(0x33, fieldRD(c), fieldRD(c), fieldR2(c)) }},
	{"c.fsdsp", 0xe003, 0xa002, storesSP(0x3027, immStoreDoubleSP)},
	{"c.swsp", 0xe003, 0xc002, storesSP(0x2023, immStoreWordSP)},
	{"c.sdsp", 0xe003, 0xe002, storesSP(0x3023, immStoreDoubleSP)},
}

// expand returns the instruction of 32 bits that a compressed one stands for; 0 for none.
func expand(c uint32) uint32 {
	for i := range compressedTable {
		if r := &compressedTable[i]; c&r.mask == r.match {
			return r.expand(c)
		}
	}
	return 0
}

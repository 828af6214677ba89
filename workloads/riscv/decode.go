package riscv

import "slices"

// kind says what an instruction does beside changing registers.
type kind uint8

const (
	plain kind = iota
	load
	store
	atomic
	fence    // any: whether it needs a record depends on its bits
	call     // ecall
	mark     // of the region
	codeSync // fence.i
	stops    // ebreak, and what cannot be decoded
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
// reads and writes.
func (in *inst) orders() (before, behind uint32) { return in.raw >> 24 & 3, in.raw >> 20 & 3 }

// Bits of a fence.
const (
	fenceWrites = 1
	fenceReads  = 2
)

// full reports whether a fence orders stores before loads, which total store order does not do by
// itself.
func (in *inst) full() bool {
	before, behind := in.orders()
	return before&fenceWrites != 0 && behind&fenceReads != 0
}

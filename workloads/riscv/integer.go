package riscv

import "math/bits"

// integerRows are RV64I and M.
var integerRows = []row{
	{"lui", maskU, 0x37, "du", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = uint64(in.imm) }},
	{"auipc", maskU, 0x17, "du", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = h.pc + uint64(in.imm) }},
	{"jal", maskU, 0x6f, "dj", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63], h.next = h.next, h.pc+uint64(in.imm) }},
	{"jalr", maskI, 0x67, "d1i", plain, 0, func(h *hart, in *inst) {
		h.r[in.rd&63], h.next = h.next, (h.r[in.r1&63]+uint64(in.imm))&^1
	}},
	{"beq", maskI, 0x0063, "12B", plain, 0, branch(func(a, b uint64) bool { return a == b })},
	{"bne", maskI, 0x1063, "12B", plain, 0, branch(func(a, b uint64) bool { return a != b })},
	{"blt", maskI, 0x4063, "12B", plain, 0, branch(func(a, b uint64) bool { return int64(a) < int64(b) })},
	{"bge", maskI, 0x5063, "12B", plain, 0, branch(func(a, b uint64) bool { return int64(a) >= int64(b) })},
	{"bltu", maskI, 0x6063, "12B", plain, 0, branch(func(a, b uint64) bool { return a < b })},
	{"bgeu", maskI, 0x7063, "12B", plain, 0, branch(func(a, b uint64) bool { return a >= b })},

	{"lb", maskI, 0x0003, "d1i", load, 0, loaded(func(v uint64) uint64 { return uint64(int8(v)) })},
	{"lh", maskI, 0x1003, "d1i", load, 1, loaded(func(v uint64) uint64 { return uint64(int16(v)) })},
	{"lw", maskI, 0x2003, "d1i", load, 2, loaded(word)},
	{"ld", maskI, 0x3003, "d1i", load, 3, loaded(func(v uint64) uint64 { return v })},
	{"lbu", maskI, 0x4003, "d1i", load, 0, loaded(func(v uint64) uint64 { return v })},
	{"lhu", maskI, 0x5003, "d1i", load, 1, loaded(func(v uint64) uint64 { return v })},
	{"lwu", maskI, 0x6003, "d1i", load, 2, loaded(func(v uint64) uint64 { return v })},
	{"sb", maskI, 0x0023, "12s", store, 0, stored},
	{"sh", maskI, 0x1023, "12s", store, 1, stored},
	{"sw", maskI, 0x2023, "12s", store, 2, stored},
	{"sd", maskI, 0x3023, "12s", store, 3, stored},
	{"flw", maskI, 0x2007, "D1i", load, 2, loaded(func(v uint64) uint64 { return v | boxed })},
	{"fld", maskI, 0x3007, "D1i", load, 3, loaded(func(v uint64) uint64 { return v })},
	{"fsw", maskI, 0x2027, "1bs", store, 2, stored},
	{"fsd", maskI, 0x3027, "1bs", store, 3, stored},

	{"region.begin", maskAll, RegionBegin, "", mark, 0, nothing}, // cases of slti, which come before it
	{"region.end", maskAll, RegionEnd, "", mark, 0, nothing},
	{"addi", maskI, 0x0013, "d1i", plain, 0, immediate(add)},
	{"slti", maskI, 0x2013, "d1i", plain, 0, immediate(less)},
	{"sltiu", maskI, 0x3013, "d1i", plain, 0, immediate(below)},
	{"xori", maskI, 0x4013, "d1i", plain, 0, immediate(xor)},
	{"ori", maskI, 0x6013, "d1i", plain, 0, immediate(or)},
	{"andi", maskI, 0x7013, "d1i", plain, 0, immediate(and)},
	{"slli", maskShift, 0x00001013, "d1h", plain, 0, immediate(shiftLeft)},
	{"srli", maskShift, 0x00005013, "d1h", plain, 0, immediate(shiftRight)},
	{"srai", maskShift, 0x40005013, "d1h", plain, 0, immediate(shiftSigned)},
	{"addiw", maskI, 0x001b, "d1i", plain, 0, immediate(addWord)},
	{"slliw", maskR, 0x0000101b, "d1h", plain, 0, immediate(shiftLeftWord)},
	{"srliw", maskR, 0x0000501b, "d1h", plain, 0, immediate(shiftRightWord)},
	{"sraiw", maskR, 0x4000501b, "d1h", plain, 0, immediate(shiftSignedWord)},

	{"add", maskR, 0x00000033, "d12", plain, 0, registers2(add)},
	{"sub", maskR, 0x40000033, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return a - b })},
	{"sll", maskR, 0x00001033, "d12", plain, 0, registers2(shiftLeft)},
	{"slt", maskR, 0x00002033, "d12", plain, 0, registers2(less)},
	{"sltu", maskR, 0x00003033, "d12", plain, 0, registers2(below)},
	{"xor", maskR, 0x00004033, "d12", plain, 0, registers2(xor)},
	{"srl", maskR, 0x00005033, "d12", plain, 0, registers2(shiftRight)},
	{"sra", maskR, 0x40005033, "d12", plain, 0, registers2(shiftSigned)},
	{"or", maskR, 0x00006033, "d12", plain, 0, registers2(or)},
	{"and", maskR, 0x00007033, "d12", plain, 0, registers2(and)},
	{"addw", maskR, 0x0000003b, "d12", plain, 0, registers2(addWord)},
	{"subw", maskR, 0x4000003b, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return word(a - b) })},
	{"sllw", maskR, 0x0000103b, "d12", plain, 0, registers2(shiftLeftWord)},
	{"srlw", maskR, 0x0000503b, "d12", plain, 0, registers2(shiftRightWord)},
	{"sraw", maskR, 0x4000503b, "d12", plain, 0, registers2(shiftSignedWord)},

	{"mul", maskR, 0x02000033, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return a * b })},
	{"mulh", maskR, 0x02001033, "d12", plain, 0, registers2(func(a, b uint64) uint64 {
		return mulHigh(a, b) - b&uint64(int64(a)>>63) - a&uint64(int64(b)>>63)
	})},
	{"mulhsu", maskR, 0x02002033, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return mulHigh(a, b) - b&uint64(int64(a)>>63) })},
	{"mulhu", maskR, 0x02003033, "d12", plain, 0, registers2(mulHigh)},
	{"div", maskR, 0x02004033, "d12", plain, 0, registers2(divide)},
	{"divu", maskR, 0x02005033, "d12", plain, 0, registers2(divideUnsigned)},
	{"rem", maskR, 0x02006033, "d12", plain, 0, registers2(remainder)},
	{"remu", maskR, 0x02007033, "d12", plain, 0, registers2(remainderUnsigned)},
	{"mulw", maskR, 0x0200003b, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return word(a * b) })},
	{"divw", maskR, 0x0200403b, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return word(divide(word(a), word(b))) })},
	{"divuw", maskR, 0x0200503b, "d12", plain, 0, registers2(func(a, b uint64) uint64 {
		return word(divideUnsigned(uint64(uint32(a)), uint64(uint32(b))))
	})},
	{"remw", maskR, 0x0200603b, "d12", plain, 0, registers2(func(a, b uint64) uint64 { return word(remainder(word(a), word(b))) })},
	{"remuw", maskR, 0x0200703b, "d12", plain, 0, registers2(func(a, b uint64) uint64 {
		return word(remainderUnsigned(uint64(uint32(a)), uint64(uint32(b))))
	})},
}

// registers2, immediate and branch make the execution of an instruction of a function of two
// numbers.
func registers2(f func(a, b uint64) uint64) func(*hart, *inst) {
	return func(h *hart, in *inst) { h.r[in.rd&63] = f(h.r[in.r1&63], h.r[in.r2&63]) }
}

func immediate(f func(a, b uint64) uint64) func(*hart, *inst) {
	return func(h *hart, in *inst) { h.r[in.rd&63] = f(h.r[in.r1&63], uint64(in.imm)) }
}

func branch(taken func(a, b uint64) bool) func(*hart, *inst) {
	return func(h *hart, in *inst) {
		if taken(h.r[in.r1&63], h.r[in.r2&63]) {
			h.next = h.pc + uint64(in.imm)
		}
	}
}

// loaded makes the execution of a load of what becomes of the bytes that it reads.
func loaded(extend func(uint64) uint64) func(*hart, *inst) {
	return func(h *hart, in *inst) {
		if v, ok := h.read(h.r[in.r1&63]+uint64(in.imm), in.size); ok {
			h.r[in.rd&63] = extend(v)
		}
	}
}

func stored(h *hart, in *inst) { h.write(h.r[in.r1&63]+uint64(in.imm), in.size, h.r[in.r2&63]) }

// word returns the lower half of a number with its sign extended.
func word(v uint64) uint64 { return uint64(int32(v)) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func add(a, b uint64) uint64             { return a + b }
func less(a, b uint64) uint64            { return truth(int64(a) < int64(b)) }
func below(a, b uint64) uint64           { return truth(a < b) }
func xor(a, b uint64) uint64             { return a ^ b }
func or(a, b uint64) uint64              { return a | b }
func and(a, b uint64) uint64             { return a & b }
func shiftLeft(a, b uint64) uint64       { return a << (b & 63) }
func shiftRight(a, b uint64) uint64      { return a >> (b & 63) }
func shiftSigned(a, b uint64) uint64     { return uint64(int64(a) >> (b & 63)) }
func addWord(a, b uint64) uint64         { return word(a + b) }
func shiftLeftWord(a, b uint64) uint64   { return word(a << (b & 31)) }
func shiftRightWord(a, b uint64) uint64  { return word(uint64(uint32(a) >> (b & 31))) }
func shiftSignedWord(a, b uint64) uint64 { return uint64(int32(a) >> (b & 31)) }

func mulHigh(a, b uint64) uint64 {
	high, _ := bits.Mul64(a, b)
	return high
}

// Division by zero gives all ones and leaves the dividend; the one overflow, the least number
// divided by -1, gives itself and leaves 0, as Go defines it, too.
func divide(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return uint64(int64(a) / int64(b))
}

func divideUnsigned(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return a / b
}

func remainder(a, b uint64) uint64 {
	if b == 0 {
		return a
	}
	return uint64(int64(a) % int64(b))
}

func remainderUnsigned(a, b uint64) uint64 {
	if b == 0 {
		return a
	}
	return a % b
}

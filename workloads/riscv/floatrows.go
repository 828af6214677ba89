package riscv

import "math"

// floatRows returns the rows of F or D that both have.
func floatRows(f int, suffix string) []row {
	format := uint32(f) << 25
	calculation := func(op operation) func(*hart, *inst) {
		return func(h *hart, in *inst) { h.calculate(op, f, in, false, false) }
	}
	fusion := func(negateProduct, negateAddend bool) func(*hart, *inst) {
		return func(h *hart, in *inst) {
			h.calculate(fused, f, in, negateProduct, negateAddend)
		}
	}
	comparison := func(quiet bool, holds func(a, b float64) bool) func(*hart, *inst) {
		return func(h *hart, in *inst) {
			a, b := h.number(f, in.r1), h.number(f, in.r2)
			if (a.nan || b.nan) && !quiet || a.signals || b.signals {
				h.flags |= invalid
			}
			h.r[in.rd&63] = truth(!a.nan && !b.nan && holds(a.value, b.value))
		}
	}
	signs := func(sign func(a, b uint64) uint64) func(*hart, *inst) {
		return func(h *hart, in *inst) {
			a, b, top := h.number(f, in.r1).bits, h.number(f, in.r2).bits, [2]uint64{sign32, sign64}[f]
			h.setBits(f, in.rd, a&^top|sign(a, b)&top)
		}
	}
	list := []row{
		{"fmadd.", maskR4, 0x43 | format, "Dabcm", plain, 0, fusion(false, false)},
		{"fmsub.", maskR4, 0x47 | format, "Dabcm", plain, 0, fusion(false, true)},
		{"fnmsub.", maskR4, 0x4b | format, "Dabcm", plain, 0, fusion(true, false)},
		{"fnmadd.", maskR4, 0x4f | format, "Dabcm", plain, 0, fusion(true, true)},
		{"fadd.", maskFloat, 0x00000053 | format, "Dabm", plain, 0, calculation(sum)},
		{"fsub.", maskFloat, 0x08000053 | format, "Dabm", plain, 0, calculation(difference)},
		{"fmul.", maskFloat, 0x10000053 | format, "Dabm", plain, 0, calculation(product)},
		{"fdiv.", maskFloat, 0x18000053 | format, "Dabm", plain, 0, calculation(quotient)},
		{"fsqrt.", maskFloat1, 0x58000053 | format, "Dam", plain, 0, calculation(root)},
		{"fsgnj.", maskR, 0x20000053 | format, "Dab", plain, 0, signs(func(a, b uint64) uint64 { return b })},
		{"fsgnjn.", maskR, 0x20001053 | format, "Dab", plain, 0, signs(func(a, b uint64) uint64 { return ^b })},
		{"fsgnjx.", maskR, 0x20002053 | format, "Dab", plain, 0, signs(xor)},
		{"fmin.", maskR, 0x28000053 | format, "Dab", plain, 0, func(h *hart, in *inst) { h.extreme(f, in, false) }},
		{"fmax.", maskR, 0x28001053 | format, "Dab", plain, 0, func(h *hart, in *inst) { h.extreme(f, in, true) }},
		{"fle.", maskR, 0xa0000053 | format, "dab", plain, 0, comparison(false, func(a, b float64) bool { return a <= b })},
		{"flt.", maskR, 0xa0001053 | format, "dab", plain, 0, comparison(false, func(a, b float64) bool { return a < b })},
		{"feq.", maskR, 0xa0002053 | format, "dab", plain, 0, comparison(true, func(a, b float64) bool { return a == b })},
		{"fclass.", maskOne, 0xe0001053 | format, "da", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = h.number(f, in.r1).class(f) }},
	}
	for i := range list {
		list[i].name += suffix
	}
	for i, t := range []integerType{{"w", 32, true}, {"wu", 32, false}, {"l", 64, true}, {"lu", 64, false}} {
		list = append(list,
			row{"fcvt." + t.name + "." + suffix, maskFloat1, 0xc0000053 | format | uint32(i)<<20, "dam", plain, 0,
				func(h *hart, in *inst) { h.toInteger(f, in, t) }},
			row{"fcvt." + suffix + "." + t.name, maskFloat1, 0xd0000053 | format | uint32(i)<<20, "D1m", plain, 0,
				func(h *hart, in *inst) { h.fromInteger(f, in, t) }})
	}
	return list
}

// convertRows are those that move numbers between formats and registers.
var convertRows = []row{
	{"fmv.x.w", maskOne, 0xe0000053, "da", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = word(h.r[in.r1&63]) }},
	{"fmv.w.x", maskOne, 0xf0000053, "D1", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = h.r[in.r1&63] | boxed }},
	{"fmv.x.d", maskOne, 0xe2000053, "da", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = h.r[in.r1&63] }},
	{"fmv.d.x", maskOne, 0xf2000053, "D1", plain, 0, func(h *hart, in *inst) { h.r[in.rd&63] = h.r[in.r1&63] }},
	{"fcvt.d.s", maskFloat1, 0x42000053, "Dam", plain, 0, func(h *hart, in *inst) {
		a := h.number(0, in.r1)
		if a.signals {
			h.flags |= invalid
		}
		h.setNumber(1, in.rd, a.value)
	}},
	{"fcvt.s.d", maskFloat1, 0x40100053, "Dam", plain, 0, func(h *hart, in *inst) {
		a := h.number(1, in.r1)
		switch {
		case a.signals:
			h.flags |= invalid
			fallthrough
		case a.nan || a.value == 0 || math.IsInf(a.value, 0):
			h.setNumber(0, in.rd, a.value)
			return
		}
		if mode, ok := h.mode(in); ok {
			v, flags := round(wide(a.value), formats[0], mode)
			h.flags |= flags
			h.setNumber(0, in.rd, v)
		}
	}},
}

// number is what a register holds, read as single or double.
type number struct {
	value        float64
	bits         uint64
	nan, signals bool
}

// number reads a register. A single that is not boxed, its upper half all ones, counts as NaN.
func (h *hart) number(f int, register uint8) number {
	v := h.r[register&63]
	if f == 1 {
		d := math.Float64frombits(v)
		return number{d, v, d != d, d != d && v&signal64 == 0}
	}
	if v < boxed {
		v = quiet32
	}
	v = uint64(uint32(v))
	s := math.Float32frombits(uint32(v))
	return number{float64(s), v, s != s, s != s && v&signal32 == 0}
}

// setNumber writes a result; every NaN becomes the same.
func (h *hart) setNumber(f int, register uint8, v float64) {
	switch {
	case v != v:
		h.setBits(f, register, [2]uint64{quiet32, quiet64}[f])
	case f == 1:
		h.setBits(f, register, math.Float64bits(v))
	default:
		h.setBits(f, register, uint64(math.Float32bits(float32(v))))
	}
}

func (h *hart) setBits(f int, register uint8, v uint64) {
	if f == 0 {
		v |= boxed
	}
	h.r[register&63] = v
}

// mode returns an instruction's rounding mode. Those that do not exist end the program.
func (h *hart) mode(in *inst) (uint8, bool) {
	mode := in.mode
	if mode == dynamic {
		mode = h.rounding
	}
	if mode > toNearestAway {
		h.m.fail(h, "set frm to 0 to 4", "rounding mode %d does not exist", mode)
		return 0, false
	}
	return mode, true
}

// calculate performs an operation on the registers of an instruction.
func (h *hart) calculate(op operation, f int, in *inst, negateProduct, negateAddend bool) {
	mode, ok := h.mode(in)
	if !ok {
		return
	}
	a, b := h.number(f, in.r1), h.number(f, in.r2)
	if op == root {
		b = a
	}
	var c number
	if op == fused {
		c = h.number(f, in.r3)
		if negateProduct {
			a.value = -a.value
		}
		if negateAddend {
			c.value = -c.value
		}
	}
	if a.nan || b.nan || c.nan {
		nonsense := op == fused && (a.value == 0 && math.IsInf(b.value, 0) || b.value == 0 && math.IsInf(a.value, 0))
		if a.signals || b.signals || c.signals || nonsense {
			h.flags |= invalid
		}
		h.setNumber(f, in.rd, math.NaN())
		return
	}
	r, flags := compute(op, f, mode, a.value, b.value, c.value, h.flags)
	h.flags |= flags
	h.setNumber(f, in.rd, r)
}

// extreme writes the smaller or the larger of two numbers; -0 is below +0.
func (h *hart) extreme(f int, in *inst, largest bool) {
	a, b := h.number(f, in.r1), h.number(f, in.r2)
	if a.signals || b.signals {
		h.flags |= invalid
	}
	switch {
	case a.nan && b.nan:
		h.setNumber(f, in.rd, a.value)
		return
	case b.nan:
		b = a
	case a.nan:
	case a.value == b.value:
		if math.Signbit(a.value) != largest {
			b = a
		}
	case (a.value > b.value) == largest:
		b = a
	}
	h.setBits(f, in.rd, b.bits)
}

// class returns the bit that tells what kind of number it is.
func (n number) class(f int) uint64 {
	size := math.Abs(n.value)
	kind := 3 // the positive ones begin with +0 at bit 4
	switch {
	case n.signals:
		return 1 << 8
	case n.nan:
		return 1 << 9
	case math.IsInf(size, 0):
		kind = 0
	case size >= math.Ldexp(1, formats[f].least):
		kind = 1
	case size > 0:
		kind = 2
	}
	if !math.Signbit(n.value) {
		kind = 7 - kind
	}
	return 1 << kind
}

// integerType is an integer that conversions know.
type integerType struct {
	name   string
	bits   int
	signed bool
}

func (h *hart) toInteger(f int, in *inst, t integerType) {
	mode, ok := h.mode(in)
	if !ok {
		return
	}
	low, high := 0.0, math.Ldexp(1, t.bits)
	least, largest := uint64(0), ^uint64(0)
	if t.signed {
		low, high = -high/2, high/2
		least, largest = uint64(int64(-1)<<(t.bits-1)), uint64(1)<<(t.bits-1)-1
	}
	a := h.number(f, in.r1).value
	v := [...]func(float64) float64{toNearestEven: math.RoundToEven, toZero: math.Trunc, down: math.Floor, up: math.Ceil, toNearestAway: math.Round}[mode](a)
	var r uint64
	var flags exceptions
	switch {
	case a != a || v >= high:
		r, flags = largest, invalid
	case v < low:
		r, flags = least, invalid
	case v >= 0x1p63:
		r = uint64(v-0x1p63) + 1<<63
	default:
		r = uint64(int64(v))
	}
	if v != a && flags == 0 {
		flags = inexact
	}
	h.flags |= flags
	if t.bits == 32 {
		r = word(r)
	}
	h.r[in.rd&63] = r
}

func (h *hart) fromInteger(f int, in *inst, t integerType) {
	mode, ok := h.mode(in)
	if !ok {
		return
	}
	v := h.r[in.r1&63]
	if t.bits == 32 {
		v = word(v)
		if !t.signed {
			v = uint64(uint32(v))
		}
	}
	if n := float64(int64(v)); (t.signed || int64(v) >= 0) && math.Abs(n) < [2]float64{1 << 24, 1 << 53}[f] {
		h.setNumber(f, in.rd, n)
		return
	}
	x := wide(0).SetUint64(v)
	if t.signed {
		x.SetInt64(int64(v))
	}
	r, flags := round(x, formats[f], mode)
	h.flags |= flags
	h.setNumber(f, in.rd, r)
}

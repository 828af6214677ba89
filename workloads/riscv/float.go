package riscv

import (
	"math"
	"math/big"
)

// Floating point. Doubles and singles are computed by the host in the common case: rounding to
// nearest, a result far from both ends of the range, and the inexact flag set already, so that this
// result need not say whether it is exact. Everything else is computed in 200 bits and rounded here.

// exceptions are the flags of fcsr.
type exceptions uint8

const (
	inexact exceptions = 1 << iota
	underflow
	overflow
	divisionByZero
	invalid
)

// Rounding modes, as the architecture numbers them.
const (
	toNearestEven = iota
	toZero
	down
	up
	toNearestAway
	dynamic = 7
)

const (
	boxed    = 0xffffffff00000000 // upper half of a register with a single
	quiet32  = 0x7fc00000
	quiet64  = 0x7ff8000000000000
	signal32 = 1 << 22 // clear in NaNs that signal
	signal64 = 1 << 51
	sign32   = 1 << 31
	sign64   = 1 << 63
)

// format is a floating-point format: the bits of a fraction with its leading one, and the exponents
// of the least and the largest normal number.
type format struct{ precision, least, largest int }

var formats = [2]format{{24, -126, 127}, {53, -1022, 1023}}

// operation is what is computed of up to three numbers.
type operation uint8

const (
	sum operation = iota
	difference
	product
	quotient
	root
	fused // a*b + c
)

// compute performs an operation on numbers of a format, 0 for single and 1 for double, none of which
// is a NaN; raised are the exceptions so far, of which the caller needs only new ones. Singles are
// computed as doubles and rounded once more, which changes no sum, product, quotient or root
// (Figueroa, 1995), and a fused result only if the first rounding leads into the middle of two singles.
func compute(op operation, f int, mode uint8, a, b, c float64, raised exceptions) (float64, exceptions) {
	if op == difference {
		op, b = sum, -b
	}
	r := nearest(op, a, b, c)
	size := math.Abs(r)
	low, high := 0x1p-900, 0x1p1000
	if f == 0 {
		low, high = 0x1p-120, 0x1p120
	}
	if raised&inexact == 0 || mode != toNearestEven || !(size > low && size < high) || f == 0 && op == fused && math.Float64bits(r)&(1<<29-1) == 1<<28 {
		return exactly(op, formats[f], mode, a, b, c, r)
	}
	if f == 0 {
		r = float64(float32(r))
	}
	return r, inexact
}

// nearest computes an operation in double.
func nearest(op operation, a, b, c float64) float64 {
	switch op {
	case sum:
		return a + b
	case product:
		return a * b
	case quotient:
		return a / b
	case root:
		return math.Sqrt(a)
	}
	return math.FMA(a, b, c)
}

// exactly computes an operation in any mode, for any operands but NaNs; r is the host's result in
// double.
func exactly(op operation, f format, mode uint8, a, b, c, r float64) (float64, exceptions) {
	infinite := func(v float64) bool { return math.IsInf(v, 0) }
	switch {
	case math.IsNaN(r):
		return r, invalid
	case op == quotient && b == 0 && !infinite(a):
		return r, divisionByZero
	case infinite(a) || op != root && infinite(b) || op == fused && infinite(c):
		return r, 0
	case op == root && a == 0 || op == quotient && a == 0 || op == product && (a == 0 || b == 0):
		return r, 0
	}
	x, y, z := wide(a), wide(b), new(big.Float).SetPrec(wideBits).SetMode(big.ToZero)
	switch op {
	case sum:
		z.Add(x, y)
	case product:
		z.Mul(x, y)
	case quotient:
		z.Quo(x, y)
	case root:
		if z.Sqrt(x); new(big.Float).SetPrec(2*wideBits).Mul(z, z).Cmp(x) != 0 {
			z.SetPrec(wideBits - 64).SetPrec(wideBits) // whose last digits may be wrong
			return round(sticky(z), f, mode)
		}
		return round(z, f, mode)
	case fused:
		z.Add(x.Mul(x, y), wide(c))
	}
	if z.Sign() == 0 { // an exact zero: of a sum of opposite numbers it is negative only downwards
		p := a
		if op == fused {
			p, b = a*b, c
		}
		if negative := math.Signbit(p); negative != math.Signbit(b) {
			negative = mode == down
			return math.Copysign(0, float64(1-2*int(truth(negative)))), 0
		}
		return r, 0
	}
	if z.Acc() != big.Exact {
		z = sticky(z)
	}
	return round(z, f, mode)
}

const wideBits = 200

func wide(v float64) *big.Float { return new(big.Float).SetPrec(wideBits).SetFloat64(v) }

// sticky appends a bit to a number that was cut off, which says that more would follow.
func sticky(z *big.Float) *big.Float {
	bit := new(big.Float).SetMantExp(big.NewFloat(float64(z.Sign())), z.MantExp(nil)-wideBits-1)
	return new(big.Float).SetPrec(wideBits+2).Add(z, bit)
}

// round rounds a number that is not zero to a format.
func round(x *big.Float, f format, mode uint8) (float64, exceptions) {
	exponent := x.MantExp(nil) - 1
	r, exact := f.multiple(x, max(exponent, f.least), mode)
	var flags exceptions
	if !exact {
		flags = inexact
		if n, _ := f.multiple(x, exponent, mode); math.Abs(n) < math.Ldexp(1, f.least) { // tininess is told after rounding
			flags |= underflow
		}
	}
	if math.Abs(r) >= math.Ldexp(2, f.largest-1)*2 || math.IsInf(r, 0) {
		flags = overflow | inexact
		r = math.Inf(x.Sign())
		if mode == toZero || mode == down && x.Sign() > 0 || mode == up && x.Sign() < 0 {
			r = math.Copysign(math.Ldexp(2-math.Ldexp(1, 1-f.precision), f.largest), r)
		}
	}
	return r, flags
}

// roundingModes are those of package big, by the architecture's numbers.
var roundingModes = [...]big.RoundingMode{toNearestEven: big.ToNearestEven, toZero: big.ToZero, down: big.ToNegativeInf,
	up: big.ToPositiveInf, toNearestAway: big.ToNearestAway}

// multiple rounds a number to a multiple of the last digit of numbers with an exponent. A power of
// two in front, which the sum has as many digits behind, makes it that digit.
func (f format) multiple(x *big.Float, exponent int, mode uint8) (r float64, exact bool) {
	front := new(big.Float).SetMantExp(big.NewFloat(float64(x.Sign())), exponent+2)
	z := new(big.Float).SetPrec(uint(f.precision+2)).SetMode(roundingModes[mode]).Add(x, front)
	exact = z.Acc() == big.Exact
	r, _ = z.SetMode(big.ToZero).Sub(z, front).Float64()
	return math.Copysign(r, float64(x.Sign())), exact
}

package riscv

import "slices"

// table has every instruction of 32 bits that the front end executes. Markers come before the
// instruction that they are a case of.
var table = slices.Concat(markerRows, integerRows, atomicRows, controlRows, floatRows(0, "s"), floatRows(1, "d"), convertRows)

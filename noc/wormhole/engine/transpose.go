package engine

// transpose turns a matrix of bits. Squares exchange their upper right and lower left quarters, for smaller and smaller
// sizes: first 32, in which many columns may have nothing.
func transpose(rows *[64]uint64) {
	for i := range 32 {
		upper, lower := rows[i], rows[i+32]
		rows[i], rows[i+32] = upper&(1<<32-1)|lower<<32, upper>>32|lower&^(1<<32-1)
	}
	transposeHalf((*[32]uint64)(rows[:32]))
	transposeHalf((*[32]uint64)(rows[32:]))
}

// transposeHalf deals with the sizes below 32 in half of the rows: two sizes at a time, because rows that are at hand need
// not be fetched again.
//
//go:noinline
func transposeHalf(rows *[32]uint64) {
	for i := range 8 {
		a, b, c, d := rows[i], rows[i+8], rows[i+16], rows[i+24]
		a, c = exchange(a, c, 16, 0x0000ffff0000ffff)
		b, d = exchange(b, d, 16, 0x0000ffff0000ffff)
		rows[i], rows[i+8] = exchange(a, b, 8, 0x00ff00ff00ff00ff)
		rows[i+16], rows[i+24] = exchange(c, d, 8, 0x00ff00ff00ff00ff)
	}
	for i := range 8 {
		k := i&1 | i>>1<<3
		a, b, c, d := rows[k&25], rows[k&25+2], rows[k&25+4], rows[k&25+6]
		a, c = exchange(a, c, 4, 0x0f0f0f0f0f0f0f0f)
		b, d = exchange(b, d, 4, 0x0f0f0f0f0f0f0f0f)
		rows[k&25], rows[k&25+2] = exchange(a, b, 2, 0x3333333333333333)
		rows[k&25+4], rows[k&25+6] = exchange(c, d, 2, 0x3333333333333333)
	}
	for i := range 16 {
		rows[2*i], rows[2*i+1] = exchange(rows[2*i], rows[2*i+1], 1, 0x5555555555555555)
	}
}

// exchange exchanges the right bits of the upper of two rows with the left bits of the lower, by so many places; left is the
// left bits.
func exchange(upper, lower uint64, places uint, left uint64) (uint64, uint64) {
	other := (upper>>places ^ lower) & left
	return upper ^ other<<places, lower ^ other
}

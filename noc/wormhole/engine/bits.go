package engine

// Operations on bits: a counter for each router of a group, a matrix that is transposed, and
// choices without a branch.

// counter is a number for each router of a group, bit-sliced: bit r of word i is bit i of the
// number of router r.
type counter [48]uint64

// add adds numbers of three bits each.
func (t *counter) add(ones, twos, fours uint64) {
	carry := t[0] & ones
	t[0] ^= ones
	sum := t[1] ^ twos
	t[1], carry = sum^carry, t[1]&twos|sum&carry
	sum = t[2] ^ fours
	t[2], carry = sum^carry, t[2]&fours|sum&carry
	t.carry(3, carry)
}

// carry adds a bit from some position on. The first are done whether they must be or not, because a
// branch on it would be a coin toss.
func (t *counter) carry(from int, set uint64) {
	for i := from; i < 8; i++ {
		t[i], set = t[i]^set, t[i]&set
	}
	for i := 8; set != 0; i++ {
		t[i], set = t[i]^set, t[i]&set
	}
}

// of returns the number of a router.
func (t *counter) of(r int) (number uint64) {
	for i := range t {
		number |= t[i] >> (r & 63) & 1 << i
	}
	return number
}

// countOthers counts the requests beyond one in each router, of seven at a time, for which three
// bits do.
//
//go:noinline
func countOthers(requests []uint64, others *counter) {
	found := uint64(0)
	for len(requests) > 0 {
		some := requests[:min(7, len(requests))]
		requests = requests[len(some):]
		var ones, twos, fours uint64
		for _, asks := range some {
			more := asks & found
			found |= asks
			carry := ones & more
			ones ^= more
			fours |= twos & carry
			twos ^= carry
		}
		others.add(ones, twos, fours)
	}
}

// transpose turns a matrix of bits. Squares exchange their upper right and lower left quarters, for
// smaller and smaller sizes: first 32, in which many columns may have nothing.
func transpose(rows *[64]uint64) {
	for i := range 32 {
		upper, lower := rows[i], rows[i+32]
		rows[i], rows[i+32] = upper&(1<<32-1)|lower<<32, upper>>32|lower&^(1<<32-1)
	}
	transposeHalf((*[32]uint64)(rows[:32]))
	transposeHalf((*[32]uint64)(rows[32:]))
}

// transposeHalf deals with the sizes below 32 in half of the rows: two sizes at a time, because
// rows that are at hand need not be fetched again.
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

// exchange exchanges the right bits of the upper of two rows with the left bits of the lower, by so
// many places; left is the left bits.
func exchange(upper, lower uint64, places uint, left uint64) (uint64, uint64) {
	other := (upper>>places ^ lower) & left
	return upper ^ other<<places, lower ^ other
}

// without returns a word without a channel's bit if that goes, without a branch.
func without(set uint64, ch uint32, goes bool) uint64 {
	less := set &^ (1 << (ch & 63)) // here, so that the compiler has only to choose
	if goes {
		set = less
	}
	return set
}

// isZero returns 1 for 0, else 0.
func isZero[number int32 | uint16 | front | uint64](i number) uint64 {
	if i == 0 {
		return 1
	}
	return 0
}

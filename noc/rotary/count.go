package rotary

import "math/bits"

// count is a small number for each router of a bank, bit by bit: bit r of word i is bit i of the number of
// router r. Sums and comparisons of all 64 take a few operations per bit. A number has planes bits, so that the
// slots of a segment fit; the three that 4 slots need are dealt with in a straight line, a third faster.
type count [8]uint64

// add adds one for the routers of a set.
func (c *count) add(set uint64, planes int) {
	c0, c1, c2 := c[0], c[1], c[2]
	two := c0 & set
	four := c1 & two
	c[0], c[1], c[2] = c0^set, c1^two, c2^four
	if planes > 3 {
		for i, carry := 3, c2&four; i < planes; i++ {
			c[i&7], carry = c[i&7]^carry, c[i&7]&carry
		}
	}
}

// subtract takes one away for the routers of a set.
func (c *count) subtract(set uint64, planes int) {
	c0, c1, c2 := c[0], c[1], c[2]
	two := set &^ c0
	four := two &^ c1
	c[0], c[1], c[2] = c0^set, c1^two, c2^four
	if planes > 3 {
		for i, borrow := 3, four&^c2; i < planes; i++ {
			c[i&7], borrow = c[i&7]^borrow, borrow&^c[i&7]
		}
	}
}

// some is the routers whose number is not 0.
func (c *count) some(planes int) uint64 {
	set := c[0] | c[1] | c[2]
	for i := 3; i < planes; i++ {
		set |= c[i&7]
	}
	return set
}

// atLeast is the routers whose number is no less than a constant.
func (c *count) atLeast(least, planes int) uint64 {
	if least>>planes != 0 {
		return 0
	}
	need := func(i int) uint64 { return -uint64(least >> (i & 63) & 1) } // all ones: a 1 is asked for there
	set := c[0] | ^need(0)
	set = c[1]&set | (c[1]|set)&^need(1)
	set = c[2]&set | (c[2]|set)&^need(2)
	for i := 3; i < planes; i++ {
		set = c[i&7]&set | (c[i&7]|set)&^need(i)
	}
	return set
}

// compare is the routers whose number in a is less than in b, and those whose numbers are equal.
func compare(a, b *count, planes int) (less, equal uint64) {
	differ0, differ1, differ2 := a[0]^b[0], a[1]^b[1], a[2]^b[2]
	less = b[0]&differ0&^differ1 | b[1]&differ1
	less = less&^differ2 | b[2]&differ2
	differ := differ0 | differ1 | differ2
	for i := 3; i < planes; i++ {
		d := a[i&7] ^ b[i&7]
		less = less&^d | b[i&7]&d
		differ |= d
	}
	return less, ^differ
}

// of is the number of router r.
func (c *count) of(r, planes int) (number int) {
	for i := range planes {
		number |= int(c[i&7]>>(r&63)&1) << i
	}
	return number
}

// set makes it the number of router r.
func (c *count) set(r, number, planes int) {
	for i := range planes {
		c[i&7] = c[i&7]&^(1<<(r&63)) | uint64(number>>i&1)<<(r&63)
	}
}

// first is the lowest router of a set that is not empty.
func first(set uint64) int { return bits.TrailingZeros64(set) & 63 }

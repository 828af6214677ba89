package engine

import "math/bits"

// count is a small number for each router of a bank, bit by bit: bit r of word i is bit i of the
// number of router r. Sums and comparisons of all 64 take a few operations per bit. A number has
// planes bits, so that the slots of a segment fit. Three are enough for the 4 slots that segments
// usually have: they are dealt with in a straight line that stands in its caller, what is above
// them by methods that are called only if there is anything.
type count [8]uint64

// low is the bits of a number that are dealt with in a straight line.
const low = 3

// add adds one for the routers of a set, and returns those where it has to be carried above the
// lowest three bits.
func (c *count) add(set uint64) (carry uint64) {
	two := c[0] & set
	four := c[1] & two
	carry = c[2] & four
	c[0] ^= set
	c[1] ^= two
	c[2] ^= four
	return carry
}

// carry is the rest of add.
func (c *count) carry(set uint64, planes int) {
	for i := low; i < planes; i++ {
		c[i&7], set = c[i&7]^set, c[i&7]&set
	}
}

// subtract takes one away for the routers of a set, and returns those where it has to be borrowed
// from above the lowest three bits.
func (c *count) subtract(set uint64) (borrow uint64) {
	two := set &^ c[0]
	four := two &^ c[1]
	borrow = four &^ c[2]
	c[0] ^= set
	c[1] ^= two
	c[2] ^= four
	return borrow
}

// borrow is the rest of subtract.
func (c *count) borrow(set uint64, planes int) {
	for i := low; i < planes; i++ {
		c[i&7], set = c[i&7]^set, set&^c[i&7]
	}
}

// some is the routers whose number is not 0.
func (c *count) some(planes int) (set uint64) {
	set = c[0] | c[1] | c[2]
	if planes > low {
		set |= c.above(planes)
	}
	return set
}

// above is the routers whose number has bits above the lowest three.
func (c *count) above(planes int) (set uint64) {
	for i := low; i < planes; i++ {
		set |= c[i&7]
	}
	return set
}

// least is a constant that numbers are compared with: all ones where it has a bit.
type least [8]uint64

// newLeast makes a constant, which must have no more bits than the numbers.
func newLeast(number int) (l least) {
	for i := range l {
		l[i] = -uint64(number >> i & 1)
	}
	return l
}

// atLeast is the routers whose number is no less than a constant.
func (c *count) atLeast(l *least, planes int) uint64 {
	set := c.lowAtLeast(l)
	for i := low; i < planes; i++ {
		set = c[i&7]&set | (c[i&7]|set)&^l[i&7]
	}
	return set
}

// lowAtLeast is atLeast for numbers of three bits.
func (c *count) lowAtLeast(l *least) (set uint64) {
	set = c[0] | ^l[0]
	set = c[1]&set | (c[1]|set)&^l[1]
	return c[2]&set | (c[2]|set)&^l[2]
}

// compare is the routers whose number in a is less than in b, and those whose numbers are equal.
func compare(a, b *count, planes int) (less, equal uint64) {
	differ0, differ1, differ2 := a[0]^b[0], a[1]^b[1], a[2]^b[2]
	less = b[0]&differ0&^differ1 | b[1]&differ1
	less = less&^differ2 | b[2]&differ2
	differ := differ0 | differ1 | differ2
	for i := low; i < planes; i++ {
		d := a[i&7] ^ b[i&7]
		less = less&^d | b[i&7]&d
		differ |= d
	}
	return less, ^differ
}

// less is the routers whose number in c is less than in d, or equal and in a set.
func (c *count) less(d *count, equal uint64, planes int) uint64 {
	set := c.lowLess(d, equal)
	if planes > low {
		set = c.lessAbove(d, set, planes)
	}
	return set
}

// lowLess is less for the lowest three bits.
func (c *count) lowLess(d *count, equal uint64) uint64 {
	set := d[0]&^c[0] | equal&^(c[0]^d[0])
	set = d[1]&^c[1] | set&^(c[1]^d[1])
	return d[2]&^c[2] | set&^(c[2]^d[2])
}

// lessAbove is less if the lowest three bits of the numbers in a set are less.
func (c *count) lessAbove(d *count, set uint64, planes int) uint64 {
	for i := low; i < planes; i++ {
		set = d[i&7]&^c[i&7] | set&^(c[i&7]^d[i&7])
	}
	return set
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

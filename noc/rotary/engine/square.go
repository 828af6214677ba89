package engine

// squareRow is the destinations that each of the five ports of a router serves in a grid of two
// dimensions with no more than 64 nodes, and the first three again, so that in the order of ring 0
// all others follow each port. It is a cache line. What every packet with several destinations asks
// a router is answered here without loops, in half the instructions of the methods of Network with
// these names, which are for other grids.
type squareRow [8]uint64

const squarePorts = 5

// union is the ports that serve any destination of a set.
func (m *squareRow) union(set uint64) uint64 {
	return notEmpty(set&m[0]) | notEmpty(set&m[1])<<1 | notEmpty(set&m[2])<<2 | notEmpty(set&m[3])<<3 | notEmpty(set&m[4])<<4
}

// fartherOnFirst tells by how many segments the way from input p, until all of a set has met a port
// that serves it, is longer on ring 0 than on ring 1. The input's own output is the last on both.
func (m *squareRow) fartherOnFirst(p int, set uint64) int {
	at := p + 1
	if at == squarePorts {
		at = 0
	}
	m0, m1, m2, m3 := m[at&7], m[(at+1)&7], m[(at+2)&7], m[(at+3)&7]
	first, second := set&^m0, set&^m3
	farther := notEmpty(first) - notEmpty(second)
	first, second = first&^m1, second&^m2
	farther += notEmpty(first) - notEmpty(second)
	return int(farther + notEmpty(first&^m2) - notEmpty(second&^m1))
}

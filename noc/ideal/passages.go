package ideal

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// passage is what is known of the copies from one node to another: when the latest header is there
// and the latest copy complete, of all and of those sent before the cycle of the last one.
type passage struct {
	key          uint64 // the pair of nodes, plus 1; 0 is a free entry of the table
	sent         noc.Cycle
	all, earlier struct{ start, end noc.Cycle }
}

// follow notes a copy that is sent in a cycle and returns when its header is there: after the time
// of its route, but not before the copies sent in earlier cycles, and so that it is not complete
// before them.
func (p *passage) follow(sent, route, phits noc.Cycle) noc.Cycle {
	if sent > p.sent {
		p.sent, p.earlier = sent, p.all
	}
	start := max(sent+route, p.earlier.start)
	if p.earlier.end > start+phits {
		start = p.earlier.end - phits
	}
	p.all.start, p.all.end = max(p.all.start, start), max(p.all.end, start+phits)
	return start
}

// passages is a hash table of the passages in use, with linear probing. A passage whose copies are
// all complete affects no later copy, so it is dropped when the table is half full. The size of the
// table therefore follows from the copies in flight, not from the number of pairs of nodes.
type passages struct {
	all, spare []passage // spare is nil or as long
	used       int
	shift      uint // 64 minus the logarithm of the length
}

// newPassages returns a table that never fills if there are at most 64 nodes.
func newPassages(nodes int) passages {
	size := uint(min(bits.Len(uint(2*nodes*nodes)), 13))
	return passages{all: make([]passage, 1<<size), shift: 64 - size}
}

// of returns the passage of a pair of nodes for a copy that is sent now.
func (t *passages) of(pair uint64, now noc.Cycle) *passage {
	key := pair + 1
	for i := key * 0x9e3779b97f4a7c15 >> (t.shift & 63); ; i++ {
		switch p := &t.all[i&uint64(len(t.all)-1)]; {
		case p.key == key:
			return p
		case p.key != 0:
		case 2*t.used >= len(t.all):
			t.renew(now)
			return t.of(pair, now)
		default:
			t.used++
			p.key = key
			return p
		}
	}
}

// renew drops the passages that are no longer in use. It doubles the table if that leaves more than
// a quarter of it in use.
func (t *passages) renew(now noc.Cycle) {
	old := t.all
	if t.all = t.spare; t.all == nil {
		t.all = make([]passage, len(old))
	}
	t.spare = old
	t.refill(old, now)
	if 4*t.used > len(t.all) {
		old = t.all
		t.all, t.spare = make([]passage, 2*len(old)), nil
		t.shift--
		t.refill(old, now)
	}
	clear(t.spare)
}

// refill puts those of some passages that are in use into the table, which is empty.
func (t *passages) refill(from []passage, now noc.Cycle) {
	t.used = 0
	for i := range from {
		if p := &from[i]; p.all.end > now {
			*t.of(p.key-1, now) = *p
		}
	}
}

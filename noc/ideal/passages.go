package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
)

// passage is what is known of the copies from one node to another: when the latest header is there
// and the latest copy complete, of all and of those sent before the cycle of the last one.
type passage struct {
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

// passages are those in use. A passage whose copies are all complete affects no later copy, so it is
// dropped when there are many. Their number therefore follows from the copies in flight, not from the
// number of pairs of nodes.
type passages struct {
	inUse, spare blocktable.Table[uint64, passage] // by the pair of nodes
	most         int                               // in use, before those that are complete are dropped
}

// newPassages returns a table that drops none if there are at most 64 nodes.
func newPassages(nodes int) passages {
	return passages{blocktable.New[uint64](passage{}), blocktable.New[uint64](passage{}), min(nodes*nodes, 1<<12)}
}

// of returns the passage of a pair of nodes for a copy that is sent now.
func (t *passages) of(pair uint64, now noc.Cycle) *passage {
	if t.inUse.Len() == t.most {
		t.spare.Clear()
		t.inUse.Visit(func(pair uint64, p *passage) {
			if p.all.end > now {
				*t.spare.Get(pair) = *p
			}
		})
		t.inUse, t.spare = t.spare, t.inUse
		t.most = max(t.most, 4*t.inUse.Len())
	}
	return t.inUse.Get(pair)
}

package cache

import (
	"encoding/binary"
	"math/bits"
)

// TreePLRU is tree pseudo-LRU: one bit per inner node of a binary tree over the ways of a set.
const TreePLRU Policy = 1

// treePLRU has a tree per set: node i has the children 2i+1 and 2i+2. Its bit is set when the victim
// is to the right.
type treePLRU struct {
	tree []uint64
	away []turn // per way
}

// turn is what a touch of one way does to the tree: the nodes on the path, and those of them that
// then point right.
type turn struct{ path, right uint64 }

// powerOfTwo tells what the ways of a binary tree need.
func powerOfTwo(ways int) string {
	if ways&(ways-1) == 0 {
		return ""
	}
	return "a power of two"
}

func newTreePLRU(sets, ways int) replacement {
	t := &treePLRU{make([]uint64, sets), make([]turn, ways)}
	for w := range t.away {
		for node := w + ways - 1; node > 0; {
			parent := (node - 1) / 2
			t.away[w].path |= 1 << parent
			if node == 2*parent+1 {
				t.away[w].right |= 1 << parent
			}
			node = parent
		}
	}
	return t
}

func (t *treePLRU) copyFrom(r replacement) { copy(t.tree, r.(*treePLRU).tree) }

func (t *treePLRU) fill(set, way int32) { t.touch(set, way) }

func (t *treePLRU) touch(set, way int32) {
	turn := t.away[way]
	t.tree[set] = t.tree[set]&^turn.path | turn.right
}

// victim returns the way that the tree points at or, if that is not allowed, the first allowed one
// after it, wrapping.
func (t *treePLRU) victim(set int32, allowed uint64) int32 {
	ways := int32(len(t.away))
	node := int32(0)
	for node < ways-1 {
		node = 2*node + 1 + int32(t.tree[set]>>node&1)
	}
	if w := node - (ways - 1); allowed>>w != 0 {
		allowed = allowed >> w << w
	}
	return int32(bits.TrailingZeros64(allowed))
}

func (t *treePLRU) appendState(to []byte, set int) []byte {
	return binary.AppendUvarint(to, t.tree[set])
}

func (t *treePLRU) setState(from []byte, set int) []byte {
	n := 0
	t.tree[set], n = binary.Uvarint(from)
	return from[n:]
}

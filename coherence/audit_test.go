package coherence

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Places are in the order in which a stable sort puts them, whichever digits their blocks differ in.
func TestSortBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.SampledFrom([]Block{0, 3, 0xff00, 0xff0000ff, 0xffffffff}).Draw(t, "mask")
		blocks := rapid.SliceOfN(rapid.Uint32(), 0, 50).Draw(t, "blocks")
		got := byBlock(len(blocks), func(i int) Block { return Block(blocks[i]) & mask })
		want := make([]int, len(blocks))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int {
			return int(Block(blocks[a])&mask) - int(Block(blocks[b])&mask)
		})
		for i, p := range got {
			if p.index() != want[i] || p.block() != Block(blocks[want[i]])&mask {
				t.Fatalf("place %d is %d of block %#x, want %d", i, p.index(), p.block(), want[i])
			}
		}
	})
}

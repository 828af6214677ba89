package fabric

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
)

// TestContents: a packet that crosses wires as a whole flips as many bits as its phits do one after
// another, with the destinations that it owes in its header, as a number or as sets laid over each
// other.
func TestContents(t *testing.T) {
	for _, sets := range []bool{false, true} {
		rng, worms := random.Stream(7), NewWorms(100, 0)
		var content []noc.Word
		c, err := NewContents(worms, 77, sets, func(noc.Packet) []noc.Word { return content })
		if err != nil {
			t.Fatal(err)
		}
		var whole, phits Wires
		for range 500 {
			content = make([]noc.Word, 1+rng.Below(5))
			for i := range content {
				content[i] = noc.Word{rng.Uint64(), rng.Uint64()}
			}
			to := noc.NodeID(rng.Below(100))
			id, field := worms.New(Worm{}, to), uint64(to)
			if sets {
				field = 1 << (to % 64)
			}
			if rng.Below(2) == 0 {
				id = worms.NewSeveral(Worm{})
				worms.Set(id)[0], worms.Set(id)[1] = 5, 9
				field = 5 ^ 9
			}
			c.Keep(id, noc.Packet{Phits: uint16(len(content))})
			c.Address(id)
			c.Cross(id, &whole)
			for i, word := range content {
				if i == 0 {
					word[1] = field
				}
				word = word.And(noc.WordMask(77))
				phits = Wires{last: word, Flips: phits.Flips + phits.last.Flips(word)}
			}
			if whole != phits {
				t.Fatalf("%d phits: the wires are %+v, want %+v", len(content), whole, phits)
			}
		}
	}
	if _, err := NewContents(NewWorms(4, 0), noc.WordBits+1, false, nil); err == nil {
		t.Error("phits wider than a word are counted")
	}
}

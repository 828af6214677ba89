package fabric

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Phits is what the phits of the worms of an arena hold, for plain routers that count flipped bits.
// [Contents] says the same of whole packets.
type Phits struct {
	worms *Worms
	of    func(noc.Packet) []noc.Word
	sets  bool     // headers carry sets of destinations, not numbers
	mask  noc.Word // the bits of a phit
	words [][]noc.Word
}

// NewPhits makes room for what the worms of an arena hold, as of tells (noc.ToggleCounter). sets
// reports whether headers carry destination sets. It fails for phits that are wider than a word.
func NewPhits(worms *Worms, phitBits int, sets bool, of func(noc.Packet) []noc.Word) (*Phits, error) {
	if phitBits > noc.WordBits {
		return nil, fmt.Errorf("phit_bits is %d; flipped bits are counted of phits of up to %d bits", phitBits, noc.WordBits)
	}
	return &Phits{worms: worms, of: of, sets: sets, mask: noc.WordMask(phitBits)}, nil
}

// Keep implements [Keeper].
func (f *Phits) Keep(id WormID, p noc.Packet) {
	words := f.at(id)
	*words = append((*words)[:0], f.of(p)...)
	if len(*words) != int(p.Phits) {
		panic(fmt.Sprintf("noc: a packet of %d phits holds %d words", p.Phits, len(*words)))
	}
}

func (f *Phits) at(id WormID) *[]noc.Word {
	for int(id) >= len(f.words) {
		f.words = append(f.words, nil)
	}
	return &f.words[id]
}

// Share lets a copy hold what the worm holds that it was made of.
func (f *Phits) Share(from, to WormID) {
	if from != to {
		f.at(max(from, to))
		f.words[to] = append(f.words[to][:0], f.words[from]...)
	}
}

// Word returns what a phit of a worm holds as it leaves where it is: routers write the destinations
// that it owes into the header, several laid over each other by exclusive or.
func (f *Phits) Word(id WormID, phit int) noc.Word {
	w := f.words[id][phit]
	if phit == 0 {
		w[1] = f.destinations(id)
	}
	return w.And(f.mask)
}

func (f *Phits) destinations(id WormID) (field uint64) {
	only := f.worms.Only(id)
	switch {
	case only < 0:
		for _, word := range f.worms.Set(id) {
			field ^= word
		}
		return field
	case f.sets:
		return 1 << (only & 63)
	}
	return uint64(only)
}

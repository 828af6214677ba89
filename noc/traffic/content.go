package traffic

import (
	"errors"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
)

// ErrNoToggles tells that a network does not count flipped bits.
var ErrNoToggles = errors.New("it does not count flipped bits")

// CountToggles gives packets something to hold, random words behind a header, and lets the
// network count the bits that they flip. Like everything about a message its words follow from
// its key, and nothing else changes. It is called before Run. Element 0 of the header is, from
// bit 0 on:
//
//	16  source
//	 8  class
//	 8  phits
//	32  the lower half of the cycle in which the message was born
//
// Element 1 is the network's, which writes the destinations there.
func (d *Driver) CountToggles() error {
	counter, ok := d.network.(noc.ToggleCounter)
	if !ok {
		return ErrNoToggles
	}
	content := make([]noc.Word, d.phits)
	return counter.CountToggles(func(p noc.Packet) []noc.Word {
		m := d.offered
		content[0] = noc.Word{uint64(p.Src)&0xffff | uint64(p.Class)<<16 | uint64(p.Phits)&0xff<<24 | uint64(m.born)<<32, 0}
		words := random.Named(uint64(m.key), contentPurpose, int(p.Src))
		for i := 1; i < len(content); i++ {
			content[i] = noc.Word{words.Uint64(), words.Uint64()}
		}
		return content
	})
}

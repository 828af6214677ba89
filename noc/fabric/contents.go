package fabric

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Contents is what the worms of an arena hold, for networks that count flipped bits. A packet
// streams without another one between its phits, so all that a wire has to know of it are the
// words at its ends and how many bits flip between them: what a wire costs does not depend on the
// packet's length.
type Contents struct {
	worms *Worms
	of    func(noc.Packet) []noc.Word
	sets  bool     // headers carry sets of destinations, not numbers
	mask  noc.Word // the bits of a phit
	all   []content
}

// content is one packet copy as wires see it. Its header changes on the way, as routers write the
// destinations that it still owes into it.
type content struct {
	header, second, last noc.Word
	rest                 uint64 // flips from the second word on
	single               bool   // the header is all there is
}

// NewContents makes room for what the worms of an arena hold, as of tells (noc.ToggleCounter).
// sets reports whether headers carry destination sets. It fails for phits that are wider than a
// word.
func NewContents(worms *Worms, phitBits int, sets bool, of func(noc.Packet) []noc.Word) (*Contents, error) {
	if phitBits > noc.WordBits {
		return nil, fmt.Errorf("phit_bits is %d; flipped bits are counted of phits of up to %d bits", phitBits, noc.WordBits)
	}
	return &Contents{worms: worms, of: of, sets: sets, mask: noc.WordMask(phitBits)}, nil
}

// Keep implements [Keeper].
func (c *Contents) Keep(id WormID, p noc.Packet) {
	words := c.of(p)
	if len(words) != int(p.Phits) {
		panic(fmt.Sprintf("noc: a packet of %d phits holds %d words", p.Phits, len(words)))
	}
	x := c.at(id)
	*x = content{header: words[0].And(c.mask), single: p.Phits == 1}
	if x.single {
		return
	}
	x.second = words[1].And(c.mask)
	x.last = x.second
	for _, w := range words[2:] {
		w = w.And(c.mask)
		x.rest += x.last.Flips(w)
		x.last = w
	}
}

func (c *Contents) at(id WormID) *content {
	for int(id) >= len(c.all) {
		c.all = append(c.all, content{})
	}
	return &c.all[id]
}

// Share lets a copy hold what the worm holds that it was made of.
func (c *Contents) Share(from, to WormID) {
	if from != to {
		copied := c.at(to) // may move all
		*copied = *c.at(from)
	}
}

// Address writes the destinations that a worm owes into its header.
func (c *Contents) Address(id WormID) {
	if only := c.worms.Only(id); only >= 0 {
		c.AddressOnly(id, only)
	} else {
		c.AddressSet(id, c.worms.Set(id)...)
	}
}

// AddressOnly writes one destination into the header of a worm, and AddressSet several: those of
// the copy that crosses next, if copies share the worm.
func (c *Contents) AddressOnly(id WormID, to int32) {
	if c.sets {
		c.AddressSet(id, 1<<(to&63))
	} else {
		c.AddressSet(id, uint64(to))
	}
}

// AddressSet is AddressOnly for several.
func (c *Contents) AddressSet(id WormID, set ...uint64) {
	field := uint64(0)
	for _, w := range set {
		field ^= w
	}
	c.at(id).header[1] = field & c.mask[1]
}

// Cross lets a worm's phits cross a bundle of wires and returns how many bits flip.
func (c *Contents) Cross(id WormID, w *Wires) uint64 {
	x := &c.all[id]
	flips := w.last.Flips(x.header)
	w.last = x.header
	if !x.single {
		flips += x.header.Flips(x.second) + x.rest
		w.last = x.last
	}
	w.Flips += flips
	return flips
}

// Wires are one bundle of wires: the last word on it, and the bits that have flipped.
type Wires struct {
	last  noc.Word
	Flips uint64
}

// FlipsOf returns the bits that have flipped on several bundles.
func FlipsOf(list []Wires) (flips uint64) {
	for i := range list {
		flips += list[i].Flips
	}
	return flips
}

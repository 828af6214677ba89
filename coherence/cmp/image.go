package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
)

// image is what the memory holds, as far as it is known: pages by number, made when something of
// them is.
type image struct{ pages []*imagePage }

// imageBlocks is the number of blocks of a page.
const imageBlocks = 64

type imagePage struct {
	bytes    [imageBlocks][coherence.BlockBytes]byte
	known    [imageBlocks]uint64 // bit i: byte i of the block
	versions [imageBlocks]coherence.Version
}

var unknownBlock [coherence.BlockBytes]byte

// at returns the page of an address and the block in it; the page is nil where nothing is known.
func (m *image) at(address uint64) (p *imagePage, block int) {
	n := address / coherence.BlockBytes
	if page := n / imageBlocks; page < uint64(len(m.pages)) {
		p = m.pages[page]
	}
	return p, int(n % imageBlocks)
}

// make is at for a page that is written.
func (m *image) make(address uint64) (p *imagePage, block int) {
	page := address / (imageBlocks * coherence.BlockBytes)
	if page >= uint64(len(m.pages)) {
		grown := make([]*imagePage, max(page+1, 2*uint64(len(m.pages))))
		copy(grown, m.pages)
		m.pages = grown
	}
	if m.pages[page] == nil {
		m.pages[page] = new(imagePage)
	}
	return m.at(address)
}

// write puts bytes into a block of which that made, or has seen, a version.
func (m *image) write(address uint64, bytes []byte, v coherence.Version) {
	p, block := m.make(address)
	at := address % coherence.BlockBytes
	n := copy(p.bytes[block][at:], bytes)
	p.known[block] |= (1<<n - 1) << at
	p.versions[block] = v
}

// fill puts bytes where nothing is known.
func (m *image) fill(address uint64, bytes []byte) {
	if len(bytes) == 0 {
		return
	}
	p, block := m.make(address)
	at := address % coherence.BlockBytes
	for i, b := range bytes {
		if bit := uint64(1) << (at + uint64(i)); p.known[block]&bit == 0 && at+uint64(i) < coherence.BlockBytes {
			p.bytes[block][at+uint64(i)] = b
			p.known[block] |= bit
		}
	}
}

// version returns that of the latest access that has written to a block of the image.
func (m *image) version(address uint64) coherence.Version {
	if p, block := m.at(address); p != nil {
		return p.versions[block]
	}
	return 0
}

// block returns what a block holds, and how many of its bytes are known.
func (m *image) block(address uint64) (bytes *[coherence.BlockBytes]byte, known uint64) {
	p, block := m.at(address)
	if p == nil {
		return &unknownBlock, 0
	}
	return &p.bytes[block], uint64(bits.OnesCount64(p.known[block]))
}

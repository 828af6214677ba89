package serial

import (
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
)

// LimitBytes bounds one access; larger ones are errors of the format.
const LimitBytes = 4096

// Core turns the steps of one program into records.
type Core struct {
	pages        *frames.Map
	line         uint64 // of the last fetch
	fetched      bool
	instructions uint64 // since the last record
	buffer       []traces.Record
	executed     uint64
	kinds        [traces.Kinds]uint64 // accesses taken, before they are cut into pieces
	skipped      uint64
}

// Instruction counts an instruction; its accesses follow.
func (c *Core) Instruction() {
	c.instructions++
	c.executed++
}

// Fetched reports whether there was a fetch so far.
func (c *Core) Fetched() bool { return c.fetched }

// Skip counts a line that holds nothing to import.
func (c *Core) Skip() { c.skipped++ }

// Fetch takes the fetch of an instruction's bytes.
func (c *Core) Fetch(address, size uint64) {
	c.kinds[traces.Fetch]++
	for line, last := address/traces.LineBytes, (address+size-1)/traces.LineBytes; ; line++ {
		if !c.fetched || line != c.line {
			c.line, c.fetched = line, true
			c.record(traces.Fetch, line*traces.LineBytes, 6)
		}
		if line == last {
			return
		}
	}
}

// Access takes a load or store of 1 to LimitBytes bytes; it may wrap around the end of the address
// space.
func (c *Core) Access(kind traces.Kind, address, size uint64) {
	c.kinds[kind]++
	for size > 0 {
		room := min(size, traces.LineBytes-address%traces.LineBytes)
		piece := bits.Len64(room) - 1
		c.record(kind, address, uint8(piece))
		address, size = address+1<<piece, size-1<<piece
	}
}

func (c *Core) record(kind traces.Kind, virtual uint64, size uint8) {
	c.buffer = append(c.buffer, traces.Record{Address: c.pages.Physical(virtual), Instructions: uint32(min(c.instructions, 1<<32-1)), Size: size, Kind: kind})
	c.instructions = 0
}

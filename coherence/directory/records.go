package directory

import "github.com/carousel-sim/carousel/coherence"

// record is what memory holds of a block: version 0 until the block has been read or written for the first time.
type record struct {
	version coherence.Version
	reading bool // until its data has been sent
}

func (r *record) state() uint8 {
	if r.reading {
		return memoryReading
	}
	return memoryIdle
}

func (r *record) audit() coherence.Line {
	return coherence.Line{State: r.state(), Version: r.version, Busy: r.reading}
}

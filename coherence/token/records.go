package token

// record is a memory controller's share of a block, and what memory holds.
type record struct {
	line line // its version is what DRAM holds, also when the line is not valid
	dest uint16
	// answers is the number of the transient request for which DRAM is being read; 0 is none.
	answers uint32
	// reading is set while a DRAM read is open. The owner token stays here until the data leaves,
	// so that the same tokens cannot be promised twice.
	reading bool
	ready   bool // the data is here and waits for room
}

// newRecord returns the default state of a block at its memory controller: all tokens are here, and
// version 0.
func newRecord(tokens int16) record {
	return record{line: line{State: valid | owner | all, Count: tokens}}
}

func (r *record) state() uint8 {
	switch {
	case r.reading:
		return memoryReading
	case r.line.has(owner):
		return memoryOwner
	case r.line.Count > 0:
		return memoryTokens
	}
	return memoryNone
}

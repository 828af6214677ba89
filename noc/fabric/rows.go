package fabric

import "math/bits"

// The arena keeps sets of several destinations as rows of words. A row belongs to the packet that
// was made with it, or to the code that has taken it from there, and is returned when one
// destination is left.

// NewRow takes an empty row.
func (a *Packets) NewRow() int32 {
	if n := len(a.spare); n > 0 {
		row := a.spare[n-1]
		a.spare = a.spare[:n-1]
		clear(a.Row(row))
		return row
	}
	for range a.words {
		a.rows = append(a.rows, 0)
	}
	return int32(len(a.rows)/a.words - 1)
}

// Row returns the words of a row; valid until the next NewRow or NewSeveral.
func (a *Packets) Row(row int32) []uint64 {
	from := int(row) * a.words
	return a.rows[from : from+a.words : from+a.words]
}

// SettleRow gives a row with one destination left back to the arena, and returns that destination;
// with several left it returns a negative number.
func (a *Packets) SettleRow(row int32) (only int32) {
	only = -1
	for i, w := range a.Row(row) {
		if w == 0 {
			continue
		}
		if only >= 0 || w&(w-1) != 0 {
			return -1
		}
		only = int32(64*i + bits.TrailingZeros64(w))
	}
	if only < 0 {
		panic("fabric: a packet without destinations")
	}
	a.spare = append(a.spare, row)
	return only
}

// TakeRow takes the row of a packet with several destinations out of it; the arena no longer has
// them.
func (a *Packets) TakeRow(id PacketID) (row int32) {
	w := &a.all[id]
	row, w.to = ^w.to, 0
	return row
}

// TakeWord is TakeRow in a network of no more than 64 nodes, where the set is one word.
func (a *Packets) TakeWord(id PacketID) (set uint64) {
	row := a.TakeRow(id)
	a.spare = append(a.spare, row)
	return a.rows[row]
}

// CountRow is the number of destinations in a row.
func (a *Packets) CountRow(row int32) (sum int) {
	for _, w := range a.Row(row) {
		sum += bits.OnesCount64(w)
	}
	return sum
}

// LiveRows returns the number of rows in use.
func (a *Packets) LiveRows() int { return len(a.rows)/a.words - len(a.spare) }

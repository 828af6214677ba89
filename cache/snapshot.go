package cache

// AppendState writes down which block sits in which frame and who is given up next, for an explorer
// that compares states. Blocks and ways must be few: each takes a byte.
func (a *Array) AppendState(to []byte) []byte {
	for s := range a.valid {
		to = append(to, byte(a.valid[s]))
		if a.tree != nil {
			to = append(to, byte(a.tree[s]))
		}
		for f := s * int(a.ways); f < (s+1)*int(a.ways); f++ {
			if a.Holds(int32(f)) {
				to = append(to, byte(a.blocks[f]))
			}
			if a.rank != nil && a.ways > 1 {
				to = append(to, a.rank[f])
			}
		}
	}
	return to
}

// SetState restores what AppendState has written and returns what follows it.
func (a *Array) SetState(from []byte) []byte {
	next := func() byte {
		b := from[0]
		from = from[1:]
		return b
	}
	for s := range a.valid {
		if a.recent != nil {
			a.recent[s] = untouched
		}
		a.valid[s] = uint64(next())
		if a.tree != nil {
			a.tree[s] = uint64(next())
		}
		for f := s * int(a.ways); f < (s+1)*int(a.ways); f++ {
			a.blocks[f] = vacant
			if a.Holds(int32(f)) {
				a.blocks[f] = uint32(next())
			}
			if a.rank != nil && a.ways > 1 {
				a.rank[f] = next()
			}
		}
		a.refilter(int32(s))
	}
	return from
}

// Clear closes every miss.
func (f *MSHRs[Target]) Clear() {
	for slot := f.Next(0); slot != None; slot = f.Next(slot + 1) {
		f.Release(slot)
	}
}

// Generation returns what a timer of a slot must have to be current.
func (f *MSHRs[Target]) Generation(slot int) uint32 { return f.entries[slot].generation }

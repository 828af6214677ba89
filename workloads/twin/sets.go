package twin

// Caches have sets, and programs whose arrays are a power of two apart use few of them at a time. What a distance
// cannot tell is measured at one place between usual caches: 256 sets of 64-byte lines, 16 KB apart, that hold two
// lines each. Lines of twins lie in those of the sets that the recording's lines were in (runs.go), so that caches
// with other sets meet about as many conflicts, too.
const (
	setCount = 256
	setWays  = 2
)

// sets holds what a core has touched last in each set: line numbers plus one, the latest first.
type sets struct {
	last [setCount][setWays]uint64
}

// recent reports whether a line is one of the last in its set.
func (s *sets) recent(line uint64) bool {
	set := &s.last[line%setCount]
	return set[0] == line+1 || set[1] == line+1
}

// touch notes a touch, and reports whether the line was one of the last before.
func (s *sets) touch(line uint64) bool {
	set := &s.last[line%setCount]
	if set[0] == line+1 {
		return true
	}
	recent := set[1] == line+1
	set[0], set[1] = line+1, set[0]
	return recent
}

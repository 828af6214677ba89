package twin

// entry is a line that a core has touched: its number, how it is used, and where the last access ended.
type entry uint64

// use says what a core may do to a line without anybody else noticing.
type use uint8

const (
	useOwn      use = iota // only this core touches it
	useRead                // all only read it
	useForeign             // written by another core
	useProduced            // written by this core, read by others
	useShown               // the same, perhaps read by others since
	useTraded              // written by several cores, and read by this one
	useOwned               // the same, and written by this one since
)

func newEntry(line uint64, u use) entry { return entry(line<<10 | uint64(u)<<7) }

func (e entry) line() uint64        { return uint64(e) >> 10 }
func (e entry) use() use            { return use(e >> 7 & 7) }
func (e entry) end() uint64         { return uint64(e & 127) }
func (e entry) at(end uint64) entry { return e&^127 | entry(end) }

// become changes how the line is used.
func (e *entry) become(u use) { *e = *e&^(7<<7) | entry(u)<<7 }

// stack holds the lines that a core has touched, the latest last.
type stack struct {
	lines []entry
	walk  walk
	// traded is the distance up to which exchanged lines are as the core has left them.
	traded int
}

const (
	stackLimit = 1 << 17
	// exactDepth is the distance up to which the order is exact. Taking a line from further down costs as
	// much as from here: the line at this depth goes to its place, so that lines below lose their order.
	exactDepth = 1 << 12
)

// push puts a line on top.
func (s *stack) push(e entry) {
	if len(s.lines) == stackLimit {
		n := copy(s.lines, s.lines[stackLimit/4:])
		s.lines = s.lines[:n]
	}
	s.lines = append(s.lines, e)
	s.walk.moved(-1)
}

// top is the latest line.
func (s *stack) top() *entry { return &s.lines[len(s.lines)-1] }

// raise moves the line at a distance to the top.
func (s *stack) raise(distance int) {
	s.walk.moved(distance)
	last := len(s.lines) - 1
	i := last - distance
	e := s.lines[i]
	if edge := last - exactDepth; i < edge {
		s.lines[i] = s.lines[edge]
		i = edge
	}
	copy(s.lines[i:], s.lines[i+1:])
	s.lines[last] = e
}

// Distances from which a core does not expect to find a line as it left it, when others use it too.
const (
	tradedDistance = 16
	searchReach    = 64
)

// fits reports whether an access at a distance needs no other core.
func (e entry) fits(write bool, distance, traded int) bool {
	switch e.use() {
	case useOwn:
		return true
	case useRead:
		return !write
	case useForeign:
		return !write && distance < 2*tradedDistance
	case useProduced:
		return !write || distance < tradedDistance
	case useTraded:
		return !write && distance < traded
	case useShown:
		return !write
	}
	return distance < traded
}

// find is the distance of a line.
func (s *stack) find(line uint64) (int, bool) {
	for d := range s.lines {
		if s.lines[len(s.lines)-1-d].line() == line {
			return d, true
		}
	}
	return 0, false
}

// near finds a line that fits, as close to a distance as possible: one that its set still has, or one that it has
// not, if there is one from half the distance on, else any. Base is added to lines for their sets. It returns false
// when nothing fits.
func (s *stack) near(distance int, write bool, k kept, of *sets, base uint64) (int, bool) {
	last := len(s.lines) - 1
	distance = min(distance, last)
	found := -1
	for reach := range searchReach {
		for _, d := range [2]int{distance + reach, distance - reach} {
			if d < 0 || d > last || !s.lines[last-d].fits(write, d, s.traded) {
				continue
			}
			if k == anywhere || d >= distance/2 && of.recent(s.lines[last-d].line()+base) == (k == inSet) {
				return d, true
			}
			if found < 0 {
				found = d
			}
		}
	}
	if found >= 0 {
		return found, true
	}
	return distance, false
}

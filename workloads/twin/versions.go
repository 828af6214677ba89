package twin

// Every write of a produced line that others have read makes a new version of it. A producer writes its lines in
// turn, so that version n is in line n modulo their number, and the first versions are there from the beginning.
//
// How many versions there are at the beginning of each slice follows from the parameters alone. So readers take new
// versions without knowing the producer's stream: those of earlier slices, and of the current one as many as it
// has made when it is as far in the slice as the reader.

// versions of all producers by slice.
type versions struct {
	made [][]uint64 // by role and slice: new versions of the lap before it; one more element is those of the lap
}

func newVersions(p *Parameters, s *schedule) (v versions) {
	for i := range p.Roles {
		made, sum := make([]uint64, p.Slices+1), uint64(0)
		for slice := range p.Slices {
			sum += at(p.Roles[i].Written, slice)
			made[slice+1] = s.scaled(sum)
		}
		v.made = append(v.made, made)
	}
	return v
}

// at is how many versions a role has made of its lines by a part of a slice, in units of 2^-16, without those that are
// there from the beginning.
func (v *versions) at(role, lap, slice int, part uint64) uint64 {
	made := v.made[role]
	return uint64(lap)*made[len(made)-1] + made[slice] + (made[slice+1]-made[slice])*part>>16
}

// reader takes the versions of one producer.
type reader struct {
	next   uint64 // version
	credit int64  // of the choice among producers: grows by the producer's weight with every choice
}

// Who reads behind a producer leaves it the versions that it may go on to write, and the lines that it writes next.
const (
	freshVersions = 2
	nextLines     = tradedDistance
)

// advance moves to the next version of a line that the reader reads, of those that are not written over yet or soon,
// and reports whether there is one now that the producer has made some. Who reads a few lines only reads them in one go,
// once all are written.
func (r *reader) advance(part *pool, lines, made uint64) bool {
	if lines == 0 || part.size == 0 {
		return false
	}
	few, oldest := part.size <= lines/4, made+min(nextLines, lines/4)
	if few {
		oldest = made
	}
	if r.next < oldest {
		r.next = oldest
		if at := r.place(part, lines); few && at > 0 && at < part.size {
			r.next += lines - at // the first lines have been written over
		}
	}
	at := r.place(part, lines)
	if at >= part.size {
		r.next += lines - at
		at = 0
	}
	if few {
		return r.next+part.size-at <= made+lines
	}
	return r.next+min(freshVersions, lines/4) < made+lines
}

// place is which line of its part the next version is in, from 0; beyond the part it is in none.
func (r *reader) place(part *pool, lines uint64) uint64 {
	return (r.next%lines + lines - part.first) % lines
}

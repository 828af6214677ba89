package traces

import (
	"errors"
	"math/bits"
)

// plan decides which records are kept.
func (s *slicer) plan() error {
	s.file.Rewind()
	all := make([][]placed, s.file.Cores())
	for core := range all {
		found := scan(s.file, core, s.file.config.MemoryBytes)
		if found.err != nil && !errors.Is(found.err, ErrCorrupt) {
			return s.file.place(found.err)
		}
		// Of a damaged stream only what comes before the damage meets others. choose returns the
		// error if the slice needs more.
		all[core] = found.sync
	}
	s.file.Rewind()
	s.cores = make([]sliceCore, len(s.config.Cores))
	for i, core := range s.config.Cores {
		if err := s.choose(&s.cores[i], core); err != nil {
			return err
		}
	}
	s.barriers(all)
	for i := range s.cores {
		s.cores[i].kept.close()
	}
	return nil
}

// choose marks the records of a core that are kept, all barriers among them.
func (s *slicer) choose(k *sliceCore, core int) error {
	k.meet = map[uint64]uint16{}
	held := map[uint64]bool{}
	begun := false
	err := s.config.Each(s.file, core, func(position, _ uint64, r *Record, _ []Edge) error {
		if !begun {
			begun, k.first = true, position
		}
		k.end = position + 1
		keep := true
		switch r.Kind {
		case Lock:
			held[r.Address] = true
		case Unlock:
			if keep = held[r.Address]; !keep {
				s.dropped.unlocks++
			}
			delete(held, r.Address)
		case Create, Join:
			if _, keep = s.number[r.Address]; !keep {
				s.dropped.creations++
			}
		case End:
			keep = false
		}
		k.kept.append(keep)
		return nil
	})
	return err
}

// arrival is one core's arrival at a barrier.
type arrival struct {
	core     int
	position uint64
}

// barriers keeps those at which several cores of the slice meet. Where as many cores use an object
// as always meet at it, the n-th arrival of each of them belongs to the n-th meeting.
func (s *slicer) barriers(all [][]placed) {
	meetings := map[uint64][][]arrival{} // by object
	users := map[uint64]map[int]int{}    // arrivals so far, by object and core
	irregular := map[uint64]uint16{}
	for core, list := range all {
		for _, r := range list {
			if r.Kind != Barrier {
				continue
			}
			object := r.Address
			if users[object] == nil {
				users[object], irregular[object] = map[int]int{}, r.Count
			}
			n := users[object][core]
			users[object][core]++
			if n == len(meetings[object]) {
				meetings[object] = append(meetings[object], nil)
			}
			meetings[object][n] = append(meetings[object][n], arrival{core, r.position})
		}
	}
	for object, list := range meetings {
		regular := len(users[object]) == int(irregular[object])
		for _, meeting := range list {
			s.meeting(meeting, regular && len(meeting) == len(users[object]))
		}
	}
}

// meeting keeps one meeting for those of its cores that are in the slice.
func (s *slicer) meeting(list []arrival, regular bool) {
	var present []arrival
	for _, a := range list {
		if i, ok := s.number[uint64(a.core)]; ok && a.position >= s.cores[i].first && a.position < s.cores[i].end {
			present = append(present, arrival{i, a.position})
		}
	}
	for _, a := range present {
		k := &s.cores[a.core]
		if regular && len(present) > 1 {
			k.meet[a.position] = uint16(len(present))
		} else {
			k.kept.remove(a.position - k.first)
			s.dropped.barriers++
		}
	}
}

// ranks is a set of numbers that tells how many of its members are below a number.
type ranks struct {
	words []uint64
	sums  []uint64 // members before each word
	n     uint64
}

func (r *ranks) append(member bool) {
	if r.n%64 == 0 {
		r.words = append(r.words, 0)
	}
	if member {
		r.words[r.n/64] |= 1 << (r.n % 64)
	}
	r.n++
}

func (r *ranks) remove(v uint64)   { r.words[v/64] &^= 1 << (v % 64) }
func (r *ranks) has(v uint64) bool { return v < r.n && r.words[v/64]>>(v%64)&1 != 0 }

// close ends the changes.
func (r *ranks) close() {
	sum := uint64(0)
	for _, w := range r.words {
		r.sums = append(r.sums, sum)
		sum += uint64(bits.OnesCount64(w))
	}
	r.words, r.sums = append(r.words, 0), append(r.sums, sum)
}

// below counts the members below a number up to n.
func (r *ranks) below(v uint64) uint64 {
	return r.sums[v/64] + uint64(bits.OnesCount64(r.words[v/64]&(1<<(v%64)-1)))
}

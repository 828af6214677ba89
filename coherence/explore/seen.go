package explore

import "math"

// fingerprint stands for a state: the first 128 bits of its SHA-256.
type fingerprint [2]uint64

// Collision bounds the probability that two of a number of states have the same fingerprint, so
// that one of them has not been explored: n*n/2^129.
func Collision(states int) float64 { return math.Ldexp(float64(states)*float64(states), -129) }

// unknown is the number of a state that has not been seen.
const unknown = ^uint32(0)

// seen numbers states by their fingerprints, in order of arrival.
type seen struct {
	prints []fingerprint
	slots  []uint32 // open addressing: number plus 1, 0 is empty
}

func newSeen() *seen { return &seen{slots: make([]uint32, 1<<12)} }

func (s *seen) slot(f fingerprint) uint32 {
	mask := uint32(len(s.slots) - 1)
	i := uint32(f[0]) & mask
	for s.slots[i] != 0 && s.prints[s.slots[i]-1] != f {
		i = (i + 1) & mask
	}
	return i
}

// find returns the number of a state, or unknown.
func (s *seen) find(f fingerprint) uint32 { return s.slots[s.slot(f)] - 1 }

// add numbers a state; fresh reports whether it is new.
func (s *seen) add(f fingerprint) (number uint32, fresh bool) {
	i := s.slot(f)
	if s.slots[i] != 0 {
		return s.slots[i] - 1, false
	}
	if 4*len(s.prints) >= 3*len(s.slots) {
		s.slots = make([]uint32, 2*len(s.slots))
		for n, f := range s.prints {
			s.slots[s.slot(f)] = uint32(n + 1)
		}
		i = s.slot(f)
	}
	s.prints = append(s.prints, f)
	s.slots[i] = uint32(len(s.prints))
	return uint32(len(s.prints) - 1), true
}

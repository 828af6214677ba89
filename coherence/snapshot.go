package coherence

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Explorable is a protocol whose controllers' whole state can be written down, compared and
// restored, so that package coherence/explore can visit every state of a small chip. Its
// controllers are [ExplorableController]s, its L1s [ExplorableCache]s too.
type Explorable interface {
	Protocol
	// Symmetric reports whether exchanging two cores changes nothing but their names.
	Symmetric() bool
	// Canonicalize replaces what no receiver of a message looks at, or only statistics do, by fixed
	// values: a core by NoCore, a version by 0. Messages that do the same are then equal.
	Canonicalize(m *Message)
	// Hint reports whether messages of a kind in a class may be lost, late or doubled without harm.
	// They are not kept in flight: instead Hints lists, for a receiver, all those of a block that
	// may reach it at any time.
	Hint(m *Message) bool
	Hints(to Agent, b Block) []Message
}

// ExplorableController is a controller with a state that can be saved.
type ExplorableController interface {
	Controller
	// Snapshot writes the controller's state to s or, when s is reading, replaces it by what s
	// holds. Statistics, and numbers that only tell times apart, are left out.
	Snapshot(s *Snapshot)
	// Evict gives a block up as if its frame were needed for another one. It returns false, having
	// done nothing, where that cannot happen.
	Evict(b Block, now noc.Cycle, out *Effects) bool
}

// ExplorableCache is an L1 whose running timers are known from its state.
type ExplorableCache interface {
	CacheController
	ExplorableController
	// Running appends the timers that would still do something.
	Running(list []Timer) []Timer
}

// NoCore stands for a core that does not matter.
const NoCore = 0xffff

// Snapshot is the state of controllers as a row of bytes. One method of a controller both writes
// and reads it, field by field, so that the two cannot differ. While writing, cores get other names
// (symmetric chips are equal up to them) and versions are replaced by their places in the history
// of the block: of two chips that differ only in how often something has been written, one is
// enough.
type Snapshot struct {
	Data    []byte
	Reading bool
	Blocks  int // the blocks in play are 0 up to this number
	// Names are the cores' new names.
	Names []uint8
	// Marks are, for each block, the versions that matter in increasing order, the latest one last.
	// A version is written as the number of marks that are not above it, so that 0 is older than
	// all that matters.
	Marks [][]Version
}

// next returns the next byte to be read.
func (s *Snapshot) next() byte {
	b := s.Data[0]
	s.Data = s.Data[1:]
	return b
}

// Byte passes a number from 0 to 255.
func Byte[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int | ~int16 | ~int32](s *Snapshot, v *T) {
	if s.Reading {
		*v = T(s.next())
		return
	}
	if T(byte(*v)) != *v {
		panic(fmt.Sprintf("%d does not fit a snapshot", *v))
	}
	s.Data = append(s.Data, byte(*v))
}

// Small passes a number from -100 to 100.
func Small[T ~int | ~int16 | ~int32](s *Snapshot, v *T) {
	shifted := *v + 100
	Byte(s, &shifted)
	*v = shifted - 100
}

// Bool passes a truth value.
func (s *Snapshot) Bool(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	Byte(s, &b)
	*v = b != 0
}

// Core passes the number of a core.
func (s *Snapshot) Core(v *uint16) {
	if s.Reading {
		*v = uint16(s.next())
	} else {
		s.Data = append(s.Data, s.Names[*v])
	}
}

// Cores passes a set of cores.
func (s *Snapshot) Cores(v *noc.NodeSet) {
	if s.Reading {
		v.Low = uint64(s.next())
		return
	}
	var named byte
	for core, name := range s.Names {
		named |= byte(v.Low>>core&1) << name
	}
	s.Data = append(s.Data, named)
}

// Version passes the version of a block.
func (s *Snapshot) Version(b Block, v *Version) {
	if s.Reading {
		*v = Version(s.next())
	} else {
		s.Data = append(s.Data, s.Place(b, *v))
	}
}

// Place returns a version's place in the history of its block. One that is above all marks does not
// exist in a right protocol; it keeps its distance.
func (s *Snapshot) Place(b Block, v Version) uint8 {
	place := uint8(0)
	for _, m := range s.Marks[b] {
		if m > v {
			return place
		}
		place++
	}
	marks := s.Marks[b]
	return place + uint8(min(v-marks[len(marks)-1], 3))
}

// Agent passes an agent's name.
func (s *Snapshot) Agent(a *Agent) {
	Byte(s, &a.Role)
	if a.Role == Cache {
		s.Core(&a.Index)
	} else {
		Byte(s, &a.Index)
	}
}

// Message passes a message that a controller keeps, without its sequence number.
func (s *Snapshot) Message(m *Message) {
	Byte(s, &m.Block)
	Byte(s, &m.Kind)
	Byte(s, &m.Class)
	Byte(s, &m.Flags)
	Small(s, &m.Count)
	s.Agent(&m.From)
	s.Core(&m.Requestor)
	s.Version(m.Block, &m.Version)
}

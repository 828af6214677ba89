package twin

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Footprint counts lines of 64 bytes.
type Footprint struct {
	Private []uint64 `json:"private"`  // per core
	OwnCode []uint64 `json:"own_code"` // lines of instructions that only this core executes, per core
	// Shared are lines that several cores read and none writes, Code the lines of instructions, both by degree
	// class (1, 2, 3 to 4, 5 to 8 cores, ...); the touches are lines times cores.
	Shared        []uint64 `json:"shared"`
	SharedTouches []uint64 `json:"shared_touches"`
	Code          []uint64 `json:"code"`
	CodeTouches   []uint64 `json:"code_touches"`
	// Produced are lines that this core alone writes and others read. Reads[i][j] counts how often core i
	// read what core j had newly written there, Readable[i][j] how many of those lines it touched at all,
	// and ReadableFrom[i][j] which one first in their order.
	Produced []uint64   `json:"produced"`
	Reads    [][]uint64 `json:"reads"`
	Readable [][]uint64 `json:"readable"`

	ReadableFrom [][]uint64 `json:"readable_from"`
	// Exchanged are the lines that several cores write, by how often a core used one after others had: once, 2 or
	// 3 times, 4 to 7 times, and so on.
	Exchanged []Popularity `json:"exchanged"`
	Sets      Sets         `json:"sets"`
}

// Sets say in which sets of a cache the lines above lie, in the order in which they were touched first; those of
// several cores by the core that did it.
type Sets struct {
	Private   [][]Run `json:"private"`
	OwnCode   [][]Run `json:"own_code"`
	Produced  [][]Run `json:"produced"`
	Shared    [][]Run `json:"shared"`
	Code      [][]Run `json:"code"`
	Exchanged [][]Run `json:"exchanged"`
}

// Popularity groups lines that are used about equally often.
type Popularity struct {
	Lines   uint64 `json:"lines"`
	Touches uint64 `json:"touches"` // lines times the cores that touch one
	Uses    uint64 `json:"uses"`    // after others
}

// popularities is the number of groups of exchanged lines.
const popularities = 33

// setLists are sequences of sets by core or class.
type setLists [][]uint8

func (l *setLists) add(i int, set uint8) {
	for len(*l) <= i {
		*l = append(*l, nil)
	}
	(*l)[i] = append((*l)[i], set)
}

func (l setLists) lengths() []uint64 {
	all := make([]uint64, 0, len(l))
	for _, sequence := range l {
		all = append(all, uint64(len(sequence)))
	}
	return all
}

func (l setLists) runs() [][]Run {
	all := make([][]Run, 0, len(l))
	for _, sequence := range l {
		all = append(all, runs(sequence))
	}
	return all
}

// footprint adds up the lines, after all replays.
func (t *lineTable) footprint(cores int) Footprint {
	f := Footprint{Private: make([]uint64, cores), OwnCode: make([]uint64, cores), Produced: make([]uint64, cores),
		Reads: make([][]uint64, cores), Readable: make([][]uint64, cores), ReadableFrom: make([][]uint64, cores)}
	for i := range f.Readable {
		f.Readable[i], f.ReadableFrom[i] = make([]uint64, cores), make([]uint64, cores)
	}
	var lists struct{ private, produced, ownCode, code, shared, exchanged setLists }
	sharedTouches, codeTouches := make([]uint64, degreeClasses), make([]uint64, degreeClasses)
	for _, l := range t.byFirst() {
		if n := bits.OnesCount64(l.fetchers); n > 0 {
			codeTouches[degreeClass(n)] += uint64(n)
			if n == 1 {
				lists.ownCode.add(bits.TrailingZeros64(l.fetchers), l.set)
			} else {
				lists.code.add(degreeClass(n), l.set)
			}
		}
		n := bits.OnesCount64(l.data)
		switch {
		case n == 0:
		case l.use == private:
			lists.private.add(bits.TrailingZeros64(l.data), l.set)
		case l.use == shared:
			lists.shared.add(degreeClass(n), l.set)
			sharedTouches[degreeClass(n)] += uint64(n)
		case l.use == produced:
			producer := bits.TrailingZeros64(l.writers)
			lists.produced.add(producer, l.set)
			for core := range cores {
				if (l.data&^l.writers)>>core&1 == 0 {
					continue
				}
				if f.Readable[core][producer]++; f.Readable[core][producer] == 1 {
					f.ReadableFrom[core][producer] = uint64(len(lists.produced[producer]) - 1)
				}
			}
		case l.use == exchanged:
			class := bits.Len32(l.uses)
			lists.exchanged.add(class, l.set)
			for len(f.Exchanged) <= class {
				f.Exchanged = append(f.Exchanged, Popularity{})
			}
			e := &f.Exchanged[class]
			e.Lines++
			e.Touches += uint64(n)
			e.Uses += uint64(l.uses)
		}
	}
	copy(f.Private, lists.private.lengths())
	copy(f.OwnCode, lists.ownCode.lengths())
	copy(f.Produced, lists.produced.lengths())
	f.Shared, f.SharedTouches = lists.shared.lengths(), trimmed(sharedTouches)
	f.Code, f.CodeTouches = lists.code.lengths(), trimmed(codeTouches)
	f.Sets = Sets{Private: lists.private.runs(), OwnCode: lists.ownCode.runs(), Produced: lists.produced.runs(),
		Shared: lists.shared.runs(), Code: lists.code.runs(), Exchanged: lists.exchanged.runs()}
	for i := range f.Readable {
		f.Readable[i], f.ReadableFrom[i] = trimmed(f.Readable[i]), trimmed(f.ReadableFrom[i])
	}
	return f
}

// byFirst orders the lines by the core that touched them first, and then by when; those that several write by who read
// them first after another, since that is how they are walked through.
func (t *lineTable) byFirst() []*line {
	lines := make([]*line, len(t.lines))
	for i := range t.lines {
		lines[i] = &t.lines[i]
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.read, b.read)) })
	return lines
}

func (f *Footprint) validate(cores int) error {
	for _, l := range []struct {
		name  string
		lines []uint64
		most  int
	}{
		{"private", f.Private, cores}, {"own_code", f.OwnCode, cores}, {"produced", f.Produced, cores}, {"shared", f.Shared, degreeClasses},
		{"shared_touches", f.SharedTouches, degreeClasses}, {"code", f.Code, degreeClasses},
		{"code_touches", f.CodeTouches, degreeClasses},
	} {
		if len(l.lines) > l.most {
			return fmt.Errorf("footprint.%s has %d elements; at most %d are allowed", l.name, len(l.lines), l.most)
		}
		for i, n := range l.lines {
			if n > limitLines {
				return fmt.Errorf("footprint.%s[%d] is %d; at most %d are allowed", l.name, i, n, uint64(limitLines))
			}
		}
	}
	if len(f.Exchanged) > popularities {
		return fmt.Errorf("footprint.exchanged has %d elements; at most %d are allowed", len(f.Exchanged), popularities)
	}
	for i, e := range f.Exchanged {
		if e.Lines > limitLines {
			return fmt.Errorf("footprint.exchanged[%d].lines is %d; at most %d are allowed", i, e.Lines, uint64(limitLines))
		}
	}
	for _, m := range []struct {
		name string
		rows [][]uint64
	}{{"reads", f.Reads}, {"readable", f.Readable}, {"readable_from", f.ReadableFrom}} {
		if len(m.rows) > cores {
			return fmt.Errorf("footprint.%s has %d rows; there are %d cores", m.name, len(m.rows), cores)
		}
		for i := range m.rows {
			if len(m.rows[i]) > cores {
				return fmt.Errorf("footprint.%s[%d] has %d columns; there are %d cores", m.name, i, len(m.rows[i]), cores)
			}
		}
	}
	return f.Sets.validate(cores)
}

func (s *Sets) validate(cores int) error {
	for _, l := range []struct {
		name string
		runs [][]Run
		most int
	}{
		{"private", s.Private, cores}, {"own_code", s.OwnCode, cores}, {"produced", s.Produced, cores},
		{"shared", s.Shared, degreeClasses}, {"code", s.Code, degreeClasses}, {"exchanged", s.Exchanged, popularities},
	} {
		if len(l.runs) > l.most {
			return fmt.Errorf("footprint.sets.%s has %d elements; at most %d are allowed", l.name, len(l.runs), l.most)
		}
		for i, list := range l.runs {
			if len(list) > exactRuns {
				return fmt.Errorf("footprint.sets.%s[%d] has %d runs; at most %d are allowed", l.name, i, len(list), exactRuns)
			}
			for j, r := range list {
				if r[0] >= setCount || r[1] >= setCount || r[2] == 0 {
					return fmt.Errorf("footprint.sets.%s[%d][%d] is %v; it must be two numbers below %d and one that is not 0", l.name, i, j, r, setCount)
				}
			}
		}
	}
	return nil
}

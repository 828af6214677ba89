package cmp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// story is a random program of several cores that synchronise in every way that a trace can say. It
// comes from one imagined order of all records, in which every edge points to the past.
type story struct {
	random  rng
	records [][]traces.Record
	edges   [][]traces.Edge
	writers map[uint64]traces.Edge // per address, its last writer
	waits   [2]uint8               // how cores wait for each lock
}

const (
	storyCores   = 6
	storyCreated = storyCores - 1 // created and joined by core 0
	storyBlocks  = 12
)

func newStory(seed uint64, steps int) *story {
	s := &story{random: rng(seed*0x9e3779b97f4a7c15 + 1), records: make([][]traces.Record, storyCores),
		edges: make([][]traces.Edge, storyCores), writers: map[uint64]traces.Edge{}}
	s.waits = [2]uint8{uint8(seed % 2), uint8(seed / 2 % 2)}
	for range 8 { // before core 5 exists
		s.step(storyCreated)
	}
	s.add(0, traces.Record{Kind: traces.Create, Address: storyCreated})
	for range steps {
		s.step(storyCores)
	}
	s.add(0, traces.Record{Kind: traces.Join, Address: storyCreated})
	for range 8 {
		s.step(storyCreated)
	}
	return s
}

func (s *story) add(core int, r traces.Record) uint64 {
	r.Instructions = uint32(1 + s.random.next(9)*s.random.next(9))
	s.records[core] = append(s.records[core], r)
	return uint64(len(s.records[core]) - 1)
}

// step adds something to one of the first cores, or a barrier to all.
func (s *story) step(cores int) {
	core := int(s.random.next(uint64(cores)))
	switch s.random.next(12) {
	case 0:
		if cores == storyCores {
			for i := range cores {
				s.add(i, traces.Record{Kind: traces.Barrier, Address: 9 | uint64(s.waits[1]&traces.Sleeps)*traces.LockWord, Count: uint16(cores), Size: s.waits[0] & (traces.Sleeps | traces.Exchanges)})
			}
		}
	case 1, 2, 3:
		lock := s.random.next(2)
		number := [2]uint64{0, traces.LockWord | 1<<16 + 64 + 16}[lock] // one lies beside its data
		wait := s.waits[lock] + traces.Shared*uint8(s.random.next(4))
		s.add(core, traces.Record{Kind: traces.Lock, Address: number, Size: wait})
		for range s.random.next(4) {
			// No edges here: whoever holds a lock must not wait for one who may want it.
			s.add(core, traces.Record{Kind: traces.Store, Address: 1<<16 + lock*64, Size: 3})
			s.add(core, traces.Record{Kind: traces.Load, Address: 1<<16 + lock*64, Size: 3})
		}
		s.add(core, traces.Record{Kind: traces.Unlock, Address: number, Size: wait})
	default:
		s.access(core)
	}
}

// access adds a store, or a load or an atomic that must see what another core has written.
func (s *story) access(core int) {
	kind := []traces.Kind{traces.Load, traces.Load, traces.Store, traces.Atomic}[s.random.next(4)]
	address := s.random.next(storyBlocks) * 64
	at := s.add(core, traces.Record{Kind: kind, Address: address, Size: 3})
	if w, written := s.writers[address]; written && kind != traces.Store && int(w.Producer) != core {
		w.At = at
		s.edges[core] = append(s.edges[core], w)
	}
	if kind != traces.Load {
		s.writers[address] = traces.Edge{Position: at, Producer: uint16(core)}
	}
}

// judge is told every record as it takes effect, and holds the order of these events to the
// program's.
type judge struct {
	story    *story
	done     [][]bool            // records that have taken effect
	versions []map[uint64]uint64 // per core and record, the version that it read or made
	holders  map[uint64]int      // of locks, plus one
	sharers  map[uint64][]int    // of locks
	wrong    []string
}

func newJudge(s *story) *judge {
	j := &judge{story: s, holders: map[uint64]int{}, sharers: map[uint64][]int{}}
	for _, records := range s.records {
		j.done = append(j.done, make([]bool, len(records)))
		j.versions = append(j.versions, map[uint64]uint64{})
	}
	return j
}

func (j *judge) fault(p cmp.Performed, format string, values ...any) {
	if len(j.wrong) < 5 {
		j.wrong = append(j.wrong, fmt.Sprintf("cycle %d, core %d, record %d (%s): ", p.Cycle, p.Core, p.Record, p.Access.Kind)+fmt.Sprintf(format, values...))
	}
}

// doneBefore reports whether a core's records below a position have taken effect.
func (j *judge) doneBefore(core int, position uint64) bool {
	for _, done := range j.done[core][:position] {
		if !done {
			return false
		}
	}
	return true
}

func (j *judge) hear(p cmp.Performed) {
	switch p.Access.Kind {
	case traces.Lock:
		sharers := j.sharers[p.Access.Address]
		shares := p.Access.Size&traces.Shared != 0
		if holder := j.holders[p.Access.Address]; holder != 0 || !shares && len(sharers) > 0 {
			j.fault(p, "lock %d is held by core %d, shared by %v", p.Access.Address, holder-1, sharers)
		}
		if shares {
			j.sharers[p.Access.Address] = append(sharers, p.Core)
		} else {
			j.holders[p.Access.Address] = p.Core + 1
		}
	case traces.Unlock:
		if i := slices.Index(j.sharers[p.Access.Address], p.Core); i >= 0 {
			j.sharers[p.Access.Address] = slices.Delete(j.sharers[p.Access.Address], i, i+1)
			break
		}
		if holder := j.holders[p.Access.Address]; holder != p.Core+1 {
			j.fault(p, "lock %d is held by %d", p.Access.Address, holder-1)
		}
		j.holders[p.Access.Address] = 0
	case traces.Barrier:
		j.barrier(p)
	case traces.Join:
		if other := int(p.Access.Address); !j.doneBefore(other, uint64(len(j.done[other]))) {
			j.fault(p, "core %d has not ended", other)
		}
	}
	if p.Core == storyCreated && !j.created() {
		j.fault(p, "the core has not been created")
	}
	j.done[p.Core][p.Record] = true
	j.versions[p.Core][p.Record] = p.Version
	for _, e := range j.story.edges[p.Core] {
		if e.At == p.Record {
			j.edge(p, e)
		}
	}
}

// barrier: all cores must have come to the barrier of the same number.
func (j *judge) barrier(p cmp.Performed) {
	number := 0
	for _, r := range j.story.records[p.Core][:p.Record] {
		if r.Kind == traces.Barrier {
			number++
		}
	}
	for core, records := range j.story.records {
		left := number
		for at, r := range records {
			if r.Kind != traces.Barrier {
				continue
			}
			if left--; left < 0 {
				if !j.doneBefore(core, uint64(at)) {
					j.fault(p, "core %d has not come to barrier %d", core, number)
				}
				break
			}
		}
	}
}

func (j *judge) created() bool {
	for at, r := range j.story.records[0] {
		if r.Kind == traces.Create {
			// A created core starts in the cycle after, and is told of in the order of cores.
			return j.done[0][at]
		}
	}
	return false
}

// edge: the write has been made, and what the access saw is not older.
func (j *judge) edge(p cmp.Performed, e traces.Edge) {
	if !j.done[e.Producer][e.Position] {
		j.fault(p, "record %d of core %d has not taken effect", e.Position, e.Producer)
		return
	}
	if wrote := j.versions[e.Producer][e.Position]; !p.Forwarded && p.Version < wrote {
		j.fault(p, "it saw version %d, and record %d of core %d had made version %d", p.Version, e.Position, e.Producer, wrote)
	}
}

// told replays a story, with edges or without, and gives what was wrong.
func told(t *testing.T, s *story, c cmp.Config, n noc.Network, edges [][]traces.Edge, seed uint64) ([]string, cmp.Result) {
	t.Helper()
	j := newJudge(s)
	y := must.Get(cmp.New(c, n, traces.NewMemory(s.records, edges), seed))
	y.Watch(j.hear)
	r := must.Get(y.Run(t.Context(), nil))
	for core, done := range j.done {
		if !j.doneBefore(core, uint64(len(done))) {
			j.wrong = append(j.wrong, fmt.Sprintf("core %d has records that never took effect", core))
		}
	}
	return j.wrong, r
}

// Whatever the router, the protocol, the seed and the time that messages take on their way: loads
// see the stores that they saw when they were recorded, locks have one holder, barriers let nobody
// through before all have come, threads begin after their creation and end before they are joined.
// What the cores wait for that is accounted.
func TestSynchronisationIsLegalOnEveryNetwork(t *testing.T) {
	t.Parallel()
	seeds, steps := uint64(2), 150
	for _, p := range cmp.Protocols {
		for _, name := range models.Table().Names() {
			waits := [cmp.Stalls]uint64{}
			for seed := range seeds {
				for _, delay := range []noc.Cycle{0, 300} {
					s := newStory(seed+1, steps)
					tracetest.Check(t, traces.NewMemory(s.records, s.edges))
					c := small()
					c.CheckEvery, c.Protocol, c.Perturb = 0, p.Name, 20
					c.Place.Columns, c.Place.MemoryControllers = 4, 2
					c.Token.Tokens = storyCores + 16
					n := network(t, name, seed, func(o *models.Options) { o.Grid = topology.Torus(4, 4) })
					if delay > 0 {
						n = stress.NewFaultInjector(n, stress.Faults{Delay: delay}, seed)
					}
					wrong, r := told(t, s, c, n, s.edges, seed)
					for _, problem := range wrong {
						t.Errorf("%s on %s, seed %d, delays up to %d: %s", p.Name, name, seed, delay, problem)
					}
					for _, core := range r.Cores {
						for stall, cycles := range core.StallCycles {
							waits[stall] += cycles
						}
					}
				}
			}
			if waits[cmp.StallDependence] == 0 || waits[cmp.StallSync] == 0 {
				t.Errorf("%s on %s: cores waited %v cycles by cause; for each other they must have", p.Name, name, waits)
			}
		}
	}
}

// Without its edges the same story goes wrong, so the judge sees what edges are for.
func TestEdgesAreNeeded(t *testing.T) {
	for seed := range uint64(20) {
		s := newStory(seed+1, 150)
		c := small()
		c.CheckEvery = 0
		if wrong, _ := told(t, s, c, network(t, "mrr", seed, nil), nil, seed); len(wrong) > 0 {
			return
		}
	}
	t.Error("20 stories without edges were told in an order that the edges demand")
}

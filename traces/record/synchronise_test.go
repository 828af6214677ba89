package record

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// play is a random program of threads that lock, meet and share lines, as the plugin would tell of
// it. They take any lock that is free, as if they only tried, so that no order of locks can be
// relied on.
type play struct {
	random  *rand.Rand
	machine bool    // locks are words in memory
	held    [][]int // locks of each thread, the latest last
	holder  []int   // of each lock, or -1, also of one that is shared
	sharers [playLocks]int
	at      []bool // threads at the barrier
	told    []message
}

const (
	playThreads = 4
	playLocks   = 4
	playLines   = 3
)

func lockAt(lock int) uint64 { return 0x10000 + uint64(lock)*traces.LineBytes }

func (p *play) tell(thread int, kind kind, value uint64, instructions uint32) {
	p.told = append(p.told, message{kind: kind, thread: uint16(thread), value: value, instructions: instructions})
}

func (p *play) lock(thread, lock int, shared uint32) {
	if p.machine {
		p.told = append(p.told, takes(uint16(thread), lockAt(lock)))
	} else {
		p.tell(thread, kindLocks, lockAt(lock), shared)
	}
}

func (p *play) unlock(thread, lock int) {
	if p.machine {
		p.told = append(p.told, frees(uint16(thread), lockAt(lock)))
	} else {
		p.tell(thread, kindUnlocks, lockAt(lock), 0)
		p.tell(thread, kindShown, 0, 0)
	}
}

// step lets a thread do something, if it can.
func (p *play) step(thread int, meets bool) {
	held := p.held[thread]
	switch n := p.random.IntN(20); {
	case p.at[thread]:
	case n < 3 && meets:
		p.at[thread] = true
		p.tell(thread, kindArrives, 0x20000, playThreads)
		if !slices.Contains(p.at, false) {
			for i := range p.at {
				p.at[i] = false
				p.tell(i, kindShown, 0, 0)
			}
		}
	case n < 8 && len(held) > 0:
		lock := held[len(held)-1]
		p.held[thread] = held[:len(held)-1]
		if p.sharers[lock] = max(0, p.sharers[lock]-1); p.sharers[lock] == 0 {
			p.holder[lock] = -1
		}
		p.unlock(thread, lock)
	case n < 12:
		lock := p.random.IntN(playLocks)
		shares := !p.machine && p.random.IntN(2) == 0 && !slices.Contains(held, lock)
		switch {
		case shares && (p.holder[lock] < 0 || p.sharers[lock] > 0):
			p.sharers[lock]++
		case p.holder[lock] >= 0:
			return
		}
		p.held[thread], p.holder[lock] = append(held, lock), thread
		p.lock(thread, lock, flag(p.sharers[lock] > 0, uint32(traces.Shared)))
	default:
		k := []kind{kindLoad, kindStore, kindAtomic}[p.random.IntN(3)]
		p.tell(thread, k, 0x30000+uint64(p.random.IntN(playLines))*traces.LineBytes, 1)
	}
}

// TestAnyOrderOfLocks: however a replay orders those who want a lock, it comes to the end, as long
// as barriers and edges are heeded.
func TestAnyOrderOfLocks(t *testing.T) {
	t.Parallel()
	overtaken := 0
	for seed := range uint64(120) {
		p := &play{random: rand.New(rand.NewPCG(seed, 1)), machine: seed%3 == 0, held: make([][]int, playThreads), holder: []int{-1, -1, -1, -1}, at: make([]bool, playThreads)}
		c := config(playThreads)
		if p.machine {
			c.System = &System{}
		}
		for i := range playThreads {
			p.tell(i, kindLoad, 0x40000+uint64(i)*traces.LineBytes, 1)
			for use := range playLocks * trustedAfter {
				p.lock(i, use%playLocks, 0)
				p.unlock(i, use%playLocks)
			}
		}
		for range 150 {
			p.step(p.random.IntN(playThreads), seed%2 == 0 && !p.machine)
		}
		m, _, err := converted(t, c, encode(append([]message{hello}, p.told...)...))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			stuck, changed := replay(m, p.random)
			if stuck != "" {
				t.Fatalf("seed %d: %s", seed, stuck)
			}
			overtaken += changed
		}
	}
	if overtaken < 40 {
		t.Errorf("only %d locks were taken out of order", overtaken)
	}
}

// replay does the records in a random order that locks, barriers and edges allow, with a preference
// for one core. It returns where it cannot go on, and how often a lock went to another core than to
// the one that had been waiting longest.
func replay(m *tracetest.Trace, random *rand.Rand) (stuck string, changed int) {
	done, edge := make([]uint64, len(m.Records)), make([]int, len(m.Records))
	holders, sharers := map[uint64]int{}, map[uint64]int{}
	favourite := random.IntN(len(done))
	ready := func(core int) bool {
		if done[core] == uint64(len(m.Records[core])) {
			return false
		}
		for i := edge[core]; i < len(m.Edges[core]) && m.Edges[core][i].At == done[core]; i++ {
			if e := m.Edges[core][i]; done[e.Producer] <= e.Position {
				return false
			}
		}
		r := m.Records[core][done[core]]
		switch r.Kind {
		case traces.Lock:
			return holders[r.Address] == 0 || r.Size&traces.Shared != 0 && sharers[r.Address] > 0
		case traces.Barrier:
			there := uint16(0)
			for other := range done {
				if at := done[other]; at < uint64(len(m.Records[other])) && m.Records[other][at] == r {
					there++
				}
			}
			return there == r.Count
		}
		return true
	}
	finish := func(core int) {
		for edge[core] < len(m.Edges[core]) && m.Edges[core][edge[core]].At == done[core] {
			edge[core]++
		}
		done[core]++
	}
	for {
		var able []int
		for core := range done {
			if ready(core) {
				able = append(able, core)
			}
		}
		if len(able) == 0 {
			break
		}
		core := able[random.IntN(len(able))]
		if random.IntN(8) > 0 && slices.Contains(able, favourite) {
			core = favourite
		}
		if len(able) > 1 && core != able[0] {
			changed++
		}
		r := m.Records[core][done[core]]
		switch r.Kind {
		case traces.Lock:
			holders[r.Address]++
			sharers[r.Address] += int(r.Size & traces.Shared)
		case traces.Unlock:
			holders[r.Address]--
			sharers[r.Address] -= int(r.Size & traces.Shared)
		case traces.Barrier:
			for other := range done {
				if other != core && done[other] < uint64(len(m.Records[other])) && m.Records[other][done[other]] == r {
					finish(other)
				}
			}
		}
		finish(core)
	}
	for core := range done {
		if done[core] != uint64(len(m.Records[core])) {
			return fmt.Sprintf("core %d stops at record %d: %+v, positions %v, holders %v", core, done[core], m.Records[core][done[core]], done, holders), changed
		}
	}
	return "", changed
}

// slurp reads a source into memory.
func slurp(t *testing.T, s traces.Source) *tracetest.Trace {
	t.Helper()
	m := new(tracetest.Trace)
	for core := range s.Cores() {
		records, edges := tracetest.Drain(s, core, 4096)
		m.Records, m.Edges = append(m.Records, records), append(m.Edges, edges)
	}
	return m
}

// happensBefore replays a trace and gives, per core, how many records of each core come before its
// end.
func happensBefore(t *testing.T, m *tracetest.Trace) [][]uint64 {
	t.Helper()
	n := len(m.Records)
	done, edge := make([]uint64, n), make([]int, n)
	clocks, starts := make([][]uint64, n), make([][]uint64, n)
	history := make([][][]uint64, n) // clock of each record
	created := make([]bool, n)
	for i := range m.Records {
		clocks[i] = make([]uint64, n)
		for _, r := range m.Records[i] {
			if r.Kind == traces.Create {
				created[r.Address] = true
			}
		}
	}
	join := func(to, from []uint64) {
		for i := range to {
			to[i] = max(to[i], from[i])
		}
	}
	// open[i] is one more than the position of a barrier that core i may pass.
	open := make([]uint64, n)
	// meet opens a barrier when all are there, and joins their clocks.
	meet := func(r traces.Record) {
		var there []int
		all := make([]uint64, n)
		for i, records := range m.Records {
			if done[i] < uint64(len(records)) && open[i] != done[i]+1 && records[done[i]].Kind == r.Kind && records[done[i]].Address == r.Address {
				there = append(there, i)
				clocks[i][i] = done[i] + 1
				join(all, clocks[i])
			}
		}
		if len(there) == int(r.Count) {
			for _, i := range there {
				copy(clocks[i], all)
				open[i] = done[i] + 1
			}
		}
	}
	for progress := true; progress; {
		progress = false
		for i, records := range m.Records {
		core:
			for done[i] < uint64(len(records)) {
				if done[i] == 0 && created[i] {
					if starts[i] == nil {
						break
					}
					join(clocks[i], starts[i])
				}
				for ; edge[i] < len(m.Edges[i]) && m.Edges[i][edge[i]].At == done[i]; edge[i]++ {
					e := m.Edges[i][edge[i]]
					if done[e.Producer] <= e.Position {
						break core
					}
					join(clocks[i], history[e.Producer][e.Position])
				}
				if r := records[done[i]]; r.Kind == traces.Barrier && open[i] != done[i]+1 {
					if meet(r); open[i] != done[i]+1 {
						break
					}
				}
				clocks[i][i] = done[i] + 1
				history[i] = append(history[i], append([]uint64(nil), clocks[i]...))
				if r := records[done[i]]; r.Kind == traces.Create {
					starts[r.Address] = append([]uint64(nil), clocks[i]...)
				}
				done[i]++
				progress = true
			}
		}
	}
	for i := range done {
		if done[i] != uint64(len(m.Records[i])) {
			t.Fatalf("core %d stops at record %d", i, done[i])
		}
	}
	return clocks
}

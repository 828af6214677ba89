package explore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/carousel-sim/carousel/coherence"
)

// Options say how far to go.
type Options struct {
	// Memory bounds what is remembered, in bytes; States the number of states, 0 without a bound.
	Memory int64
	States int
	// Workers is the number of goroutines; it changes nothing but the time. 0 takes one per
	// processor.
	Workers int
	// SafetyOnly leaves out that every state can become quiet, which needs the steps between
	// states.
	SafetyOnly bool
	// Observe is called now and then from the calling goroutine.
	Observe func(Progress)
}

// Progress is how far an exploration has come.
type Progress struct {
	States, Expanded, Depth int
	Transitions             uint64
}

// Result is what an exploration has found.
type Result struct {
	States      int    `json:"states"`
	Expanded    int    `json:"expanded"` // states all of whose steps have been taken
	Transitions uint64 `json:"transitions"`
	Depth       int    `json:"depth"`                 // steps to the farthest state
	Quiescent   int    `json:"quiescent"`             // states in which nothing is under way
	MostEvents  int    `json:"most_events_under_way"` // messages, receipts and DRAM reads under way in one state
	// Complete tells that every state that can be reached has been expanded; otherwise a bound
	// ended the search.
	Complete bool `json:"complete"`
	// Live tells that from every state one can be reached in which nothing is under way, without
	// any core doing anything new, and for hints: without any of them. It is known only of complete
	// searches.
	Live      bool             `json:"-"`
	Violation *Violation       `json:"-"`
	Cells     []coherence.Cell `json:"-"` // of every worker
}

const (
	chunkStates = 128           // states that a worker takes at a time
	roundChunks = 32            // chunks between two updates of what has been seen
	mostStates  = 4_000_000_000 // numbers of 32 bits, with room for those found in one round
)

// successor is a state that a worker has found and the search has not seen before this round.
type successor struct {
	print    fingerprint
	parent   uint32
	progress bool
	at, end  int // bytes in the chunk's arena
	events   int
	quiet    bool
}

// chunk is a part of a level and what a worker has found from it.
type chunk struct {
	nodes       []node
	fresh       []successor
	edges       []edge // to states that had been seen
	arena       []byte
	transitions uint64
	broken      *broken // the first broken law
	steps       []step
}

// search is an exploration under way.
type search struct {
	model    *Model
	options  Options
	machines []*machine
	chunks   []chunk

	seen    *seen
	parents []uint32
	edges   []edge
	quiet   []uint64 // bit per state
	level   []node   // states of the present depth
	next    []node
	bytes   int64 // of the states in level and next
	result  Result
}

// node is a state that waits to be expanded.
type node struct {
	number uint32
	state  []byte
}

// Run explores a model.
func Run(ctx context.Context, model Model, options Options) (*Result, error) {
	if err := model.validate(); err != nil {
		return nil, err
	}
	if options.Workers < 1 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	if options.Memory < 1 {
		options.Memory = 1 << 30
	}
	s := &search{model: &model, options: options, seen: newSeen(), chunks: make([]chunk, roundChunks)}
	for range options.Workers {
		s.machines = append(s.machines, newMachine(&model))
	}
	err := s.run(ctx)
	for _, m := range s.machines {
		s.result.Cells = append(s.result.Cells, m.proto.Cells()...)
	}
	return &s.result, err
}

// run is the loop: level by level, and each level in rounds. Within a round workers only read what
// has been seen; after it, what they have found is taken up in the order of their chunks. So every
// state gets the same number and the same parent whatever the number of workers.
func (s *search) run(ctx context.Context) error {
	s.start()
	r := &s.result
	for len(s.level) > 0 && r.Violation == nil {
		for at := 0; at < len(s.level) && r.Violation == nil; at += chunkStates * roundChunks {
			if err := ctx.Err(); err != nil {
				return err
			}
			if s.full() {
				return nil
			}
			s.round(s.level[at:min(at+chunkStates*roundChunks, len(s.level))])
			if s.options.Observe != nil {
				s.options.Observe(Progress{r.States, r.Expanded, r.Depth, r.Transitions})
			}
		}
		for i := range s.level {
			s.bytes -= int64(len(s.level[i].state))
		}
		s.level, s.next = s.next, s.level[:0]
		if len(s.level) > 0 {
			r.Depth++
		}
	}
	if r.Violation != nil {
		return nil
	}
	r.Complete = true
	if !s.options.SafetyOnly {
		s.checkLive()
	}
	return nil
}

// start takes up the initial state.
func (s *search) start() {
	m := s.machines[0]
	state := m.save()
	s.seen.add(fingerprintOf(state))
	s.addState(successor{parent: unknown, quiet: m.quiescent()}, append([]byte(nil), state...))
	s.level, s.next = s.next, s.level
}

// addState makes a new state part of the next level.
func (s *search) addState(x successor, state []byte) {
	number := uint32(len(s.parents))
	s.parents = append(s.parents, x.parent)
	if int(number) >= 64*len(s.quiet) {
		s.quiet = append(s.quiet, 0)
	}
	if x.quiet {
		s.quiet[number/64] |= 1 << (number % 64)
		s.result.Quiescent++
	}
	s.next = append(s.next, node{number, state})
	s.bytes += int64(len(state))
	s.result.States++
	s.result.MostEvents = max(s.result.MostEvents, x.events)
}

// full reports whether a bound has been reached.
func (s *search) full() bool {
	if s.options.States > 0 && s.result.States >= s.options.States {
		return true
	}
	// Fingerprint, slots of the table, parent and flags; and of a state that waits, its number and
	// place.
	const perState, perNode = 16 + 8 + 4 + 1, 32 + 16
	used := int64(s.result.States)*perState + int64(len(s.edges))*16 + s.bytes + int64(len(s.level)+len(s.next))*perNode
	return used > s.options.Memory || s.result.States > mostStates
}

// round expands some states of the level in parallel and takes up what has been found.
func (s *search) round(nodes []node) {
	count := 0
	for at := 0; at < len(nodes); at += chunkStates {
		s.chunks[count].reset(nodes[at:min(at+chunkStates, len(nodes))])
		count++
	}
	var wait sync.WaitGroup
	work := make(chan *chunk, count)
	for i := range count {
		work <- &s.chunks[i]
	}
	close(work)
	for _, m := range s.machines {
		wait.Go(func() {
			for c := range work {
				c.expand(m, s)
			}
		})
	}
	wait.Wait()
	for i := range count {
		if s.merge(&s.chunks[i]); s.result.Violation != nil {
			return
		}
	}
}

// merge takes up what a chunk has found.
func (s *search) merge(c *chunk) {
	s.result.Expanded += len(c.nodes)
	s.result.Transitions += c.transitions
	if c.broken != nil {
		s.report(c.broken)
		return
	}
	s.edges = append(s.edges, c.edges...)
	for _, x := range c.fresh {
		number, fresh := s.seen.add(x.print)
		if x.progress && !s.options.SafetyOnly {
			s.edges = append(s.edges, edge{x.parent, number})
		}
		if fresh {
			s.addState(x, append([]byte(nil), c.arena[x.at:x.end]...))
		}
	}
}

func fingerprintOf(state []byte) fingerprint {
	sum := sha256.Sum256(state)
	return fingerprint{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
}

// broken is a law that a step has broken: from a state, the how-manieth step, and what is wrong.
type broken struct {
	parent uint32
	step   int
	why    error
}

func (c *chunk) reset(nodes []node) {
	*c = chunk{nodes: nodes, fresh: c.fresh[:0], edges: c.edges[:0], arena: c.arena[:0], steps: c.steps}
}

// expand takes every step from every state of the chunk, up to the first that breaks a law.
func (c *chunk) expand(m *machine, s *search) {
	for _, n := range c.nodes {
		m.load(n.state)
		c.steps = m.steps(c.steps[:0])
		for i, step := range c.steps {
			if i > 0 {
				m.reload(n.state)
			}
			done, err := m.do(step)
			if !done && err == nil {
				continue
			}
			c.transitions++
			if err == nil {
				err = c.noteState(m, s, n.number, step.what.progress())
			}
			if err != nil {
				c.broken = &broken{n.number, i, err}
				return
			}
		}
	}
}

// noteState notes the state that a step has led to and, if it has not been seen before, verifies the
// laws.
func (c *chunk) noteState(m *machine, s *search, parent uint32, progress bool) error {
	state := m.save()
	x := successor{print: fingerprintOf(state), parent: parent, progress: progress}
	if number := s.seen.find(x.print); number != unknown {
		if progress && !s.options.SafetyOnly {
			c.edges = append(c.edges, edge{parent, number})
		}
		return nil
	}
	x.events, x.quiet, x.at = len(m.bag), m.quiescent(), len(c.arena)
	c.arena = append(c.arena, state...)
	x.end = len(c.arena)
	c.fresh = append(c.fresh, x)
	return m.check()
}

// edge is a step that happens by itself, from one state to another.
type edge struct{ from, to uint32 }

// checkLive verifies that from every state a quiescent one can be reached by steps that happen by
// themselves. It walks backward from the quiescent states; what it does not meet is stuck.
func (s *search) checkLive() {
	n := len(s.parents)
	first := make([]uint32, n+1) // of each state's predecessors
	for _, e := range s.edges {
		first[e.to+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	predecessors := make([]uint32, len(s.edges))
	place := append([]uint32(nil), first[:n]...)
	for _, e := range s.edges {
		predecessors[place[e.to]] = e.from
		place[e.to]++
	}
	reached := append([]uint64(nil), s.quiet...)
	queue := make([]uint32, 0, n)
	for i := range uint32(n) {
		if reached[i/64]>>(i%64)&1 != 0 {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, p := range predecessors[first[queue[0]]:first[queue[0]+1]] {
			if reached[p/64]>>(p%64)&1 == 0 {
				reached[p/64] |= 1 << (p % 64)
				queue = append(queue, p)
			}
		}
	}
	for i := range uint32(n) {
		if reached[i/64]>>(i%64)&1 == 0 {
			s.report(&broken{parent: i, step: -1, why: errStuck})
			return
		}
	}
	s.result.Live = true
}

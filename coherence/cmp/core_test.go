package cmp

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

func hits(coherence.Access) noc.Cycle { return 0 }

// misses makes loads and atomics take t cycles; everything else hits.
func misses(t noc.Cycle) func(coherence.Access) noc.Cycle {
	return func(a coherence.Access) noc.Cycle {
		if a.Kind == coherence.Load || a.Kind == coherence.Atomic {
			return t
		}
		return 0
	}
}

func end(instructions uint32) traces.Record {
	return traces.Record{Kind: traces.End, Instructions: instructions}
}

func access(k traces.Kind, address uint64, instructions uint32) traces.Record {
	return traces.Record{Kind: k, Address: address, Instructions: instructions, Size: 3}
}

func one(records ...traces.Record) func() *script {
	return func() *script { return &script{records: [][]traces.Record{append([]traces.Record(nil), records...)}} }
}

// An instruction is dispatched in one cycle and retires in a later one; both run at the core's
// width.
func TestPlainInstructionsRunAtTheCoresWidth(t *testing.T) {
	for _, n := range []uint32{1, 4, 5, 400, 100_003} {
		r, _ := replay(t, hits, nil, one(end(n)))
		if want := noc.Cycle(n+3) / 4; r.Cycles != want {
			t.Errorf("%d instructions took %d cycles, want %d", n, r.Cycles, want)
		}
		if r.Instructions != uint64(n) {
			t.Errorf("%d instructions were counted for %d", r.Instructions, n)
		}
	}
}

// A hit is dispatched in cycle 0, issues in 1, has its value in 2 and retires then.
func TestLoadHitTiming(t *testing.T) {
	r, _ := replay(t, hits, nil, one(access(traces.Load, 64, 1), end(0)))
	if r.Cycles != 2 {
		t.Errorf("a single hit took %d cycles, want 2", r.Cycles)
	}
}

func TestIndependentMissesOverlapAndDependentOnesDoNot(t *testing.T) {
	first, second := access(traces.Load, 64, 1), access(traces.Load, 640, 1)
	r, _ := replay(t, misses(300), nil, one(first, second, end(0)))
	if r.Cycles != 302 {
		t.Errorf("independent misses took %d cycles, want 302: 1 to issue, 300, 1 to retire", r.Cycles)
	}
	second.Dependence = 1
	r, _ = replay(t, misses(300), nil, one(first, second, end(0)))
	if r.Cycles != 603 {
		t.Errorf("a dependent miss ended in cycle %d, want 603: its address is known 1 cycle after the first ends in 301", r.Cycles)
	}
	r, _ = replay(t, misses(300), func(c *Config) { c.Core.Dependences = Ignore }, one(first, second, end(0)))
	if r.Cycles != 302 {
		t.Errorf("with dependences ignored the misses took %d cycles, want 302 as without", r.Cycles)
	}
}

// With a missing load at the head the window fills up and dispatch stops: of 1,064 further
// instructions only 63 are in the window when the load ends.
func TestWindowBoundsWhatIsInFlight(t *testing.T) {
	r, _ := replay(t, misses(300), nil, one(access(traces.Load, 64, 1), end(1063)))
	// The load retires in cycle 302 with 3 others of the 64; the rest leaves at 4 per cycle.
	if want := noc.Cycle(302 + 1064/4 - 1); r.Cycles != want {
		t.Errorf("took %d cycles, want %d", r.Cycles, want)
	}
	if stalls := r.Cores[0].StallCycles[StallLoad]; stalls != 302 {
		t.Errorf("%d cycles stalled on the load, want 302 (cycles 0 to 301)", stalls)
	}
}

func TestStoresBecomeVisibleInOrderOnePerCycle(t *testing.T) {
	var records []traces.Record
	for i := range uint64(8) {
		records = append(records, access(traces.Store, 64*i, 1))
	}
	_, p := replay(t, hits, nil, one(append(records, end(0))...))
	var order []coherence.Block
	for _, a := range p.caches[0].log {
		if a.Kind == coherence.Store {
			order = append(order, a.Block)
		}
	}
	for i, b := range order {
		if int(b) != i {
			t.Fatalf("stores became visible in the order %v", order)
		}
	}
	if len(order) != 8 {
		t.Fatalf("%d stores became visible, want 8", len(order))
	}
}

func TestLoadTakesItsValueFromAnOlderStore(t *testing.T) {
	covered := []traces.Record{access(traces.Store, 64, 1), access(traces.Load, 64, 1), end(0)}
	r, p := replay(t, misses(300), nil, one(covered...))
	for _, a := range p.caches[0].log {
		if a.Kind == coherence.Load {
			t.Errorf("the load asked the cache although a store to the same bytes was in the window")
		}
	}
	if r.Loads != 1 || r.Cycles > 10 {
		t.Errorf("forwarding: %d loads in %d cycles", r.Loads, r.Cycles)
	}
	// A store of one byte covers a load of eight in part: the load waits until the store is
	// visible.
	covered[0].Size = 0
	r, p = replay(t, misses(300), nil, one(covered...))
	stored := false
	for _, a := range p.caches[0].log {
		stored = stored || a.Kind == coherence.Store
		if a.Kind == coherence.Load && !stored {
			t.Errorf("the load went to the cache before the overlapping store was visible")
		}
	}
	if r.Cycles < 300 {
		t.Errorf("a partly covered load took no miss: %d cycles", r.Cycles)
	}
}

func TestAtomicsAndFencesWaitForOlderStores(t *testing.T) {
	for _, k := range []traces.Kind{traces.Atomic, traces.Fence} {
		slow := func(a coherence.Access) noc.Cycle {
			if a.Kind == coherence.Store {
				return 100
			}
			return 0
		}
		_, p := replay(t, slow, nil, one(access(traces.Store, 64, 1), access(k, 128, 1), access(traces.Load, 256, 1), end(0)))
		var order []coherence.AccessKind
		for _, a := range p.caches[0].log {
			order = append(order, a.Kind)
		}
		if order[0] != coherence.Store || order[len(order)-1] != coherence.Load {
			t.Errorf("%s: accesses were made in the order %v; the load must come last", k, order)
		}
	}
}

func TestInstructionMissStopsDispatch(t *testing.T) {
	slow := func(a coherence.Access) noc.Cycle {
		if a.Kind == coherence.Fetch {
			return 50
		}
		return 0
	}
	r, _ := replay(t, slow, nil, one(access(traces.Fetch, 4096, 1), access(traces.Load, 64, 0), end(0)))
	if r.Cycles != 52 {
		t.Errorf("took %d cycles, want 52: fetch 0 to 50, load dispatched in 50, value in 52", r.Cycles)
	}
	if r.Instructions != 1 || r.Fetches != 1 || r.Loads != 1 {
		t.Errorf("counted %d instructions, %d fetches, %d loads; want one of each", r.Instructions, r.Fetches, r.Loads)
	}
}

// Core 1 may not load before core 0's store, 1,000 instructions later, is visible.
func TestEdgesOrderCores(t *testing.T) {
	streams := func() *script {
		return &script{
			records: [][]traces.Record{
				{access(traces.Store, 64, 1000), end(0)},
				{access(traces.Load, 64, 1), end(0)},
			},
			edges: [][]traces.Edge{nil, {{At: 0, Producer: 0, Position: 0}}},
		}
	}
	r, _ := replay(t, hits, nil, streams)
	if r.Cores[1].FinishCycle <= 250 || r.Cores[1].FinishCycle > 260 {
		t.Errorf("the consumer finished in cycle %d; the store is visible in about cycle 251", r.Cores[1].FinishCycle)
	}
	if r.Cores[1].StallCycles[StallDependence] < 245 {
		t.Errorf("the wait was not accounted as a dependence: %v", r.Cores[1].StallCycles)
	}
}

// A fetch behind a load that waits takes effect with the load, also where what follows waits for a
// core that waits for the fetch.
func TestEdgesFromFetches(t *testing.T) {
	streams := func() *script {
		return &script{
			records: [][]traces.Record{
				{access(traces.Load, 64, 1), access(traces.Fetch, 4096, 0), access(traces.Store, 128, 1), end(0)},
				{access(traces.Load, 640, 1), end(0)},
			},
			edges: [][]traces.Edge{{{At: 2, Producer: 1, Position: 0}}, {{At: 0, Producer: 0, Position: 1}}},
		}
	}
	r, _ := replay(t, misses(100), nil, streams)
	if second := r.Cores[1].FinishCycle; second < 202 || second > 206 {
		t.Errorf("core 1 finishes in cycle %d; one load after the other takes 202", second)
	}
}

func TestCreateAndJoin(t *testing.T) {
	streams := func() *script {
		return &script{
			records: [][]traces.Record{
				{{Kind: traces.Create, Address: 1, Instructions: 400}, {Kind: traces.Join, Address: 1, Instructions: 1}, end(0)},
				{end(400)},
			},
			created: []bool{false, true},
		}
	}
	r, _ := replay(t, hits, nil, streams)
	parent, child := r.Cores[0].FinishCycle, r.Cores[1].FinishCycle
	if child < 200 || child > 205 {
		t.Errorf("the child finished in cycle %d, want about 201: it starts after the parent's 400 instructions", child)
	}
	if parent <= child || parent > child+4 {
		t.Errorf("the parent finished in cycle %d, just after the child's %d expected", parent, child)
	}
}

// TestJoinByEdge: a core that joins a thread goes on when that has ended, whatever the other core does afterwards and
// whether recorded order is kept. Its time is that of synchronisation.
func TestJoinByEdge(t *testing.T) {
	source := func() *script {
		return &script{records: [][]traces.Record{{{Kind: traces.Join, Address: 1, Instructions: 1, Count: traces.ByEdge}, end(0)},
			{access(traces.Atomic, 64, 1000), access(traces.Load, 128, 1000), end(0)}},
			edges: [][]traces.Edge{{{At: 0, Producer: 1, Position: 0}}, nil}}
	}
	for _, order := range []string{Keep, Ignore} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Order = order }, source)
		c := &r.Cores[0]
		if c.FinishCycle <= 250 || c.FinishCycle > 260 || r.Cores[1].FinishCycle < 500 {
			t.Errorf("order %s: core 0 goes on in cycle %d, want about 251; core 1 in %d", order, c.FinishCycle, r.Cores[1].FinishCycle)
		}
		if c.StallCycles[StallSync] < 245 || c.StallCycles[StallDependence] > 0 || c.ComponentCycles[ComponentSync] < 245 || c.Ordered > 0 {
			t.Errorf("order %s: the wait is accounted as %v, %v, %d edges", order, c.StallCycles, c.ComponentCycles, c.Ordered)
		}
	}
}

func TestAddressOutsideMemoryNamesTheRecord(t *testing.T) {
	c := Default()
	c.Memory.Bytes = 1 << 20
	source := one(access(traces.Load, 64, 1), access(traces.Load, 1<<20, 1), end(0))()
	_, err := stubbed(t, c, &stubProtocol{time: hits}, source).Run(t.Context(), nil)
	want := "core 0, record 1: address 0x100000 is outside the 1048576 bytes of memory; set chip.memory.bytes to more, or import the trace again with physical addresses below it"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Under total store order a load may pass an older store of another block; under sequential
// consistency it waits until the store is visible, and loads perform one after another.
func TestSequentialConsistencyOrdersLoadsAfterStores(t *testing.T) {
	slow := func(a coherence.Access) noc.Cycle {
		if a.Kind == coherence.Store || a.Kind == coherence.Load {
			return 100
		}
		return 0
	}
	streams := one(access(traces.Store, 64, 1), access(traces.Load, 128, 1), access(traces.Load, 256, 1), end(0))
	for _, sequential := range []bool{false, true} {
		r, p := replay(t, slow, func(c *Config) { c.Core.SequentialConsistency = sequential }, streams)
		stored, early := false, 0
		for _, a := range p.caches[0].log {
			stored = stored || a.Kind == coherence.Store
			if a.Kind == coherence.Load && !stored {
				early++
			}
		}
		if sequential && (early > 0 || r.Cycles < 300) {
			t.Errorf("sequentially consistent: %d loads came before the store, and all took %d cycles; three accesses of 100 follow one another", early, r.Cycles)
		}
		if !sequential && r.Cycles > 150 {
			t.Errorf("total store order: %d cycles, although the accesses may overlap", r.Cycles)
		}
	}
}

// damagedEdges has one edge, and then a block that cannot be read.
type damagedEdges struct {
	script
	read bool
	err  error
}

func (d *damagedEdges) ReadEdges(_ int, into []traces.Edge) (int, error) {
	if d.read {
		return 0, d.err
	}
	d.read = true
	into[0] = traces.Edge{At: 0, Producer: 1}
	return 1, nil
}

// TestDamagedEdgesAreReported: an edge that cannot be read is the error of the next record, although
// all records have been read.
func TestDamagedEdgesAreReported(t *testing.T) {
	damage := errors.New("the checksum of the block is wrong")
	in := newInput(&damagedEdges{script: script{records: [][]traces.Record{{{Size: 3}, {Size: 3}, {Kind: traces.End}}}}, err: damage}, 0, Default().Core)
	if err := in.next(); err != nil || !in.edgeDue() {
		t.Fatalf("%v, an edge is due: %v", err, in.edgeDue())
	}
	in.edgeMet()
	for range 2 {
		if err := in.next(); err != damage {
			t.Errorf("the error is %v, want %v", err, damage)
		}
	}
}

// TestCoreLayout: what a step looks at is in five lines of the host's cache, each of which begins
// with what this says, and no line is of two cores.
func TestCoreLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("pointers are of another size")
	}
	const line = 64
	var c core
	for name, at := range map[string]uintptr{
		"idleFrom": unsafe.Offsetof(c.idleFrom), "dispatched": unsafe.Offsetof(c.dispatched), "hits": unsafe.Offsetof(c.hits),
		"stores": unsafe.Offsetof(c.stores), "all": unsafe.Sizeof(c),
	} {
		if at%line != 0 {
			t.Errorf("%s begins, or ends, %d bytes into a line", name, at%line)
		}
	}
	if s := unsafe.Sizeof(operation{}); s != 32 {
		t.Errorf("an operation has %d bytes", s)
	}
	if s := unsafe.Sizeof(store{}); s > 16 {
		t.Errorf("a store has %d bytes", s)
	}
}

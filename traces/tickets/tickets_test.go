package tickets

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// made is a recording whose records have numbers, from 1 in the order in which they were
// recorded, as their instructions.
type made struct {
	*traces.Memory
	after map[uint32][]uint32 // what each record comes after
	total int
}

// random makes a recording of cores that take tickets of some words. Any record may come after
// any earlier one.
func random(seed uint64, cores, words, steps int) made {
	r := rand.New(rand.NewPCG(seed, 1))
	m := made{after: map[uint32][]uint32{}}
	records, edges := make([][]traces.Record, cores), make([][]traces.Edge, cores)
	add := func(core int, x traces.Record) {
		m.total++
		x.Instructions = uint32(m.total)
		records[core] = append(records[core], x)
	}
	taken := uint64(0)
	for range steps {
		core, kind := r.IntN(cores), r.IntN(8)
		at := uint64(len(records[core]))
		if other := r.IntN(cores); kind > 0 && other != core && len(records[other]) > 0 && r.IntN(2) == 0 {
			position := r.IntN(len(records[other]))
			edges[core] = append(edges[core], traces.Edge{At: at, Producer: uint16(other), Position: uint64(position)})
			m.after[uint32(m.total+1)] = append(m.after[uint32(m.total+1)], records[other][position].Instructions)
		}
		switch {
		case kind == 0:
			for c := range cores {
				add(c, traces.Record{Kind: traces.Barrier, Count: uint16(cores)})
			}
		case kind < 4:
			add(core, traces.Record{Kind: traces.Atomic, Size: 2, Address: 4096 * uint64(1+r.IntN(words)), Count: traces.TicketCount(taken)})
			taken++
		default:
			add(core, traces.Record{Kind: traces.Load, Address: uint64(core+100) * traces.LineBytes})
		}
	}
	for core := range cores {
		add(core, traces.Record{Kind: traces.End})
	}
	m.Memory = traces.NewMemory(records, edges).WithTickets(make([][]uint64, cores))
	return m
}

// chip does what a source gives in a random order. It returns what each core has done.
func chip(t *testing.T, m made, seed uint64) (done map[uint32]int, moved int) {
	t.Helper()
	given := must.Get(Source(m.Memory)).(*source)
	r := rand.New(rand.NewPCG(seed, 2))
	n := given.Cores()
	type state struct {
		record     *traces.Record
		edges      []traces.Edge
		done       uint64
		awake, end bool
		arrived    int
	}
	cores := make([]state, n)
	for i := range cores {
		cores[i].awake = true
	}
	given.Bind(traces.Host{Now: func() uint64 { return 0 }, Wake: func(core int, cycle uint64) { cores[core].awake = true }})
	done = map[uint32]int{}
	opened, arrived := 0, 0
	step := func(core int) bool {
		c := &cores[core]
		if c.record == nil {
			if !c.awake || c.end {
				return false
			}
			var one [1]traces.Record
			k, err := given.ReadRecords(core, one[:])
			switch {
			case errors.Is(err, traces.ErrAsleep):
				c.awake = false
				return true
			case err != nil:
				t.Fatalf("core %d: %v", core, err)
			case k == 0:
				return true
			}
			c.record = &one[0]
			var edges [8]traces.Edge
			k, err = given.ReadEdges(core, edges[:])
			if err != nil {
				t.Fatal(err)
			}
			c.edges = slices.Clone(edges[:k])
		}
		for _, e := range c.edges {
			if e.At != c.done || int(e.Producer) == core {
				t.Fatalf("core %d has edge %+v at its record %d", core, e, c.done)
			}
			if cores[e.Producer].done <= e.Position {
				return false
			}
		}
		if c.record.Kind == traces.Barrier {
			if c.arrived == 0 {
				arrived++
				c.arrived = opened + 1
				if arrived == n {
					opened, arrived = opened+1, 0
				}
			}
			if opened < c.arrived {
				return false
			}
			c.arrived = 0
		}
		number := c.record.Instructions
		if _, twice := done[number]; twice {
			t.Fatalf("record %d is done twice", number)
		}
		for _, before := range m.after[number] {
			if _, ok := done[before]; !ok {
				t.Fatalf("record %d is done before record %d", number, before)
			}
		}
		done[number] = core
		if c.record.Kind == traces.Load && c.record.Address != uint64(core+100)*traces.LineBytes {
			moved++
		}
		c.done, c.end, c.record = c.done+1, c.record.Kind == traces.End, nil
		return true
	}
	for len(done) < m.total {
		order, any := r.Perm(n), false
		for _, core := range order[:1+r.IntN(n)] {
			for range r.IntN(9) {
				if !step(core) {
					break
				}
				any = true
			}
		}
		for core := 0; !any && core < n; core++ {
			any = step(core)
		}
		if !any {
			t.Fatalf("%d of %d records are done, and the cores wait for each other", len(done), m.total)
		}
	}
	return done, moved
}

// TestBodiesAreDoneInAnyOrder: whichever core comes first, each record is done once and comes
// after what it came after in the recording, and no cores wait for each other.
func TestBodiesAreDoneInAnyOrder(t *testing.T) {
	moved := 0
	for seed := range uint64(300) {
		m := random(seed, 2+int(seed%4), 1+int(seed%3), 40+int(seed))
		_, n := chip(t, m, seed)
		moved += n
	}
	if moved < 1000 {
		t.Errorf("only %d loads are done by another core than the one that was recorded", moved)
	}
}

// TestCoresGoOnWithTheirOwn: behind a barrier each core does again what its own thread did.
func TestCoresGoOnWithTheirOwn(t *testing.T) {
	var records [2][]traces.Record
	for core := range records {
		records[core] = []traces.Record{
			{Kind: traces.Atomic, Size: 2, Address: 4096, Count: traces.TicketCount(uint64(core))},
			{Kind: traces.Load, Instructions: uint32(core + 1)},
			{Kind: traces.Barrier, Count: 2},
			{Kind: traces.Load, Instructions: uint32(core + 3)},
		}
	}
	given := must.Get(Source(traces.NewMemory(records[:], nil).WithTickets([][]uint64{nil, nil})))
	given.(traces.Live).Bind(traces.Host{})
	read := func(core int) traces.Record {
		var one [1]traces.Record
		must.Get(given.ReadRecords(core, one[:]))
		return one[0]
	}
	var loads [2][]uint32
	read(0)
	read(1)
	for _, core := range []int{1, 0} { // core 1 has its atomic performed first
		read(core)
		for range 4 {
			if r := read(core); r.Kind == traces.Load {
				loads[core] = append(loads[core], r.Instructions)
			}
		}
		if _, err := given.ReadRecords(core, make([]traces.Record, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("core %d: %v behind its end", core, err)
		}
	}
	if !slices.Equal(loads[0], []uint32{2, 3}) || !slices.Equal(loads[1], []uint32{1, 4}) {
		t.Errorf("the cores load %v", loads)
	}
}

// TestOwnLinesMove: a core that does what another one was recorded to do uses its own lines.
func TestOwnLinesMove(t *testing.T) {
	var records [2][]traces.Record
	for core := range records {
		records[core] = []traces.Record{{Kind: traces.Atomic, Size: 2, Address: 4096, Count: traces.TicketCount(uint64(core))},
			{Kind: traces.Store, Address: uint64(10+core)*traces.LineBytes + 8, Size: 3}, {Kind: traces.Store, Address: 20 * traces.LineBytes, Size: 3}}
	}
	given := must.Get(Source(traces.NewMemory(records[:], nil).WithTickets([][]uint64{{10, 20}, {11, 0}})))
	given.(traces.Live).Bind(traces.Host{})
	var have []uint64
	for core := range 2 {
		for range 5 {
			var one [1]traces.Record
			if n := must.Get(given.ReadRecords(1-core, one[:])); n > 0 && one[0].Kind == traces.Store {
				have = append(have, one[0].Address)
			}
		}
	}
	if want := []uint64{11*traces.LineBytes + 8, 20 * traces.LineBytes, 10*traces.LineBytes + 8, 20 * traces.LineBytes}; !slices.Equal(have, want) {
		t.Errorf("the cores store at %#x, want %#x", have, want)
	}
}

// TestNumbersOfTickets: a trace has the order of its tickets, though records have only remainders
// of their numbers.
func TestNumbersOfTickets(t *testing.T) {
	records := make([][]traces.Record, 2)
	const n = 3*traces.MostTickets + 5
	for i := range uint64(n) {
		core := 0
		if i%(traces.MostTickets-1) == 7 {
			core = 1
		}
		records[core] = append(records[core], traces.Record{Kind: traces.Atomic, Size: 2, Address: 4096, Count: traces.TicketCount(i)})
	}
	given := must.Get(Source(traces.NewMemory(records, nil).WithTickets([][]uint64{nil, nil}))).(*source)
	seen := map[place]bool{}
	last := [2]int{}
	for number, p := range given.words[4096].order {
		core := 0
		if number%(traces.MostTickets-1) == 7 {
			core = 1
		}
		if p.stream != core || p.body != last[core]+1 || seen[p] {
			t.Fatalf("ticket %d has body %+v", number, p)
		}
		last[core], seen[p] = p.body, true
	}
	if len(seen) != n {
		t.Errorf("%d of %d tickets", len(seen), n)
	}
}

// TestDifferentBarriersAreRefused: cores that take tickets must meet at each barrier.
func TestDifferentBarriersAreRefused(t *testing.T) {
	atomic := func(n uint64) traces.Record {
		return traces.Record{Kind: traces.Atomic, Size: 2, Address: 4096, Count: traces.TicketCount(n)}
	}
	m := traces.NewMemory([][]traces.Record{{atomic(0), {Kind: traces.Barrier, Count: 2}}, {atomic(1), {Kind: traces.Barrier, Address: 1, Count: 2}}}, nil).WithTickets([][]uint64{nil, nil})
	if _, err := Source(m); !errors.Is(err, traces.ErrIllegal) || !strings.Contains(err.Error(), "cores 0 and 1") {
		t.Errorf("%v", err)
	}
	// A core may begin later, and then meets others at the last barriers.
	first, last := traces.Record{Kind: traces.Barrier, Address: 1, Count: 2}, traces.Record{Kind: traces.Barrier, Address: 2, Count: 2}
	for own, met := range map[traces.Record]bool{first: false, last: true} {
		late := traces.NewMemory([][]traces.Record{{first, atomic(0), last}, {atomic(1), own}}, nil).WithTickets([][]uint64{nil, nil})
		if _, err := Source(late); (err == nil) != met {
			t.Errorf("a core that meets others at barrier %d alone: %v", own.Address, err)
		}
	}
	m.WithTickets(nil)
	if same, err := Source(m); err != nil || same != traces.Source(m) {
		t.Errorf("a trace that gives no tickets out becomes %v, %v", same, err)
	}
}

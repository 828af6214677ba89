package cmp

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/cockroachdb/datadriven"
)

// silent is a network without packets, which only keeps time.
type silent struct {
	nodes int
	now   noc.Cycle
}

func (n *silent) Nodes() int                                  { return n.nodes }
func (n *silent) Now() noc.Cycle                              { return n.now }
func (n *silent) Offer(noc.Packet) bool                       { panic("the stub protocol sends nothing") }
func (n *silent) Step(until noc.Cycle) noc.Cycle              { n.now = until; return until }
func (n *silent) Sent() []noc.Receipt                         { return nil }
func (n *silent) Deliveries() []noc.Delivery                  { return nil }
func (n *silent) LimitSink(noc.NodeID, noc.Class, int)        {}
func (n *silent) FreeSink(noc.NodeID, noc.Class)              {}
func (n *silent) InFlight() int                               { return 0 }
func (n *silent) Totals() noc.Totals                          { return noc.Totals{} }
func (n *silent) Activity(into []noc.Activity) []noc.Activity { return into }
func (n *silent) Links(into []noc.Link) []noc.Link            { return into }
func (n *silent) Hardware() noc.Hardware                      { return noc.Hardware{PhitBits: 128} }
func (n *silent) Explain() []noc.Stuck                        { return nil }

// stubProtocol gives every core a cache in which an access takes a time of the test's choosing: 0
// is a hit, more a miss of that many cycles.
type stubProtocol struct {
	time   func(coherence.Access) noc.Cycle
	caches []*stubCache
}

func (p *stubProtocol) Describe() *coherence.Description {
	return &coherence.Description{Name: "stub", Kinds: []string{""}, Classes: []string{""}}
}
func (p *stubProtocol) Cells() []coherence.Cell { return nil }
func (p *stubProtocol) NewCache(int) coherence.CacheController {
	c := &stubCache{time: p.time}
	p.caches = append(p.caches, c)
	return c
}
func (p *stubProtocol) Ignores(int, *coherence.Message) bool    { return false }
func (p *stubProtocol) Hits() (n [coherence.AccessKinds]uint64) { return n }
func (c *stubCache) HitPath() coherence.HitPath {
	return coherence.HitPath{HitTable: new(coherence.HitTable)}
}

func (p *stubProtocol) NewBank(int) coherence.Controller         { return &stubCache{} }
func (p *stubProtocol) NewMemory(int) coherence.MemoryController { return &stubCache{} }
func (p *stubProtocol) CheckBlock(coherence.Block, []coherence.AgentLine, []coherence.Message, bool) error {
	return nil
}

// stubbed assembles a chip with the stub protocol.
func stubbed(t *testing.T, c Config, p coherence.Protocol, source traces.Source) *System {
	t.Helper()
	c.Protocol, c.More = "stub", []ProtocolEntry{{Name: "stub", Validate: func(Config) error { return nil },
		New: func(Config, coherence.System) (coherence.Protocol, error) { return p, nil }}}
	s := must.Get(New(c, &silent{nodes: 64}, source, 1))
	return s
}

// still assembles the default chip with nothing to do.
func still(t *testing.T) *System {
	t.Helper()
	s := must.Get(New(Default(), &silent{nodes: 64}, &script{records: make([][]traces.Record, 16)}, 1))
	return s
}

// stubCache remembers the order in which accesses were started.
type stubCache struct {
	time    func(coherence.Access) noc.Cycle
	log     []coherence.Access
	open    []coherence.Completion
	counter coherence.Counters
}

func (c *stubCache) Access(a coherence.Access, now noc.Cycle, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	c.log = append(c.log, a)
	t := c.time(a)
	if t == 0 || a.Kind == coherence.Prefetch {
		return coherence.Hit, 0
	}
	c.open = append(c.open, coherence.Completion{Handle: a.Handle, Kind: a.Kind, Since: now})
	out.Timers = append(out.Timers, coherence.Timer{At: now + t, Generation: uint32(len(c.open) - 1)})
	return coherence.Pending, 0
}

func (c *stubCache) Timeout(t coherence.Timer, _ noc.Cycle, out *coherence.Effects) {
	out.Completions = append(out.Completions, c.open[t.Generation])
}
func (c *stubCache) Sent(coherence.Message, noc.Cycle, *coherence.Effects)        {}
func (c *stubCache) Settle(noc.Cycle, *coherence.Effects) bool                    { return false }
func (c *stubCache) MemoryDone(coherence.Block, noc.Cycle, *coherence.Effects)    {}
func (c *stubCache) Continue(noc.Cycle, *coherence.Effects)                       {}
func (c *stubCache) HasDeferred() bool                                            { return false }
func (c *stubCache) Line(coherence.Block) coherence.Line                          { return coherence.Line{} }
func (c *stubCache) VisitLines(func(coherence.Block, coherence.Line))             {}
func (c *stubCache) Counters() coherence.Counters                                 { return c.counter }
func (c *stubCache) Explain() string                                              { return "" }
func (c *stubCache) Accept(coherence.Message, noc.Cycle, *coherence.Effects) bool { return true }

// script is a source of hand-written streams.
type script struct {
	records [][]traces.Record
	edges   [][]traces.Edge
	created []bool
}

func (s *script) Cores() int { return len(s.records) }
func (s *script) ReadRecords(core int, into []traces.Record) (int, error) {
	n := copy(into, s.records[core])
	if s.records[core] = s.records[core][n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
func (s *script) ReadEdges(core int, into []traces.Edge) (int, error) {
	if core >= len(s.edges) || len(s.edges[core]) == 0 {
		return 0, io.EOF
	}
	n := copy(into, s.edges[core])
	s.edges[core] = s.edges[core][n:]
	return n, nil
}
func (s *script) Created(core int) bool { return core < len(s.created) && s.created[core] }

// replay runs streams on stub caches, with and without skipping quiet cycles, and requires both to
// agree.
func replay(t *testing.T, time func(coherence.Access) noc.Cycle, edit func(*Config), make func() *script) (Result, *stubProtocol) {
	t.Helper()
	var results [2]Result
	var protocol *stubProtocol
	for i := range results {
		c := Default()
		c.EveryCycle = i == 1
		if edit != nil {
			edit(&c)
		}
		protocol = &stubProtocol{time: time}
		var err error
		if results[i], err = stubbed(t, c, protocol, make()).Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := results[0], results[1]; a.Digest != b.Digest || a.Cycles != b.Cycles {
		t.Errorf("skipping quiet cycles: %d cycles, digest %x; visiting every cycle: %d cycles, digest %x", a.Cycles, a.Digest, b.Cycles, b.Digest)
	}
	for i := range results[0].Cores {
		if results[0].Cores[i] != results[1].Cores[i] {
			t.Errorf("core %d differs: skipping %+v, every cycle %+v", i, results[0].Cores[i], results[1].Cores[i])
		}
	}
	return results[0], protocol
}

// TestScenarios tells the way of a few instructions through a core, cycle by cycle. The directive
//
//	core width=2 ports=1 buffer=2 misses=5 plain
//
// runs the records below it, one per line (load A, store A, fence, atomic A, plain N; A and B are
// words of two blocks, +8 is the next word, "after 1" depends on the access before), on a core
// whose accesses miss for that many cycles and hit when they are repeated. What is printed is what
// each cycle changes. Both forms of the core must print the same.
func TestScenarios(t *testing.T) {
	datadriven.RunTest(t, "testdata/core", func(t *testing.T, d *datadriven.TestData) string {
		fast, plain := tellCore(t, d, false), tellCore(t, d, true)
		if fast != plain {
			t.Errorf("%s: the plain core tells\n%s", d.Pos, plain)
		}
		return fast
	})
}

// tellCore runs the records of a scenario and tells what happens.
func tellCore(t *testing.T, d *datadriven.TestData, plain bool) string {
	c := Default()
	miss := 0
	for key, to := range map[string]*int{"width": &c.Core.Width, "ports": &c.Core.LoadPorts, "buffer": &c.Core.StoreBuffer,
		"window": &c.Core.Window, "misses": &miss} {
		d.MaybeScanArgs(t, key, to)
	}
	c.Core.Plain, c.EveryCycle = plain, true
	c.Core.SequentialConsistency = d.HasArg("sequential")
	seen := map[coherence.Block]bool{}
	p := &stubProtocol{time: func(a coherence.Access) noc.Cycle {
		if miss == 0 || seen[a.Block] {
			return 0
		}
		seen[a.Block] = a.Kind != coherence.Prefetch
		return noc.Cycle(miss)
	}}
	var records []traces.Record
	var names []string
	plainBefore := uint32(0)
	for l := range strings.SplitSeq(d.Input, "\n") {
		words := strings.Fields(l)
		if words[0] == "plain" {
			n, err := strconv.Atoi(words[1])
			if err != nil {
				d.Fatalf(t, "%s: %v", l, err)
			}
			plainBefore = uint32(n)
			continue
		}
		records = append(records, scenarioRecord(t, d, words, plainBefore))
		names = append(names, l)
		plainBefore = 0
	}
	s := stubbed(t, c, p, one(append(records, end(plainBefore))...)())
	var out strings.Builder
	before := make([]string, len(records))
	for s.running > 0 && s.now < 1000 {
		now := s.now
		s.cycle()
		var changes []string
		for i := range records {
			if state := s.cores[0].tellState(i); state != before[i] {
				changes = append(changes, fmt.Sprintf("%s: %s", names[i], state))
				before[i] = state
			}
		}
		if len(changes) > 0 {
			fmt.Fprintf(&out, "%3d  %s\n", now, strings.Join(changes, "; "))
		}
	}
	fmt.Fprintf(&out, "%3d  finished\n", s.finish)
	return out.String()
}

func scenarioRecord(t *testing.T, d *datadriven.TestData, words []string, plain uint32) traces.Record {
	kinds := map[string]traces.Kind{"load": traces.Load, "store": traces.Store, "atomic": traces.Atomic, "fence": traces.Fence}
	kind, ok := kinds[words[0]]
	if !ok {
		d.Fatalf(t, "%q is no record", words[0])
	}
	r := traces.Record{Kind: kind, Size: 3, Instructions: plain + 1}
	for i, w := range words[1:] {
		switch w {
		case "A", "B", "A+8", "B+8":
			r.Address = uint64(w[0]-'A'+1) * coherence.BlockBytes
			if len(w) > 1 {
				r.Address += 8
			}
		case "after":
			n, err := strconv.Atoi(words[i+2])
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			r.Dependence = uint16(n)
			return r
		}
	}
	return r
}

// tellState says where a record is: its operation's state in the window, or that of its store.
func (c *core) tellState(i int) string {
	if i >= c.end {
		return ""
	}
	if i >= c.first {
		o := c.op(i)
		switch {
		case o.forward:
			return "takes the value of a store"
		case o.state == pending:
			return "misses"
		case o.state == done:
			return "has its value"
		}
		return "in the window"
	}
	for n := c.stores.visible; n < c.stores.entered; n++ {
		if int(c.stores.at(n).record) == i {
			return "in the store buffer"
		}
	}
	return "done"
}

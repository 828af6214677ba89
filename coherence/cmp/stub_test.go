package cmp

import (
	"context"
	"io"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// silent is a network that nobody uses: it only keeps time.
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
func (n *silent) Hardware() noc.Hardware                      { return noc.Hardware{} }
func (n *silent) Explain() []noc.Stuck                        { return nil }

// stubProtocol gives every core a cache in which an access takes a time of the test's choosing: 0
// is a hit, more a miss of that many cycles.
type stubProtocol struct {
	time   func(coherence.Access) noc.Cycle
	caches []*stubCache
}

func (p *stubProtocol) Name() string                           { return "stub" }
func (p *stubProtocol) Classes() int                           { return 1 }
func (p *stubProtocol) OwnCounters() []coherence.Counter       { return nil }
func (p *stubProtocol) FlagName(coherence.Flags) string        { return "" }
func (p *stubProtocol) KindName(uint8) string                  { return "" }
func (p *stubProtocol) StateName(coherence.Role, uint8) string { return "" }
func (p *stubProtocol) Cells() []coherence.Cell                { return nil }
func (p *stubProtocol) ClassName(noc.Class) string             { return "" }
func (p *stubProtocol) NewCache(int) coherence.CacheController {
	c := &stubCache{time: p.time}
	p.caches = append(p.caches, c)
	return c
}
func (p *stubProtocol) Ignores(int, *coherence.Message) bool    { return false }
func (p *stubProtocol) Hits() (n [coherence.AccessKinds]uint64) { return n }
func (c *stubCache) HitPath() coherence.HitPath                 { return coherence.NoHitPath }

func (p *stubProtocol) NewBank(int) coherence.Controller                { return &stubCache{} }
func (p *stubProtocol) NewMemory(int) coherence.MemoryController        { return &stubCache{} }
func (p *stubProtocol) Latency(coherence.Role) noc.Cycle                { return 1 }
func (p *stubProtocol) Generates(coherence.Role, noc.Class) []noc.Class { return nil }
func (p *stubProtocol) CheckBlock(coherence.Block, []coherence.AgentLine, []coherence.Message, bool) error {
	return nil
}

// stubEntry returns the row of a stub in the table of protocols.
func stubEntry(p coherence.Protocol) ProtocolEntry {
	return ProtocolEntry{Name: "stub", New: func(Config, coherence.System) (coherence.Protocol, error) { return p, nil },
		Validate: func(Config) error { return nil }}
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
		Protocols = append(Protocols, stubEntry(protocol))
		c.Protocol = "stub"
		s, err := New(c, &silent{nodes: 64}, make(), 1)
		Protocols = Protocols[:len(Protocols)-1]
		if err != nil {
			t.Fatal(err)
		}
		if results[i], err = s.Run(context.Background(), nil); err != nil {
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

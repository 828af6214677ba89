package closedloop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

const nodes = 12

// networks are some unidirectional tori of 4x3 nodes with a hop of 5 cycles.
func networks(t testing.TB, count int) (all traffic.Networks) {
	t.Helper()
	m := must.Get(models.Lookup("wormhole"))
	l := must.Get(topology.Open("utorus:4x3"))
	for range count {
		o := models.DefaultOptions()
		o.Other, o.Classes = &l, 2
		o.Wormhole.VirtualChannels, o.Wormhole.MaxPhits, o.Wormhole.SourceQueue = 8, 257, 2
		n := must.Get(m.Build(o))
		all = append(all, n)
	}
	return all
}

// config has servers that work 100 cycles at a request and answer after 30.
func config() Config {
	c := Config{FlitBytes: 32, PacketBytes: 8192, Answer: 1, Poll: 7, LeastWait: 20}
	for range nodes {
		c.Servers = append(c.Servers, Server{Latency: 30, Setup: 100})
	}
	return c
}

func run(t *testing.T, count int, c Config, processes ...Process) Result {
	t.Helper()
	r := must.Get(Run(context.Background(), networks(t, count), Program{processes}, c))
	return r
}

// hops is what the network of these tests takes for a packet alone.
func hops(links, flits int) noc.Cycle { return noc.Cycle((links+1)*5 + 1 + flits - 1) }

// TestOneRead: a read takes the request's way, the server's latency and the answer's way, which go
// once round each ring in which the two nodes differ, however far apart they are.
func TestOneRead(t *testing.T) {
	for peer := range noc.NodeID(nodes) {
		links := 0
		if peer%4 != 0 {
			links += 4
		}
		if peer/4 != 0 {
			links += 3
		}
		r := run(t, 1, config(), Process{Node: 0, Start: 50, Steps: []Step{{Kind: Read, Peer: peer, Bytes: 2048, After: 10}, {Kind: AwaitReads, After: 5}, {Kind: Pause, After: 3}}})
		arrives := 60 + hops(0, 1) + 30 + hops(links, 65)
		if r.Waits[0] != (Wait{0, 1, 65, arrives + 7}) || r.Cycles != arrives+10 || r.Latency != uint64(arrives-60) {
			t.Errorf("from node %d: %+v, want arrival at %d", peer, r, arrives)
		}
	}
}

// TestSizes: bursts of 2 bytes to 16 KiB become packets of at most 8 KiB.
func TestSizes(t *testing.T) {
	for bytes, packets := range map[uint32]uint64{2: 2, 32: 2, 8192: 2, 8193: 4, 16384: 4} {
		for _, kind := range []Kind{Read, Write} {
			r := run(t, 1, config(), Process{Steps: []Step{{Kind: kind, Peer: 5, Bytes: bytes}, {Kind: AwaitAll, Network: AllNetworks}}})
			if r.Packets != packets {
				t.Errorf("%d bytes: %+v, want %d packets", bytes, r, packets)
			}
		}
	}
}

// TestServer: a server works at one request after the other, at the networks' requests apart from
// each other unless they share its memory.
func TestServer(t *testing.T) {
	readers := func(networks int) (all []Process) {
		for i := range 4 {
			all = append(all, Process{Node: noc.NodeID(1 + i), Steps: []Step{{Kind: Read, Peer: 0, Bytes: 32, Network: uint8(i % networks)}, {Kind: AwaitReads, Network: uint8(i % networks)}}})
		}
		return all
	}
	c := config()
	one, two := run(t, 2, c, readers(1)...).Cycles, run(t, 2, c, readers(2)...).Cycles
	if one < 300 || one-two < 150 {
		t.Errorf("four requests of one network end in cycle %d, those of two in %d", one, two)
	}
	for i := range c.Servers {
		c.Servers[i] = Server{Latency: 30, MemoryPerKiB: 3200}
	}
	if shared := run(t, 2, c, readers(2)...).Cycles; shared < 300 {
		t.Errorf("with shared memory they end in cycle %d", shared)
	}
}

// TestPlaces: requests that a server has no place for wait in the network, whose inputs take turns:
// the node's own do not starve its neighbours'.
func TestPlaces(t *testing.T) {
	c := config()
	c.Servers[0].Places = 1
	var all []Process
	for _, node := range []noc.NodeID{0, 3, 8} { // itself, by the ring along x, by that along y
		p := Process{Node: node}
		for range 6 {
			p.Steps = append(p.Steps, Step{Kind: Read, Peer: 0, Bytes: 32})
		}
		all = append(all, Process{Node: node, Steps: append(p.Steps, Step{Kind: AwaitReads})})
	}
	r := run(t, 1, c, all...)
	for _, w := range r.Waits {
		if w.End < 15*100 || w.End > 20*100 {
			t.Errorf("process %d has its answers in cycle %d", w.Process, w.End)
		}
	}
}

// TestWaits: each wait is for its own kind and network; flushes are over before acknowledgements;
// posted writes are not waited for.
func TestWaits(t *testing.T) {
	slow := config()
	slow.Servers[5].Latency = 5000
	first := func(wait Step, before ...Step) noc.Cycle {
		r := run(t, 2, slow, Process{Steps: append(before, wait)})
		return r.Waits[0].End
	}
	read, write := Step{Kind: Read, Peer: 5, Bytes: 64}, Step{Kind: Write, Peer: 5, Bytes: 64}
	posted, atomic := Step{Kind: Write, Peer: 5, Bytes: 64, Posted: true}, Step{Kind: Atomic, Peer: 5}
	group := Step{Kind: Multicast, Set: noc.SetOf(nodes, 5, 6, 7), Bytes: 64}
	for i, c := range []struct {
		wait   Step
		before Step
		waits  bool
	}{
		{Step{Kind: AwaitReads}, read, true}, {Step{Kind: AwaitReads, Network: 1}, read, false}, {Step{Kind: AwaitWrites}, read, false},
		{Step{Kind: AwaitWrites}, write, true}, {Step{Kind: AwaitSent}, write, false}, {Step{Kind: AwaitWrites}, posted, false}, {Step{Kind: AwaitAtomics}, atomic, true},
		{Step{Kind: AwaitAtomics}, write, false}, {Step{Kind: AwaitWrites}, group, true}, {Step{Kind: AwaitAll, Network: AllNetworks}, atomic, true},
		{Step{Kind: AwaitAll, Network: AllNetworks}, posted, false},
	} {
		if end := first(c.wait, c.before); (end > 5000) != c.waits {
			t.Errorf("case %d ends in cycle %d", i, end)
		}
	}
	if end := first(Step{Kind: AwaitSent}, write); end < hops(2, 3) {
		t.Errorf("a flush ends in cycle %d", end)
	}
}

// TestOpen: in an open replay steps begin when they did in the recording, and waits delay nobody,
// but end when they end.
func TestOpen(t *testing.T) {
	steps := []Step{{Kind: Read, Peer: 5, Bytes: 64, After: 10, At: 10}, {Kind: AwaitReads, After: 10, At: 20}, {Kind: Read, Peer: 5, Bytes: 64, After: 40, At: 60}, {Kind: AwaitReads, After: 10, At: 70}}
	c := config()
	closed := run(t, 1, c, Process{Steps: steps})
	c.Open = true
	open := run(t, 1, c, Process{Steps: steps})
	if open.Waits[1].Start != 70 || closed.Waits[1].Start != closed.Waits[0].End+50 || open.Cycles >= closed.Cycles {
		t.Errorf("open %+v\nclosed %+v", open, closed)
	}
	if open.Waits[0].End != closed.Waits[0].End {
		t.Errorf("the first wait ends in cycle %d and %d", open.Waits[0].End, closed.Waits[0].End)
	}
}

// TestDeterminism: the same program gives the same result; another start gives another.
func TestDeterminism(t *testing.T) {
	program := func(start noc.Cycle) (all []Process) {
		for i := range noc.NodeID(nodes) {
			p := Process{Node: i, Start: start * noc.Cycle(i)}
			for k := range noc.NodeID(10) {
				p.Steps = append(p.Steps, Step{Kind: Read, Peer: (i*5 + k) % nodes, Bytes: 2048, Network: uint8(k % 2), After: 3})
			}
			all = append(all, Process{p.Node, p.Start, append(p.Steps, Step{Kind: AwaitAll, Network: AllNetworks})})
		}
		return all
	}
	one, two, other := run(t, 2, config(), program(0)...), run(t, 2, config(), program(0)...), run(t, 2, config(), program(1)...)
	if fmt.Sprint(one) != fmt.Sprint(two) || one.Digest == other.Digest {
		t.Errorf("%+v\n%+v\n%+v", one, two, other)
	}
}

// TestMistakes: a program that the networks cannot carry is refused.
func TestMistakes(t *testing.T) {
	for want, change := range map[string]func(*Config, *Process){
		"packets of 100 bytes":    func(c *Config, _ *Process) { c.PacketBytes = 100 },
		"11 servers for 12 nodes": func(c *Config, _ *Process) { c.Servers = c.Servers[:11] },
		"node 0 or 12":            func(_ *Config, p *Process) { p.Steps[0].Peer = nodes },
		"network 2 is not one":    func(_ *Config, p *Process) { p.Steps[0].Network = 2 },
		"is for all networks":     func(_ *Config, p *Process) { p.Steps[0].Network = AllNetworks },
	} {
		c, p := config(), Process{Steps: []Step{{Kind: Read, Peer: 1, Bytes: 64}}}
		change(&c, &p)
		if _, err := Run(context.Background(), networks(t, 2), Program{[]Process{p}}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	p := Process{}
	for range 5000 {
		p.Steps = append(p.Steps, Step{Kind: Pause, After: 1})
	}
	if _, err := Run(ctx, networks(t, 1), Program{[]Process{p}}, config()); err != context.Canceled {
		t.Errorf("an interrupted replay returns %v", err)
	}
}

// TestMemory: data that come to a node and data that leave it use one memory.
func TestMemory(t *testing.T) {
	c := config()
	for i := range c.Servers {
		c.Servers[i] = Server{Latency: 30, MemoryPerKiB: 1000}
	}
	var reads []Step
	for range 8 {
		reads = append(reads, Step{Kind: Read, Peer: 0, Bytes: 1024})
	}
	reader := Process{Node: 1, Steps: append(slices.Clone(reads), Step{Kind: AwaitReads})}
	if r := run(t, 1, c, reader); r.Cycles < 7000 || r.Cycles > 7500 {
		t.Errorf("eight reads of 1000 cycles of memory end in cycle %d", r.Cycles)
	}
	for i := range reads {
		reads[i].Peer = 2
	}
	other := Process{Node: 0, Steps: append(slices.Clone(reads), Step{Kind: AwaitReads})}
	if r := run(t, 1, c, reader, other); r.Cycles < 14000 || r.Cycles > 16500 {
		t.Errorf("while node 0 reads as much, they end in cycle %d", r.Cycles)
	}
}

// TestBlocked: a server whose answers the network takes slowly keeps the memory from the other
// network's server.
func TestBlocked(t *testing.T) {
	end := func(memory noc.Cycle) noc.Cycle {
		c := config()
		for i := range c.Servers {
			c.Servers[i] = Server{Latency: 30, PerKiB: 32, MemoryPerKiB: memory}
		}
		fetch := func(node, peer noc.NodeID, network uint8) Process {
			p := Process{Node: node}
			for range 30 {
				p.Steps = append(p.Steps, Step{Kind: Read, Peer: peer, Bytes: 8192, Network: network})
			}
			p.Steps = append(p.Steps, Step{Kind: AwaitReads, Network: network})
			return p
		}
		// On network 0 both sources send to node 6, which takes a flit per cycle.
		return run(t, 2, c, fetch(1, 0, 1), fetch(6, 0, 0), fetch(6, 5, 0)).Waits[0].End
	}
	if free, shared := end(0), end(1); shared < free*3/2 {
		t.Errorf("network 1 is done in cycle %d without a common memory, in %d with one", free, shared)
	}
}

package cmp

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
	"pgregory.net/rapid"
)

// fataler is a test, or a check of rapid.
type fataler interface{ Fatalf(string, ...any) }

// build builds a network with the default options but for a change.
func build(t fataler, name string, change ...func(*models.Options)) noc.Network {
	o := models.DefaultOptions()
	for _, c := range change {
		c(&o)
	}
	m, err := models.Lookup(name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	n, err := m.Build(o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return n
}

// runBoth replays a source with the plain core and with the fast one, which skips quiet cycles or visits
// them, and holds all to the same result.
func runBoth(t fataler, name string, c Config, source func() traces.Source) {
	var want Result
	for _, form := range []string{"plain", "fast", "fast, every cycle"} {
		c.Core.Plain, c.EveryCycle = form == "plain", form == "fast, every cycle"
		s, err := New(c, build(t, "ideal"), source(), 1)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, err := s.Run(context.Background(), nil)
		if err != nil {
			t.Fatalf("%s, %s: %v", name, form, err)
		}
		if form == "plain" {
			want = got
			cyclesAddUp(t, name, &want)
		}
		a, b := reflect.ValueOf(want), reflect.ValueOf(got)
		for i := range a.NumField() {
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				t.Fatalf("%s: %s is %+v; with the core %s %+v", name, a.Type().Field(i).Name, a.Field(i), form, b.Field(i))
			}
		}
	}
}

// cyclesAddUp requires that the cycles of each core, all of which the plain core counts, are its time.
func cyclesAddUp(t fataler, name string, r *Result) {
	for i, core := range r.Cores {
		sum := core.RetiringCycles
		for _, n := range core.StallCycles {
			sum += n
		}
		if sum != uint64(core.FinishCycle) {
			t.Fatalf("%s: core %d finishes in cycle %d, and its cycles add up to %d: %+v", name, i, core.FinishCycle, sum, core)
		}
	}
}

// drawConfig draws cores of all shapes, with any protocol.
func drawConfig(t *rapid.T) Config {
	c := Default()
	c.Protocol = Protocols[rapid.IntRange(0, len(Protocols)-1).Draw(t, "protocol")].Name
	c.Core.Width = rapid.IntRange(1, 6).Draw(t, "width")
	c.Core.Window = rapid.IntRange(1, 70).Draw(t, "window")
	c.Core.StoreBuffer = rapid.IntRange(1, 9).Draw(t, "store buffer")
	c.Core.LoadPorts = rapid.IntRange(1, 4).Draw(t, "ports")
	c.Core.Outstanding = rapid.IntRange(1, 16).Draw(t, "outstanding")
	c.Core.SequentialConsistency = rapid.Bool().Draw(t, "sequential")
	c.L1.Sets = 1 << rapid.IntRange(0, 6).Draw(t, "sets")
	c.Latency.Hit = noc.Cycle(rapid.IntRange(1, 4).Draw(t, "hit"))
	c.Core.MispredictEvery = rapid.Uint64Range(0, 30).Draw(t, "misprediction every")
	c.Core.Refill = noc.Cycle(rapid.IntRange(0, 20).Draw(t, "refill"))
	c.Core.Prefetch = rapid.IntRange(0, 3).Draw(t, "prefetch")
	return c
}

// The fast core equals the plain one on random programs, with edges between the cores.
func TestFastCoreEqualsPlain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		cores, records := rapid.IntRange(1, 4).Draw(t, "cores"), rapid.IntRange(1, 120).Draw(t, "records")
		streams := mixedStreams(cores, records)
		for i := range streams { // another part of the same streams
			skip := rapid.IntRange(0, records-1).Draw(t, "skip")
			streams[i] = streams[i][skip:]
			if at := rapid.IntRange(0, 3*len(streams[i])).Draw(t, "run of plain instructions"); at < len(streams[i]) {
				streams[i][at].Instructions = uint32(rapid.IntRange(0, 200).Draw(t, "its length"))
			}
		}
		meeting := traces.Record{Kind: traces.Barrier, Address: 9, Count: uint16(cores), Size: uint8(rapid.IntRange(0, 1).Draw(t, "sleeps at barriers"))}
		for i := range streams {
			streams[i] = append([]traces.Record{meeting, meeting}, streams[i]...)
		}
		var edges [][]traces.Edge
		var own [][]uint64
		if rapid.Bool().Draw(t, "locks") {
			addLocks(t, streams)
		} else if cores > 1 { // core 1 waits for core 0 now and then
			edges = make([][]traces.Edge, cores)
			for at := rapid.IntRange(1, 40).Draw(t, "first edge"); at < min(len(streams[0]), len(streams[1])); at += 25 {
				edges[1] = append(edges[1], traces.Edge{At: uint64(at), Producer: 0, Position: uint64(at - 1)})
				if r := &streams[1][at]; r.Kind == traces.Load && rapid.Bool().Draw(t, "polls") {
					r.Count = traces.Polls
				}
			}
			if rapid.Bool().Draw(t, "attempts") {
				addAttempts(streams)
			}
			if rapid.Bool().Draw(t, "tickets") {
				own = make([][]uint64, cores)
				addTickets(streams)
			}
		}
		runBoth(t, c.Protocol, c, func() traces.Source { return traces.NewMemory(streams, edges).WithTickets(own) })
	})
}

// addAttempts lets atomics change a word of all cores, by attempts that begin at the latest load.
func addAttempts(streams [][]traces.Record) {
	for _, s := range streams {
		latest := -1
		for i := range s {
			switch r := &s[i]; {
			case r.Kind == traces.Load && r.Count == 0:
				latest = i
			case r.Kind == traces.Atomic && latest >= 0:
				r.Address, r.Size = 16, 3
				s[latest].Address, s[latest].Size, s[latest].Count = 16, 3, traces.Tries
				latest = -1
			}
		}
	}
}

// addTickets lets all atomics take tickets, in the order of their positions.
func addTickets(streams [][]traces.Record) {
	taken, longest := uint64(0), 0
	for _, s := range streams {
		longest = max(longest, len(s))
	}
	for i := range longest {
		for _, s := range streams {
			if i < len(s) && s[i].Kind == traces.Atomic {
				s[i].Count = traces.TicketCount(taken)
				taken++
			}
		}
	}
}

// addLocks puts critical sections of two locks into streams, of each kind or of both at once.
func addLocks(t *rapid.T, streams [][]traces.Record) {
	kinds := rapid.IntRange(0, 3).Draw(t, "kinds of locks")
	shared := rapid.IntRange(2, 6).Draw(t, "sections for one that does not share")
	for c := range streams {
		var list []traces.Record
		for i, r := range streams[c] {
			if i%7 == c%7 {
				lock, size := uint64(i/7%2), uint8(0)
				if kinds == 3 {
					size = uint8((i + c) % 2) // a lock that some spin on and others do not
				} else {
					size = uint8(kinds >> lock & 1)
				}
				if (i+c)%shared > 0 {
					size += traces.Shared
				}
				if (i+c)%5 < 2 {
					size += traces.Exchanges
				}
				inside := traces.Record{Kind: traces.Atomic, Address: 8 * lock, Size: 3, Instructions: uint32(1 + i%40)}
				list = append(list, traces.Record{Kind: traces.Lock, Address: lock, Size: size, Instructions: 1}, inside,
					traces.Record{Kind: traces.Unlock, Address: lock, Size: size, Instructions: 1})
			}
			list = append(list, r)
		}
		streams[c] = list
	}
}

// The fast core equals the plain one on an embedded recording with one protocol; with CAROUSEL_LONG
// on both recordings with all protocols.
func TestFastCoreEqualsPlainOnRecordings(t *testing.T) {
	if must.Race() {
		t.Skip("slow with the race detector, and starts no goroutines")
	}
	for _, name := range []string{"nas-is-s", "nas-sp-s"} {
		for _, p := range Protocols {
			if (name != "nas-is-s" || p.Name != "token") && os.Getenv("CAROUSEL_LONG") == "" {
				continue
			}
			t.Run(fmt.Sprint(name, " ", p.Name), func(t *testing.T) {
				c := Default()
				c.Protocol = p.Name
				runBoth(t, name, c, func() traces.Source {
					w := must.Get(workloads.Open(name, workloads.Default()))
					return w.Source
				})
			})
		}
	}
}

// endless gives every core the same records for ever, without allocating.
type endless struct {
	records [][]traces.Record
	at      []int
}

func (e *endless) Cores() int { return len(e.records) }
func (e *endless) ReadRecords(core int, into []traces.Record) (int, error) {
	for i := range into {
		into[i] = e.records[core][e.at[core]]
		if e.at[core]++; e.at[core] == len(e.records[core]) {
			e.at[core] = 0
		}
	}
	return len(into), nil
}
func (e *endless) ReadEdges(int, []traces.Edge) (int, error) { return 0, nil }

// busyStreams walks each core through private and shared blocks, so that misses, upgrades,
// evictions and migrations all go on for ever.
func busyStreams(cores int) *endless {
	e := &endless{at: make([]int, cores)}
	for c := range cores {
		r := random.Stream(uint64(c))
		var s []traces.Record
		for range 5000 {
			v := r.Uint64()
			block := v >> 8 % 200
			if v%16 > 0 {
				block = 4096 + uint64(c)*4096 + v>>8%600
			}
			k := [...]traces.Kind{traces.Load, traces.Load, traces.Load, traces.Store, traces.Fetch, traces.Atomic}[v>>32%6]
			s = append(s, traces.Record{Kind: k, Address: block*64 + v>>40%8*8, Size: 3, Instructions: uint32(v >> 48 % 5)})
		}
		e.records = append(e.records, s)
	}
	return e
}

// TestNoAllocationPerCycle: after warm-up neither the chip nor its network allocates, with any
// protocol, on networks that replicate in three ways. The conformance suite asks the same of every
// network alone.
func TestNoAllocationPerCycle(t *testing.T) {
	if must.Race() {
		t.Skip("slow with the race detector, and starts no goroutines")
	}
	for _, p := range Protocols {
		allocatesNothing(t, "mrr", p.Name)
	}
	allocatesNothing(t, "base", Protocols[0].Name)
	allocatesNothing(t, "wormhole", Protocols[0].Name)
}

func allocatesNothing(t *testing.T, network, protocol string) {
	t.Helper()
	c := Default()
	c.Protocol = protocol
	c.EpochCycles = 1 << 40 // the table of epochs grows with the run by design
	c.AuditEvery = 0        // an audit gathers all lines anew
	s := must.Get(New(c, build(t, network), busyStreams(16), 1))
	const warmup, cycles = 90_000, 1_000
	for range warmup {
		s.cycle()
	}
	if got := must.Allocations(3, func() {
		for range cycles {
			s.cycle()
		}
	}); got >= 1 {
		t.Errorf("%s, %s: %.1f allocations in %d cycles", network, protocol, got, cycles)
	}
	if s.failure != nil {
		t.Errorf("%s, %s: %v", network, protocol, s.failure)
	}
}

package cmp

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// boundedChip runs a chip whose interfaces hold as many messages of each class as bound says.
func boundedChip(t *testing.T, protocol, model string, bound, records int) *System {
	t.Helper()
	busy := busyStreams(16)
	for i := range busy.records {
		busy.records[i] = busy.records[i][:records]
	}
	c := Default()
	c.Protocol, c.InterfaceQueue, c.InterfaceSlots, c.CheckEvery, c.Token.AdaptiveStart = protocol, bound, bound, 16, 150
	c.L1, c.L2 = cache.Config{Sets: 4, Ways: 2}, cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	c.WatchdogCycles = 100_000
	s := must.Get(New(c, build(t, model), traces.NewMemory(busy.records, nil), 1))
	return s
}

// However small the interfaces, everything gets through, no interface holds more than its size, and
// in the end every credit and slot has been given back.
func TestInterfacesOfFiniteSize(t *testing.T) {
	for _, protocol := range []string{"token", "directory", "msi"} {
		for _, model := range []string{"base", "base-mc", "ideal"} {
			s := boundedChip(t, protocol, model, 1, 50)
			in := make([][noc.MaxClasses]int, len(s.nic.credits.room))
			for !s.quiet() && s.failure == nil {
				s.cycle()
				clear(in)
				for _, p := range s.nic.credits.in {
					if p.left > 0 {
						in[p.node][p.class]++
					}
				}
				for router, room := range s.nic.credits.room {
					for class := range len(s.about.Classes) {
						if out := 1 - room[class]; out < 0 || out > 1 || in[router][class] > 1 {
							t.Fatalf("%s on %s, cycle %d: router %d, class %d: %d messages on their way out, %d packets on their way in; one each has room",
								protocol, model, s.now, router, class, out, in[router][class])
						}
					}
				}
			}
			if s.failure != nil {
				t.Fatalf("%s on %s: %v", protocol, model, s.failure)
			}
			if err := s.audit.checkEnd(); err != nil {
				t.Errorf("%s on %s: %v", protocol, model, err)
			}
			if free, all := len(s.nic.credits.free), len(s.nic.credits.in); free != all {
				t.Errorf("%s on %s: at the end %d of %d slots are free", protocol, model, free, all)
			}
			for router, room := range s.nic.credits.room {
				for class := range len(s.about.Classes) {
					if room[class] != 1 {
						t.Fatalf("%s on %s: at the end router %d, class %d, has %d of 1 credits", protocol, model, router, class, room[class])
					}
				}
			}
		}
	}
}

// TestClassBytes: the longest message of each class. In networks whose buffers are divided by it a
// longer one panics.
func TestClassBytes(t *testing.T) {
	const command, data = coherence.CommandBytes, coherence.DataBytes
	for protocol, want := range map[string][noc.MaxClasses]int{
		"token":     {command, command, command, data, data, data},
		"directory": {data, command, data, data, data, data},
		"msi":       {command, command, data, data, data, command},
	} {
		entry := must.Get(LookupProtocol(protocol))
		if got := entry.ClassBytes(); got != want {
			t.Errorf("%s: %v, want %v", protocol, got, want)
		}
	}
}

// TestUnknownProtocol: a protocol without a row is an error that lists the rows.
func TestUnknownProtocol(t *testing.T) {
	_, err := LookupProtocol("mesi")
	if err == nil || !strings.Contains(err.Error(), `"mesi"`) || !strings.Contains(err.Error(), "token, directory") {
		t.Errorf("got %v", err)
	}
}

// postman is a network that delivers what a test gives it.
type postman struct {
	silent
	list []noc.Delivery
}

func (n *postman) Deliveries() []noc.Delivery { return n.list }

// indifferent is a protocol whose L1s ignore every request.
type indifferent struct {
	coherence.Protocol
	requests int
}

func (p *indifferent) Ignores(int, *coherence.Message) bool {
	p.requests++
	return true
}

// An L1 takes one message per cycle. It ignores a request at once when that is the only message of
// the cycle and none waits; otherwise the request waits for its turn.
func TestL1sIgnoreOneRequestPerCycle(t *testing.T) {
	for _, x := range []struct {
		name            string
		packets, copies int // by the network, and from an agent at the same router
		atOnce          int
	}{
		{"one packet", 1, 0, 1},
		{"two packets", 2, 0, 0},
		{"three packets", 3, 0, 0},
		{"a packet and a copy", 1, 1, 0},
	} {
		network := &postman{silent: silent{nodes: 64}}
		s := must.Get(New(Default(), network, &script{records: make([][]traces.Record, 16)}, 1))
		const core = 5
		c := &indifferent{Protocol: s.protocol}
		s.protocol, s.nic.protocol = c, c
		flight := func() int32 {
			send := coherence.Send{Many: true}
			send.Caches.Add(core)
			i := s.nic.flights.add(send, 0, 0)
			s.paths.send(i, 0)
			s.nic.flights.all[i].copies = 1
			return i
		}
		for range x.copies {
			s.nic.local.Push(loopback{0, core, flight()})
		}
		for range x.packets {
			network.list = append(network.list, noc.Delivery{Tag: noc.Tag(flight()), At: s.plan.routers[core]})
		}
		s.nic.arrive()
		if c.requests != x.atOnce {
			t.Errorf("%s: %d requests are ignored before the L1's turn, want %d", x.name, c.requests, x.atOnce)
		}
		network.list = nil
		for cycle := 1; cycle <= x.packets+x.copies; cycle++ {
			if s.agents.accept(); c.requests != cycle {
				t.Errorf("%s: %d requests are ignored in %d cycles", x.name, c.requests, cycle)
			}
		}
		if s.nic.inbox.messages != 0 || len(s.nic.flights.free) != len(s.nic.flights.all) {
			t.Errorf("%s: %d messages wait, %d of %d flights are free", x.name, s.nic.inbox.messages, len(s.nic.flights.free), len(s.nic.flights.all))
		}
	}
}

// TestCopies: the copy for the home bank may leave before or behind the others, with the same protocol. It then
// arrives earlier or later than in turn, and networks that replicate messages do not change.
func TestCopies(t *testing.T) {
	arrival := map[string]float64{}
	for _, router := range []string{"rr", "base", "mrr"} {
		digests := map[uint64]bool{}
		for _, copies := range []string{"", InTurn, HomeFirst, HomeLast} {
			c := Default()
			c.Copies, c.CheckEvery = copies, 100
			s := must.Get(New(c, build(t, router), traces.NewMemory(mixedStreams(16, 300), nil), 1))
			r := must.Get(s.Run(t.Context(), nil))
			digests[r.Digest] = true
			treq := r.Classes[0]
			if apart := copies == HomeFirst || copies == HomeLast; apart && router != "mrr" != (treq.Casts[Unicast] > treq.Casts[Broadcast]/2) {
				t.Errorf("%s, %q: %d broadcasts and %d messages to one router", router, copies, treq.Casts[Broadcast], treq.Casts[Unicast])
			}
			for _, b := range r.Latency {
				if b.Class == 0 && b.Cast == Unicast && router == "rr" {
					arrival[copies] += float64(b.Sum) / float64(treq.Casts[Unicast])
				}
			}
		}
		if want := map[string]int{"rr": 3, "base": 3, "mrr": 1}[router]; len(digests) != want {
			t.Errorf("%s: %d different runs, want %d", router, len(digests), want)
		}
	}
	if arrival[HomeFirst]*1.1 > arrival[HomeLast] {
		t.Errorf("the copy for the home takes %.0f cycles if it leaves first, and %.0f if it leaves last", arrival[HomeFirst], arrival[HomeLast])
	}
	c := Default()
	c.Copies = "home"
	if err := c.Validate(); err == nil || err.Error() != `network.copies is "home"; in-turn, home-first and home-last are allowed` {
		t.Errorf("an unknown order: %v", err)
	}
}

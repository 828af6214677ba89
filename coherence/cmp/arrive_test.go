package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

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
		s, err := New(Default(), network, &script{records: make([][]traces.Record, 16)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		const core = 5
		c := &indifferent{Protocol: s.protocol.Protocol}
		s.protocol.Protocol, s.nic.protocol.Protocol = c, c
		flight := func() int32 {
			send := coherence.Send{Many: true}
			send.Caches.Add(core)
			i := s.nic.flights.add(send, 0, 0)
			s.paths.send(i, 0)
			s.nic.flights.all[i].copies = 1
			return i
		}
		for range x.copies {
			s.nic.local.push(loopback{0, core, flight()})
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

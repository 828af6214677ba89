package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sarchlab/akita/v5/messaging"
	"github.com/sarchlab/akita/v5/modeling"
	"github.com/sarchlab/akita/v5/timing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// text is a message with a number.
type text struct {
	messaging.MsgMeta
	Number int
}

// agent sends a list of messages and notes what it receives; it takes none before a cycle.
type agent struct {
	*modeling.TickingComponent
	port  messaging.Port
	send  []text
	since uint64
	got   []string
	at    []uint64 // cycles
}

func (a *agent) Tick() (moved bool) {
	if len(a.send) > 0 && a.port.CanSend() {
		a.port.Send(a.send[0])
		a.send = a.send[1:]
		moved = true
	}
	now := timing.GHz.Cycle(a.CurrentTime())
	if now < a.since {
		return true
	}
	if m := a.port.RetrieveIncoming(); m != nil {
		a.got = append(a.got, fmt.Sprintf("%s %d", m.Meta().Src, m.(text).Number))
		a.at = append(a.at, now)
		moved = true
	}
	return moved
}

// system has an agent at each node of a network.
type system struct {
	engine  *timing.SerialEngine
	network noc.Network
	agents  []*agent
}

func build(t *testing.T, router string, g topology.Grid, c Config) *system {
	t.Helper()
	m, err := models.Lookup(router)
	if err != nil {
		t.Fatal(err)
	}
	o := models.DefaultOptions()
	o.Grid, o.Classes = g, c.Classes
	s := &system{engine: timing.NewSerialEngine()}
	if s.network, err = m.Build(o); err != nil {
		t.Fatal(err)
	}
	reg := modeling.NewStandaloneRegistrar(s.engine)
	connection, err := New(reg, "Network", s.network, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Nodes() {
		a := &agent{}
		name := fmt.Sprintf("Agent[%d]", i)
		a.TickingComponent = modeling.NewTickingComponent(name, s.engine, timing.GHz, a)
		a.port = messaging.NewPort(a, 2, 2, name+".Port")
		connection.PlugIn(a.port)
		s.agents = append(s.agents, a)
	}
	return s
}

func (s *system) add(from, to, number, bytes int) {
	a := s.agents[from]
	a.send = append(a.send, text{messaging.MsgMeta{ID: timing.GetIDGenerator().Generate(), Src: a.port.AsRemote(),
		Dst: s.agents[to].port.AsRemote(), TrafficBytes: bytes}, number})
}

func (s *system) run(t *testing.T) {
	t.Helper()
	for _, a := range s.agents {
		a.TickLater()
	}
	if err := s.engine.Run(); err != nil || s.network.InFlight() != 0 {
		t.Fatalf("%v; %d packets are under way", err, s.network.InFlight())
	}
}

func config() Config { return Config{Freq: timing.GHz, PacketPhits: 5, SinkPackets: 4, Classes: 1} }

// TestSizes: a message has a phit of header for each packet and one for each 16 bytes; the last of them arrives as in
// a network without Akita.
func TestSizes(t *testing.T) {
	for bytes, want := range map[int][2]uint64{0: {1, 1}, 1: {1, 2}, 16: {1, 2}, 17: {1, 3}, 64: {1, 5}, 65: {2, 7}, 4096: {64, 320}} {
		s := build(t, "base", topology.Torus(4, 4), config())
		s.add(0, 5, 1, bytes)
		s.run(t)
		if n := s.network.Totals(); n.Delivered != want[0] || n.Phits != want[1] {
			t.Errorf("%d bytes are %d packets and %d phits, want %v", bytes, n.Delivered, n.Phits, want)
		}
		// Sent in cycle 1; 5 cycles a hop, 5 at the ends and 1 a phit; received in the cycle after the delivery.
		if got := s.agents[5].at; bytes <= 64 && !slices.Equal(got, []uint64{1 + 5*2 + 5 + want[1] + 1}) {
			t.Errorf("%d bytes arrive in cycles %v", bytes, got)
		}
	}
}

// TestOrder: 16 agents send messages of all lengths at once; each arrives once, in order of its source, on routers whose
// packets overtake each other, and the same in a second run.
func TestOrder(t *testing.T) {
	for _, router := range []string{"mrr", "base", "ideal"} {
		var before []string
		for range 2 {
			s, r := build(t, router, topology.Torus(4, 4), config()), rand.New(rand.NewPCG(1, 2))
			for number := range 3000 {
				from, to := r.IntN(16), r.IntN(15)
				s.add(from, (from+1+to)%16, number, r.IntN(300))
			}
			s.run(t)
			var all []string
			for _, a := range s.agents {
				last := map[string]int{}
				for _, line := range a.got {
					var src string
					var number int
					fmt.Sscanf(line, "%s %d", &src, &number)
					if number < last[src] {
						t.Fatalf("%s: message %d of %s comes after %d", router, number, src, last[src])
					}
					last[src] = number
				}
				all = append(append(all, a.got...), fmt.Sprint(a.at))
			}
			if len(all) != 3000+16 || before != nil && !slices.Equal(before, all) {
				t.Errorf("%s: %d lines; equal to those before: %v", router, len(all), slices.Equal(before, all))
			}
			before = all
		}
	}
}

// TestFull: while a receiver takes nothing, the network holds no more for it than port, sink, buffers and
// source queues have room for. The sender waits, and others go on. Then everything arrives.
func TestFull(t *testing.T) {
	s := build(t, "base", topology.Torus(4, 4), config())
	for number := range 500 {
		s.add(0, 1, number, 64)
		s.add(8, 9, number, 64)
	}
	s.agents[1].since = 20_000
	for _, a := range s.agents {
		a.TickLater()
	}
	if err := s.engine.RunUntil(19_000_000); err != nil {
		t.Fatal(err)
	}
	if left, others := len(s.agents[0].send), len(s.agents[9].got); left < 450 || others != 500 {
		t.Errorf("%d of 500 messages are with the sender; the others have received %d", left, others)
	}
	s.run(t)
	if got := len(s.agents[1].got); got != 500 {
		t.Errorf("%d messages have arrived", got)
	}
}

// TestSleep: a connection without packets under way has no events, and wakes in the right cycle.
func TestSleep(t *testing.T) {
	s := build(t, "mrr", topology.Torus(4, 4), config())
	for _, start := range []uint64{5, 1_000_000_000} {
		s.add(2, 3, 7, 64)
		s.engine.SetCurrentTime(timing.VTimeInPicoSec(start * 1000))
		s.run(t)
	}
	at := s.agents[3].at
	if len(at) != 2 || at[0]-5 != at[1]-1_000_000_000 || at[0]-5 > 40 || s.network.Now() != noc.Cycle(at[1]) {
		t.Errorf("messages arrive in cycles %v; the network is at %d", at, s.network.Now())
	}
}

// TestWiring: mistakes are named.
func TestWiring(t *testing.T) {
	s := build(t, "base", topology.Torus(2, 2), config())
	bad := config()
	bad.PacketPhits = 1
	if _, err := New(modeling.NewStandaloneRegistrar(s.engine), "Other", s.network, bad); err == nil {
		t.Error("packets without payload are accepted")
	}
	for _, wrong := range []func(c *Connection){
		func(c *Connection) { c.PlugInAt(messaging.NewPort(nil, 1, 1, "P"), 4) },
		func(c *Connection) { c.Unplug(s.agents[0].port) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a mistake is accepted")
				}
			}()
			c, err := New(modeling.NewStandaloneRegistrar(s.engine), "Another", s.network, config())
			if err != nil {
				t.Fatal(err)
			}
			wrong(c)
		}()
	}
}

package deadlock

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// network builds a small network of 2x2 switches.
func network(bidirectional bool, nodes, arity int) topology.Multistage {
	m, err := topology.NewMultistage(bidirectional, nodes, arity)
	if err != nil {
		panic(err)
	}
	return m
}

// TestTwoBroadcasts: two messages that branch at one switch deadlock without a token, and the
// result says who has what the other needs.
func TestTwoBroadcasts(t *testing.T) {
	messages := []multicast.Request{{Source: 0, Destinations: []noc.NodeID{2, 3}}, {Source: 1, Destinations: []noc.NodeID{2, 3}}}
	s := Search{Network: network(true, 4, 2), Consumption: 1}
	r, err := s.Run(messages)
	if err != nil || r.Deadlock {
		t.Fatalf("two worms that share a channel before they branch: %+v, %v", r, err)
	}
	messages[0].Destinations = []noc.NodeID{1, 3}
	messages[1].Destinations = []noc.NodeID{0, 2}
	s.Network = network(false, 4, 2)
	if r, err = s.Run(messages); err != nil || !r.Deadlock {
		t.Fatalf("%+v, %v", r, err)
	}
	for m := range 2 {
		if !slices.ContainsFunc(r.Waits, func(w Wait) bool { return w.Message == m && w.Holder == 1-m && w.For != "" }) {
			t.Errorf("message %d does not wait for the other: %+v", m, r.Waits)
		}
	}
	s.Tokens = true
	if r, err = s.Run(messages); err != nil || r.Deadlock || r.Waits != nil {
		t.Errorf("with tokens: %+v, %v", r, err)
	}
}

// TestTokensPreventDeadlock: random messages never deadlock with tokens; without, some do.
func TestTokensPreventDeadlock(t *testing.T) {
	without := 0
	check := func(t *rapid.T) {
		bidirectional, arity := rapid.Bool().Draw(t, "bidirectional"), rapid.SampledFrom([]int{2, 2, 3}).Draw(t, "arity")
		size := arity * arity
		if arity == 2 {
			size = rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "nodes")
		}
		s := Search{Network: network(bidirectional, size, arity), Consumption: rapid.SampledFrom([]int{1, arity}).Draw(t, "consumption"), Limit: 100_000}
		node := rapid.Custom(func(t *rapid.T) noc.NodeID { return noc.NodeID(rapid.IntRange(0, size-1).Draw(t, "node")) })
		var messages []multicast.Request
		for range rapid.IntRange(2, 3).Draw(t, "messages") {
			messages = append(messages, multicast.Request{Source: node.Draw(t, "source"), Destinations: rapid.SliceOfN(node, 1, 5).Draw(t, "destinations")})
		}
		r, err := s.Run(messages)
		if err != nil && !errors.Is(err, ErrTooLarge) {
			t.Fatal(err)
		}
		if r.Deadlock {
			without++
		}
		s.Tokens = true
		if r, err = s.Run(messages); r.Deadlock || err != nil && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("with tokens: %+v, %v", r, err)
		}
	}
	rounds := 1
	if os.Getenv("CAROUSEL_LONG") != "" {
		rounds = 30
	}
	for range rounds {
		rapid.Check(t, check)
	}
	if without == 0 {
		t.Error("nothing deadlocks without tokens either: the test cannot fail")
	}
}

// TestTokenIsGivenBack: a token is free again once the headers below it have arrived, before its
// worm is done.
func TestTokenIsGivenBack(t *testing.T) {
	// Places of the worm: injection, token, two consumption channels below it, and one channel
	// beside.
	w := worm{places: []place{{0, -1, 0}, {1, 0, 0b1100}, {2, 1, 0}, {3, 1, 0}, {4, 0, 0}}, all: 0b11111}
	e := &explorer{worms: []worm{w}}
	for taken, want := range map[uint64]int{0b00001: -1, 0b00011: 0, 0b00111: 0, 0b01111: -1, 0b10111: 0, 0b11111: -1} {
		if got := e.holder(state{taken}, 1); got != want {
			t.Errorf("with places %05b taken the token is held by %d, want %d", taken, got, want)
		}
	}
}

// TestLimits: a search says when it is too large.
func TestLimits(t *testing.T) {
	s := Search{Network: network(false, 8, 2), Consumption: 1, Limit: 10}
	all := []noc.NodeID{0, 1, 2, 3, 4, 5, 6, 7}
	if _, err := s.Run([]multicast.Request{{Source: 0, Destinations: all}, {Source: 5, Destinations: all}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ten states are enough: %v", err)
	}
	if _, err := s.Run(make([]multicast.Request, maxMessages+1)); err == nil {
		t.Error("too many messages are accepted")
	}
	if _, err := s.Run([]multicast.Request{{Source: 8}}); err == nil || err.Error() != "message 0: source 8: the network has nodes 0 to 7" {
		t.Errorf("a foreign source: %v", err)
	}
	s.Network = network(false, 64, 2)
	var many []noc.NodeID
	for n := range noc.NodeID(64) {
		many = append(many, n)
	}
	if _, err := s.Run([]multicast.Request{{Source: 0, Destinations: many}}); err == nil {
		t.Error("a tree of hundreds of places is accepted")
	}
	if r, err := s.Run(nil); err != nil || r.Deadlock {
		t.Errorf("no messages: %+v, %v", r, err)
	}
}

// TestCases: the worked cases reach a deadlock, without tokens and with them, where they say so.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/deadlock.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID       string
			B, N     int
			Network  string
			Several  bool                 `json:"b_consumption"`
			Messages [][2]json.RawMessage // sources and destinations
			Without  bool                 `json:"deadlock_reachable_without_token"`
			With     bool                 `json:"deadlock_reachable_with_token"`
		}
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) != 36 {
		t.Fatalf("%d cases (%v)", len(file.Cases), err)
	}
	for _, k := range file.Cases {
		s := Search{Network: topology.Multistage{Bidirectional: k.Network == "bi", Arity: k.B, Stages: k.N}, Consumption: 1}
		if k.Several {
			s.Consumption = k.B
		}
		requests := make([]multicast.Request, len(k.Messages))
		for i, m := range k.Messages {
			if json.Unmarshal(m[0], &requests[i].Source) != nil || json.Unmarshal(m[1], &requests[i].Destinations) != nil {
				t.Fatalf("%s: message %d is unreadable", k.ID, i)
			}
		}
		for _, want := range []bool{k.Without, k.With} {
			if r, err := s.Run(requests); err != nil || r.Deadlock != want {
				t.Errorf("%s: deadlock with tokens %v: %v, want %v (%v)", k.ID, s.Tokens, r.Deadlock, want, err)
			}
			s.Tokens = true
		}
	}
}

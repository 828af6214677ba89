package noc

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestNodeSet compares a set with a map of its members under random operations.
func TestNodeSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SampledFrom([]int{1, 16, 63, 64, 65, 128, 200}).Draw(t, "nodes")
		s := NewNodeSet(nodes)
		model := map[NodeID]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "operations") {
			n := NodeID(rapid.IntRange(0, nodes-1).Draw(t, "node"))
			if rapid.Bool().Draw(t, "add") {
				s.Add(n)
				model[n] = true
			} else {
				s.Remove(n)
				delete(model, n)
			}
		}
		if s.Count() != len(model) || s.Empty() != (len(model) == 0) {
			t.Fatalf("%d members, empty %v, want %d", s.Count(), s.Empty(), len(model))
		}
		walked := 0
		for n, ok := s.Next(0); ok; n, ok = s.Next(n + 1) {
			if !model[n] {
				t.Fatalf("%d is walked but not a member", n)
			}
			walked++
		}
		words := make([]uint64, SetWords(nodes))
		for i := range words {
			words[i] = s.Word(i)
		}
		for n := NodeID(0); n < NodeID(nodes)+70; n++ {
			if s.Has(n) != model[n] || FromWords(words).Has(n) != model[n] {
				t.Fatalf("membership of %d is %v", n, s.Has(n))
			}
		}
		if walked != len(model) || s.Word(len(words)) != 0 {
			t.Fatalf("walked %d of %d members", walked, len(model))
		}
		var members []NodeID
		for n := range model {
			members = append(members, n)
		}
		again := SetOf(nodes, members...)
		if !again.Equal(s) || again.Count() != len(model) {
			t.Fatalf("SetOf has %d members, want %d", again.Count(), len(model))
		}
		one := SetOf(nodes, NodeID(nodes-1))
		again.AddAll(one)
		if !again.Has(NodeID(nodes-1)) || again.Equal(s) != model[NodeID(nodes-1)] {
			t.Fatalf("with node %d added, the set has %d members, %d before", nodes-1, again.Count(), len(model))
		}
		if again.Assign(s); !again.Equal(s) {
			t.Fatalf("an assigned set has %d members, want %d", again.Count(), len(model))
		}
		if again.Clear(); !again.Empty() {
			t.Fatalf("a cleared set has %d members", again.Count())
		}
	})
}

func TestSmallSets(t *testing.T) {
	if (NodeSet{}).Count() != 0 || !(NodeSet{}).Empty() {
		t.Error("the zero set is not empty")
	}
	for _, n := range []NodeID{0, 63, 64, 127, 1000} {
		if s := One(n); !s.Has(n) || s.Count() != 1 || (n < 64 && s.More != nil) {
			t.Errorf("One(%d) = %+v", n, s)
		}
	}
	s := One(3)
	s.Remove(700) // beyond the set's size: not a member already
	if s.Count() != 1 {
		t.Error("removing a foreign node changed the set")
	}
	if allocs := must.Allocations(10, func() { s.Add(63); s.Remove(63); _ = One(5) }); allocs != 0 {
		t.Errorf("%v allocations for sets of 64 nodes", allocs)
	}
}

// TestNames: every kind of buffer and arbiter has a name of its own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for k := range BufferKinds {
		seen[k.String()] = true
	}
	for s := range ArbiterStages {
		seen[s.String()] = true
	}
	if len(seen) != int(BufferKinds)+int(ArbiterStages) || seen[""] {
		t.Errorf("names: %v", seen)
	}
}

// TestStorage: storage is summed over the kinds of buffers.
func TestStorage(t *testing.T) {
	var h Hardware
	h.FIFOs[VirtualChannel], h.Depth[VirtualChannel] = 30, 10
	h.FIFOs[OutputStage], h.Depth[OutputStage] = 5, 20
	if h.StoragePhits() != 400 {
		t.Errorf("%d phits, want 30x10 + 5x20", h.StoragePhits())
	}
}

package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// lamp is a protocol with one controller that can be switched on and off.
var lamp = coherence.Description{
	Name: "lamp", Kinds: []string{"Switch"}, Classes: []string{"REQ", "RESP"},
	States: [coherence.Roles][]string{coherence.Bank: {"off", "on", "broken"}},
	Events: [coherence.Roles][]string{coherence.Bank: {"switch", "repair"}},
	Legal:  [coherence.Roles][]string{coherence.Bank: {"xx.", "..?"}},
	Defects: []coherence.Defect{{}, {Name: "stuck", Breaks: "stays as it is"},
		{Name: "loose", Breaks: "goes on and off"}},
}

func newLamp(marks string) Chip {
	return NewChip(&lamp, coherence.System{Cores: 1, Homes: &coherence.Homes{Banks: 2, MemoryOfBank: []uint16{1, 0}}}, lampL1, lampL1, 1, coherence.HitTable{}, nil,
		func(mark byte) bool { return strings.IndexByte(marks, mark) >= 0 })
}

var lampL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}

// TestTransitions: legal ones are counted; others panic and say
// where and what.
func TestTransitions(t *testing.T) {
	tables := newLamp("x")
	a := NewAgent(&tables, coherence.Bank, 3)
	a.Now = 17
	a.Took(5, 0, 0)
	a.Took(5, 1, 0)
	a.Took(5, 0, 0)
	show := func(cells []coherence.Cell) (list []string) {
		for _, c := range cells {
			list = append(list, fmt.Sprint(c.Role, c.State, c.Event, c.Count))
		}
		return list
	}
	if got := show(tables.Cells()); !slices.Equal(got, []string{"bankoffswitch2", "bankonswitch1"}) {
		t.Errorf("cells %q", got)
	}
	other := newLamp("x?")
	if got := show(other.Cells()); len(got) != 3 {
		t.Errorf("with other marks %q", got)
	}
	defer func() {
		want := `lamp: cycle 17, bank 3, block 0x5: event "repair" cannot happen in state broken`
		if got := recover(); got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}()
	a.Took(5, 2, 1)
}

// TestHits: the hits that the table of hits counts are in the cells and in the totals, by kind.
func TestHits(t *testing.T) {
	d := coherence.Description{Name: "door", States: [coherence.Roles][]string{coherence.Cache: {"shut", "open"}},
		Events: [coherence.Roles][]string{coherence.Cache: {"load", "store"}}, Legal: [coherence.Roles][]string{coherence.Cache: {"xx", "xx"}}}
	var hits coherence.HitTable
	for k := range coherence.AccessKinds {
		hits[1].Next[k] = 1
	}
	c := NewChip(&d, coherence.System{Cores: 1}, lampL1, lampL1, 1, hits, nil, func(byte) bool { return true })
	want := map[string]uint64{}
	for k := range coherence.AccessKinds {
		for range 1 << k {
			c.HitTable.Hit(&coherence.CacheLine{State: 1}, k)
			want[map[bool]string{false: "load", true: "store"}[k.IsWrite()]]++
		}
	}
	for k, n := range c.Hits() {
		if n != 1<<k {
			t.Errorf("%d hits of kind %d, want %d", n, k, 1<<k)
		}
	}
	for _, cell := range c.Cells() {
		if cell.State == "open" && cell.Count != want[cell.Event] || cell.State == "shut" && cell.Count != 0 {
			t.Errorf("%+v, want %v", cell, want)
		}
	}
}

// TestSeed: a defect is known by its name, and none has no name.
func TestSeed(t *testing.T) {
	tables := newLamp("x")
	if list := tables.Mistakes(); len(list) != 2 || list[0].Name != "stuck" {
		t.Errorf("defects %v", list)
	}
	if tables.Seed("") || tables.Seed("none") || tables.Seeded != 0 || !tables.Seed("loose") || tables.Seeded != 2 {
		t.Errorf("defect %d is seeded", tables.Seeded)
	}
}

// TestEmit: a message says who sends it, is as long as what it carries, and takes room of its
// class.
func TestEmit(t *testing.T) {
	tables := newLamp("x")
	a := NewAgent(&tables, coherence.Bank, 1)
	var out coherence.Effects
	out.Reset()
	a.Send(&out, coherence.Message{Block: 3, Class: 1}, CacheOf(4))
	a.Emit(&out, coherence.Send{Message: coherence.Message{Class: 1, Flags: coherence.HasData}, Many: true})
	one, many := out.Sends[0], out.Sends[1]
	if one.From != a.Self || one.One != (coherence.Agent{Role: coherence.Cache, Index: 4}) || one.Bytes() != coherence.CommandBytes ||
		many.Bytes() != coherence.DataBytes || out.Room[1] != coherence.Unlimited-2 || out.Room[0] != coherence.Unlimited {
		t.Errorf("%+v, %+v, room %v", one, many, out.Room)
	}
	if bank, memory := a.BankOf(3), a.MemoryOf(3); bank != a.Self || memory != (coherence.Agent{Role: coherence.Memory, Index: 0}) {
		t.Errorf("block 3 is at home at %v and %v", bank, memory)
	}
}

// TestL1: frames of both arrays have numbers of their own; what is refused is remembered until it
// may be repeated.
func TestL1(t *testing.T) {
	chip := newLamp("x")
	a := NewAgent(&chip, coherence.Cache, 0)
	c := NewL1(&chip, &a, Rules{})
	for array, want := range []int32{2, 6} {
		c.Lines[want].Miss = 1
		f := c.victim(array, 9)
		if f != want+1 {
			t.Fatalf("array %d: victim %d, want %d: the other frame waits for a miss", array, f, want+1)
		}
		c.Fill(f, 9)
		if c.Find(9) != f || c.Block(f) != 9 {
			t.Errorf("block 9 is in frame %d, found in %d", f, c.Find(9))
		}
		var visited []int32
		c.Visit(func(frame int32, b coherence.Block) { visited = append(visited, frame, int32(b)) })
		if !slices.Equal(visited, []int32{f, 9}) {
			t.Errorf("visited %v", visited)
		}
		if c.Release(f); c.Find(9) != None {
			t.Error("a released frame has its block")
		}
	}
	var out coherence.Effects
	if c.Again(&out); out.Retry {
		t.Error("nothing was refused")
	}
	c.Lines[7].Miss = 1
	if c.victim(1, 9) != None || !c.Refused {
		t.Error("a set of busy frames has a victim")
	}
	if c.Again(&out); !out.Retry || c.Refused {
		t.Error("what was refused is not repeated")
	}
	if c.MayMiss(&out) || !c.Cramped {
		t.Error("a miss is opened without room")
	}
	out.Reset()
	if !c.MayMiss(&out) {
		t.Error("a miss is not opened")
	}
	c.Allocate(0)
	if c.Misses.Used() != 1 || c.MayMiss(&out) || !c.Refused {
		t.Error("a miss is opened without an MSHR")
	}
}

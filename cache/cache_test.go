package cache

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	for _, x := range []struct {
		c    Config
		want string
	}{
		{Config{256, 2, LRU}, ""},
		{Config{64, 16, TreePLRU}, ""},
		{Config{1, 1, TreePLRU}, ""},
		{Config{4, 3, LRU}, ""},
		{Config{0, 2, LRU}, "sets is 0"},
		{Config{3, 2, LRU}, "sets is 3"},
		{Config{4, 0, LRU}, "ways is 0"},
		{Config{4, 65, LRU}, "ways is 65"},
		{Config{4, 3, TreePLRU}, "tree-plru needs a power of two"},
		{Config{4, 4, 7}, "policy is 7"},
	} {
		err := x.c.Validate()
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", x.c, err, x.want)
		}
	}
	var p Policy
	if err := p.UnmarshalText([]byte("tree-plru")); err != nil || p != TreePLRU {
		t.Errorf("%v, %v", p, err)
	}
	if err := p.UnmarshalText([]byte("none")); err == nil || !strings.Contains(err.Error(), "use lru, tree-plru") {
		t.Errorf("%v", err)
	}
}

// TestSetOfBlock pins the address map: an L1 takes the lowest 8 bits of the block number, a bank of
// a chip with 256 banks the 6 bits above those that choose the bank.
func TestSetOfBlock(t *testing.T) {
	for _, x := range []struct {
		c     Config
		skip  int
		block uint32
		first int32
	}{
		{Config{256, 2, LRU}, 0, 0x12345, 2 * 0x45},
		{Config{64, 16, TreePLRU}, 8, 0x12345, 16 * 0x23},
		{Config{64, 16, TreePLRU}, 8, 0x16345, 16 * 0x23},
		{Config{1, 4, LRU}, 0, 0xffffffff, 0},
	} {
		a := NewArray(x.c, x.skip)
		if first, end := a.SetOf(x.block); first != x.first || end != x.first+int32(x.c.Ways) {
			t.Errorf("block %#x sits in frames %d to %d, want %d", x.block, first, end, x.first)
		}
	}
}

// TestTreePLRU walks a 4-way tree by hand: node 0 is the root, nodes 1 and 2 choose in the halves.
func TestTreePLRU(t *testing.T) {
	a := NewArray(Config{1, 4, TreePLRU}, 0)
	for b := range uint32(4) {
		if f := a.Victim(b, 0); f != int32(b) {
			t.Fatalf("block %d goes to way %d; the lowest empty way is first", b, f)
		}
		a.Fill(int32(b), b)
	}
	for _, x := range []struct {
		touch  int32
		busy   uint64
		victim int32
	}{
		{None, 0, 0}, // 0 1 2 3 touched: root left, left half left
		{0, 0, 2},    // root right, right half left
		{2, 0, 1},    // root left, left half right
		{1, 0, 3},
		{3, 0, 0},
		{None, 0b0001, 1}, // the choice is busy: the next one up
		{None, 0b0111, 3},
		{None, 0b1111, None},
		{1, 0b0100, 3}, // the choice is way 2
		{None, 0b1100, 0},
	} {
		if x.touch != None {
			a.Touch(x.touch)
		}
		if v := a.Victim(9, x.busy); v != x.victim {
			t.Errorf("after touching %d, with busy ways %04b, the victim is %d, want %d", x.touch, x.busy, v, x.victim)
		}
	}
}

// TestTreePLRU16 checks what the tree promises: the victim is never among the log2(ways) latest
// touched ways, and a way that is never touched is given up after ways-1 others.
func TestTreePLRU16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := NewArray(Config{2, 16, TreePLRU}, 0)
		for b := range uint32(16) {
			a.Fill(int32(b), 2*b)
		}
		latest := int32(15)
		for range 64 {
			if v := a.Victim(100, 0); v == latest || v < 0 || v > 15 {
				t.Fatalf("the victim is %d, the latest touched way %d", v, latest)
			}
			latest = int32(rapid.IntRange(0, 15).Draw(t, "way"))
			a.Touch(latest)
		}
		seen := map[int32]bool{}
		for range 16 {
			v := a.Victim(100, 0)
			if seen[v] {
				t.Fatalf("way %d is given up twice in 16 victims", v)
			}
			seen[v] = true
			a.Touch(v)
		}
	})
}

// lists are the sets of an LRU array as lists of blocks, latest used first.
type lists struct {
	c    Config
	a    *Array
	skip int
	sets [][]uint32
}

func (l *lists) of(b uint32) *[]uint32 { return &l.sets[int(b>>l.skip)%l.c.Sets] }

// miss brings a block into the array and its list. One random way is busy; there may be no other.
func (l *lists) miss(t *rapid.T, b uint32) {
	a, s := l.a, l.of(b)
	var busy uint64
	free := slices.Clone(*s)
	if busyFrame := a.Find(b ^ uint32(1)<<5); busyFrame != None && rapid.Bool().Draw(t, "busy") {
		if first, _ := a.SetOf(b); busyFrame >= first && busyFrame < first+int32(l.c.Ways) {
			busy = 1 << (busyFrame - first)
			free = slices.DeleteFunc(free, func(x uint32) bool { return x == a.Block(busyFrame) })
		}
	}
	v := a.Victim(b, busy)
	switch {
	case len(*s) < l.c.Ways:
		if v == None || a.Holds(v) {
			t.Fatalf("victim %d of a set that is not full", v)
		}
	case len(free) == 0:
		if v != None {
			t.Fatalf("victim %d where every way is busy", v)
		}
		return
	default:
		if old := a.Block(v); old != free[len(free)-1] {
			t.Fatalf("block %d is given up, want %d", old, free[len(free)-1])
		}
		*s = slices.DeleteFunc(*s, func(x uint32) bool { return x == a.Block(v) })
		a.Release(v)
	}
	a.Fill(v, b)
	*s = append([]uint32{b}, *s...)
}

// TestArrayAgainstList compares an LRU array with lists of blocks.
func TestArrayAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Sets: 1 << rapid.IntRange(0, 3).Draw(t, "sets"), Ways: rapid.IntRange(1, 5).Draw(t, "ways"), Policy: LRU}
		skip := rapid.IntRange(0, 2).Draw(t, "skip")
		a := NewArray(c, skip)
		l := &lists{c, &a, skip, make([][]uint32, c.Sets)}
		for range 200 {
			b := uint32(rapid.IntRange(0, 63).Draw(t, "block"))
			s := l.of(b)
			f, at := a.Find(b), slices.Index(*s, b)
			if (f == None) != (at < 0) {
				t.Fatalf("block %d is in frame %d, in the list at %d", b, f, at)
			}
			if rapid.IntRange(0, 9).Draw(t, "drop") == 0 && f != None {
				a.Release(f)
				*s = slices.Delete(*s, at, at+1)
				continue
			}
			if f != None {
				a.Touch(f)
				*s = append([]uint32{b}, slices.Delete(*s, at, at+1)...)
				continue
			}
			l.miss(t, b)
		}
		n := 0
		a.Visit(func(frame int32, b uint32) {
			n++
			if a.Find(b) != frame || !slices.Contains(*l.of(b), b) {
				t.Fatalf("frame %d with block %d", frame, b)
			}
		})
		for _, s := range l.sets {
			n -= len(s)
		}
		if n != 0 {
			t.Fatalf("%d frames too many", n)
		}
	})
}

func TestMSHRs(t *testing.T) {
	f := NewMSHRs[int](70)
	for b := range uint32(70) {
		if slot := f.Allocate(b + 100); slot != int(b) {
			t.Fatalf("slot %d, want %d", slot, b)
		}
	}
	if !f.Full() || f.Used() != 70 || f.Allocate(1) != None {
		t.Fatalf("full %t with %d", f.Full(), f.Used())
	}
	if f.Block(65) != 165 {
		t.Fatalf("slot 65 is of block %d", f.Block(65))
	}
	old := f.Renew(65)
	if !f.Current(65, old) {
		t.Fatal("a new generation is stale")
	}
	next := f.Renew(65)
	if f.Current(65, old) || !f.Current(65, next) {
		t.Fatal("the generation before is current")
	}
	f.Release(65)
	if f.Current(65, next) || f.Next(65) != 66 || f.Next(70) != None {
		t.Fatalf("after release: next %d", f.Next(65))
	}
	if slot := f.Allocate(7); slot != 65 || f.Current(65, next) || len(f.Targets(65)) != 0 {
		t.Fatalf("slot %d, targets %v", slot, f.Targets(65))
	}
	for i := range MaxTargets {
		if !f.Add(65, i) {
			t.Fatalf("target %d refused", i)
		}
	}
	if f.Add(65, 99) {
		t.Fatal("a target too many")
	}
	f.Keep(65, 2)
	if !slices.Equal(f.Targets(65), []int{0, 1}) || !f.Add(65, 5) {
		t.Fatalf("targets %v", f.Targets(65))
	}
}

func BenchmarkFindTouch(b *testing.B) {
	a := NewArray(Config{256, 2, LRU}, 0)
	for i := range uint32(512) {
		a.Fill(a.Victim(i, 0), i)
	}
	for i := 0; b.Loop(); i++ {
		a.Touch(a.Find(uint32(i) & 511))
	}
}

// TestMostRecent compares the frame touched last in each set with a list of what was touched and
// released.
func TestMostRecent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Sets: 2, Ways: 4, Policy: Policy(rapid.IntRange(0, len(policies)-1).Draw(t, "policy"))}
		a := NewArray(c, 0)
		want := []uint32{vacant, vacant}
		latest := a.MostRecent()
		for range 100 {
			b := uint32(rapid.IntRange(0, 15).Draw(t, "block"))
			f := a.Find(b)
			switch {
			case f == None:
				f = a.Victim(b, 0)
				if a.Holds(f) {
					a.Release(f)
				}
				a.Fill(f, b)
				want[b&1] = b
			case rapid.IntRange(0, 4).Draw(t, "drop") == 0:
				a.Release(f)
				if want[b&1] == b {
					want[b&1] = vacant
				}
			default:
				a.Touch(f)
				want[b&1] = b
			}
			for set, block := range want {
				has := vacant
				if f := set*a.Ways() + int(latest[set]); latest[set] != untouched {
					has = a.Block(int32(f))
				}
				if has != block {
					t.Fatalf("set %d: the way touched last, %d, has block %d, want %d", set, latest[set], has, block)
				}
			}
		}
		a.SetState(a.AppendState(nil))
		if !slices.Equal(latest, []uint8{untouched, untouched}) {
			t.Fatalf("in a restored array the ways %d were touched last", latest)
		}
	})
}

// fifo gives up the way that was filled first. It stands for a policy that somebody adds: a type of
// its own and a row in the table.
type fifo struct{ filled [][]int32 } // per set, oldest first

func (f *fifo) fill(set, way int32) {
	order := f.filled[set]
	f.filled[set] = append(slices.DeleteFunc(order, func(w int32) bool { return w == way }), way)
}

func (f *fifo) touch(int32, int32) {}

func (f *fifo) victim(set int32, allowed uint64) int32 {
	for _, w := range f.filled[set] {
		if allowed>>w&1 != 0 {
			return w
		}
	}
	panic("no way that is allowed was filled")
}

func (f *fifo) appendState(to []byte, set int) []byte {
	to = append(to, byte(len(f.filled[set])))
	for _, w := range f.filled[set] {
		to = append(to, byte(w))
	}
	return to
}

func (f *fifo) setState(from []byte, set int) []byte {
	n := int(from[0])
	f.filled[set] = f.filled[set][:0]
	for _, w := range from[1 : 1+n] {
		f.filled[set] = append(f.filled[set], int32(w))
	}
	return from[1+n:]
}

func (f *fifo) copyFrom(r replacement) {
	for set, ways := range r.(*fifo).filled {
		f.filled[set] = slices.Clone(ways)
	}
}

// TestPolicies holds every policy of the table, and one that is added, to what an array promises:
// the victim is none of the busy ways, a touch of the way touched last changes nothing, and an array
// whose state is restored goes on as the first one does, whatever its size. A copy has a state of its own.
func TestPolicies(t *testing.T) {
	before := policies
	t.Cleanup(func() { policies = before })
	policies = append(slices.Clone(before), policy{"fifo", func(sets, _ int) replacement { return &fifo{make([][]int32, sets)} }, nil})
	if names := Policy(0).Choices(); len(names) != len(before)+1 || names[0] != "lru" || names[len(before)] != "fifo" {
		t.Fatalf("the table has %v", names)
	}
	for p, row := range policies {
		t.Run(row.name, rapid.MakeCheck(func(t *rapid.T) {
			c := Config{Sets: 2, Ways: rapid.SampledFrom([]int{1, 2, 16, 64}).Draw(t, "ways"), Policy: Policy(p)}
			a, b := NewArray(c, 0), NewArray(c, 0)
			for range rapid.IntRange(0, 200).Draw(t, "accesses") {
				block := rapid.Uint32Range(0, 2000).Draw(t, "block")
				if f := a.Find(block); f != None {
					a.Touch(f)
					once := a.AppendState(nil)
					set, _ := a.SetOf(block)
					a.policy.touch(set/int32(c.Ways), f-set)
					if !bytes.Equal(once, a.AppendState(nil)) {
						t.Fatalf("a second touch of frame %d changes the state", f)
					}
					continue
				}
				busy := rapid.Uint64Range(0, 1<<c.Ways-1).Draw(t, "busy")
				if f := a.Victim(block, busy); f != None {
					if first, _ := a.SetOf(block); busy>>(f-first)&1 != 0 {
						t.Fatalf("the victim is frame %d, a busy way", f)
					}
					if a.Holds(f) {
						a.Release(f)
					}
					a.Fill(f, block)
				}
			}
			state := a.AppendState(nil)
			if rest := b.SetState(state); len(rest) != 0 || !bytes.Equal(state, b.AppendState(nil)) {
				t.Fatalf("%d bytes are left, and the state is %v, want %v", len(rest), b.AppendState(nil), state)
			}
			copied := NewArray(c, 0)
			copied.CopyFrom(&a)
			if !bytes.Equal(state, copied.AppendState(nil)) {
				t.Fatalf("the state of a copy is %v, want %v", copied.AppendState(nil), state)
			}
			empty := NewArray(c, 0)
			if copied.SetState(empty.AppendState(nil)); !bytes.Equal(state, a.AppendState(nil)) {
				t.Fatalf("emptying a copy changes the state to %v, want %v", a.AppendState(nil), state)
			}
			for block := range uint32(2001) {
				if a.Find(block) != b.Find(block) || a.Victim(block, 0) != b.Victim(block, 0) {
					t.Fatalf("block %d: frame %d and victim %d in a restored array, want %d and %d",
						block, b.Find(block), b.Victim(block, 0), a.Find(block), a.Victim(block, 0))
				}
			}
		}))
	}
}

package coherence

import (
	"fmt"
	"maps"
	"testing"
)

// keeper is a controller that holds blocks.
type keeper struct {
	MemoryController
	blocks []Block
}

func (k *keeper) VisitLines(f func(b Block, l Line)) {
	for _, b := range k.blocks {
		f(b, Line{})
	}
}
func (k *keeper) Line(Block) Line { return Line{} }

// l1Keeper is one as an L1.
type l1Keeper struct {
	CacheController
	all keeper
}

func (k *l1Keeper) VisitLines(f func(b Block, l Line)) { k.all.VisitLines(f) }

// scribe is a protocol that writes down what it is asked to check.
type scribe struct {
	Protocol
	seen map[Block]string
}

func (p *scribe) CheckBlock(b Block, lines []AgentLine, inFlight []Message, _ bool) error {
	text := ""
	for _, l := range lines {
		text += fmt.Sprintf("%s%d ", l.Agent.Role, l.Agent.Index)
	}
	p.seen[b] += fmt.Sprint(text, len(inFlight))
	return nil
}

// Every block is checked once, with all who hold it, the memory controller at last, and all
// messages in flight, wherever its home is; and what is held away from home is told.
func TestAuditsSeeEveryBlockOnce(t *testing.T) {
	p := &scribe{seen: map[Block]string{}}
	banks := []*keeper{{blocks: []Block{4, 8}}, {blocks: []Block{1}}, {}, {blocks: []Block{3}}}
	a := Audit{Protocol: p, Homes: &Homes{Banks: 4, MemoryOfBank: []uint16{0, 1, 0, 1}},
		Caches:   []CacheController{&l1Keeper{all: keeper{blocks: []Block{8, 1}}}, &l1Keeper{all: keeper{blocks: []Block{2, 1}}}},
		Memories: []MemoryController{&keeper{blocks: []Block{6}}, &keeper{blocks: []Block{1, 9}}},
		InFlight: []Message{{Block: 9}, {Block: 8}, {Block: 9}, {Block: 13}}}
	for _, k := range banks {
		a.Banks = append(a.Banks, k)
	}
	want := map[Block]string{1: "cache0 cache1 bank1 memory1 0", 2: "cache1 memory0 0", 3: "bank3 memory1 0", 4: "bank0 memory0 0",
		6: "memory0 0", 8: "cache0 bank0 memory0 1", 9: "memory1 2", 13: "memory1 1"}
	for b := Block(16); b < 200; b += 3 { // enough that many have the same hash
		a.Caches[b%2].(*l1Keeper).all.blocks = append(a.Caches[b%2].(*l1Keeper).all.blocks, b)
		a.InFlight = append(a.InFlight, Message{Block: b})
		want[b] = fmt.Sprintf("cache%d memory%d 1", b%2, b%2)
	}
	for range 2 {
		clear(p.seen)
		if err := a.Check(false); err != nil || !maps.Equal(p.seen, want) {
			t.Errorf("%v; seen %v, want %v", err, p.seen, want)
		}
	}
	a.Only = &BlockFilter{}
	a.Only.Add(3)
	a.Only.Add(9)
	clear(p.seen)
	if err := a.Check(false); err != nil || len(p.seen) > 4 || p.seen[3] != want[3] || p.seen[9] != want[9] {
		t.Errorf("%v; seen %v of the blocks 3 and 9 alone", err, p.seen)
	}
	banks[0].blocks = append(banks[0].blocks, 5)
	if err := a.Check(false); err == nil || err.Error() != "block 0x5 is at bank 0, and its home is bank 1" {
		t.Errorf("a block away from home: %v", err)
	}
}

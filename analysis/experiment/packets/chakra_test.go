package packets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// traceOf is a trace of Chakra in the making: a list of nodes for each rank.
type traceOf map[int][]byte

const compute, sends, receives, collects = 4, 5, 6, 7

// add adds a node that depends on others, with attributes and values in pairs.
func (g traceOf) add(rank int, id, kind, micros uint64, deps []uint64, attributes ...any) {
	field := func(b []byte, number protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
	}
	node := field(field(field(nil, 1, id), 3, kind), 7, micros)
	node = protowire.AppendString(protowire.AppendTag(node, 2, protowire.BytesType), fmt.Sprintf("op %d", id))
	for _, d := range deps {
		node = field(node, 5, d)
	}
	for i := 0; i < len(attributes); i += 2 {
		a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), attributes[i].(string))
		switch v := attributes[i+1].(type) {
		case int:
			a = field(a, 9, uint64(v))
		case string:
			a = protowire.AppendString(protowire.AppendTag(a, 29, protowire.BytesType), v)
		}
		node = protowire.AppendBytes(protowire.AppendTag(node, 10, protowire.BytesType), a)
	}
	if g[rank] == nil {
		g[rank] = []byte{0} // metadata without anything
	}
	g[rank] = protowire.AppendBytes(g[rank], node)
}

// study writes the files of a trace.
func (g traceOf) study(t *testing.T) *Study {
	t.Helper()
	dir := t.TempDir()
	for rank, content := range g {
		must.Do(os.WriteFile(filepath.Join(dir, fmt.Sprintf("model.%d.et", rank)), content, 0o600))
	}
	s := study(filepath.Join(dir, "model.0.et"))
	s.Routers, s.PacketPhits, s.ClockGHz = []string{"base"}, 5, 2
	return s
}

// cycles replays a trace.
func (g traceOf) cycles(t *testing.T) uint64 {
	t.Helper()
	o := do(t, context.Background(), g.study(t), 1)
	if o[0].Err != nil {
		t.Fatal(o[0].Err)
	}
	return o[0].Rows.Traffic[0].Cycles
}

// TestChakra: computations take their time at the clock, messages and collective operations that of the network,
// and a node waits for what it depends on, on other ranks too.
func TestChakra(t *testing.T) {
	alone := traceOf{}
	alone.add(0, 1, compute, 3, nil)
	alone.add(0, 2, compute, 4, nil) // one at a time
	if got := alone.cycles(t); got != 7*2000 {
		t.Errorf("computations of 7 us at 2 GHz take %d cycles", got)
	}
	message := &program{}
	message.add(step(1, 0, 300, []uint64{0}))
	path := uint64(lengthOf(t, message, 5).Cycles)
	g := traceOf{}
	g.add(0, 5, receives, 0, nil, "comm_src", 1, "comm_dst", 0, "comm_tag", 4, "comm_size", 300) // before it is sent
	g.add(0, 6, compute, 10, []uint64{5})
	g.add(1, 1, compute, 2, nil)
	g.add(1, 2, sends, 0, []uint64{1}, "comm_src", 1, "comm_dst", 0, "comm_tag", 4, "comm_size", 300)
	if got, want := g.cycles(t), 2*2000+path+10*2000; got != want {
		t.Errorf("the message between computations takes %d cycles, want %d", got, want)
	}
	all := traceOf{}
	for rank := range 4 {
		all.add(rank, 1, compute, uint64(1+rank), nil)
		all.add(rank, 2, collects, 0, []uint64{1}, "comm_type", 0, "comm_size", 720, "pg_name", "dp")
		all.add(rank, 3, compute, 5, []uint64{2})
	}
	p := &program{}
	must.Get(p.collective("all-reduce", []uint64{0, 1, 2, 3}, 720, make([]uint64, 4)))
	if got, most, least := all.cycles(t), 9*2000+uint64(lengthOf(t, p, 5).Cycles), uint64(9*2000); got > most || got <= least {
		t.Errorf("an all-reduce after computations of 1 to 4 us and before ones of 5 takes %d cycles, want more than %d and at most %d", got, least, most)
	}
	s := all.study(t)
	s.Forms = []string{"all-reduce:multicast"}
	if o := do(t, context.Background(), s, 1); o[0].Err != nil || o[0].Rows.Traffic[0].PacketsDelivered.Value <= o[0].Rows.Traffic[0].PacketsGenerated.Value {
		t.Errorf("%v: no multicasts", o[0].Err)
	}
	if head := must.Get(s.Head(nil)); head.Name != "model" || head.Nodes != 4 || len(head.Notes) > 0 {
		t.Errorf("%+v", head)
	}
}

// TestChakraFaults: what ranks do not agree on is an error that names the node and the rank.
func TestChakraFaults(t *testing.T) {
	for want, make := range map[string]func(g traceOf){
		`node 1 ("op 1") of rank 0: no message for it comes from rank 1 with tag 0`: func(g traceOf) {
			g.add(0, 1, receives, 0, nil, "comm_src", 1)
			g.add(0, 2, compute, 1, []uint64{1})
			g.add(1, 1, compute, 1, nil)
		},
		`node 3 ("op 3") of rank 0: it sends to rank 9, of which there is no file`: func(g traceOf) { g.add(0, 3, sends, 0, nil, "comm_dst", 9, "comm_size", 8) },
		`node 2 ("op 2") of rank 0: only 1 of the 2 ranks of group "a" come`: func(g traceOf) {
			g.add(0, 1, collects, 0, nil, "comm_type", 9, "pg_name", "a")
			g.add(0, 2, collects, 0, []uint64{1}, "comm_type", 9, "pg_name", "a")
			g.add(1, 1, collects, 0, nil, "comm_type", 9, "pg_name", "a")
		},
		`of rank 1: it is all-gather of 8 bytes, and node 1 of rank 0 in the same place of group "" is all-reduce of 8 bytes`: func(g traceOf) {
			g.add(0, 1, collects, 0, nil, "comm_type", 0, "comm_size", 8)
			g.add(1, 1, collects, 0, nil, "comm_type", 2, "comm_size", 8)
		},
		`of rank 0: collective operations of type GATHER cannot be replayed`: func(g traceOf) { g.add(0, 1, collects, 0, nil, "comm_type", 3, "comm_size", 8) },
		`of rank 0: no message for it comes from rank 1`: func(g traceOf) { // each sends after it has received
			for rank := range 2 {
				g.add(rank, 1, receives, 0, nil, "comm_src", 1-rank)
				g.add(rank, 2, sends, 0, []uint64{1}, "comm_dst", 1-rank, "comm_size", 8)
			}
		},
		`node 3 ("op 3") of rank 0: it depends on itself, over others`: func(g traceOf) {
			g.add(0, 1, compute, 1, []uint64{2})
			g.add(0, 2, compute, 1, []uint64{4, 3})
			g.add(0, 3, compute, 1, []uint64{5})
			g.add(0, 4, compute, 1, nil)
			g.add(0, 5, compute, 1, []uint64{3})
		},
		`node 7 ("op 7") of rank 0: it depends on itself`: func(g traceOf) { g.add(0, 7, compute, 1, []uint64{7}) },
		`it takes 2000000000000 us`:                       func(g traceOf) { g.add(0, 1, compute, 2e12, nil) },
	} {
		g := traceOf{}
		make(g)
		if _, err := g.study(t).Head(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	lost := traceOf{}
	lost.add(0, 1, sends, 0, nil, "comm_dst", 1, "comm_size", 8)
	lost.add(1, 1, compute, 1, nil)
	if head := must.Get(lost.study(t).Head(nil)); len(head.Notes) != 1 || head.Notes[0] != "1 messages have no node that receives them" {
		t.Errorf("%q", head.Notes)
	}
}

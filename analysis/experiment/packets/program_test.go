package packets

import (
	"context"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/traffic/collective"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// lengthOf runs a program on a torus of routers "base".
func lengthOf(t *testing.T, p *program, phits int) *replayed {
	t.Helper()
	s := newStream(networkOf(t, "base"), p, 1, "")
	s.longest = phits
	return must.Get(s.run(context.Background(), func() {}))
}

// step is a step of a program.
func step(node uint32, work noc.Cycle, bytes uint32, to []uint64, after ...uint64) packet {
	return packet{Packet: packetlist.Packet{Source: node, Destinations: to, Bytes: bytes, DependsOn: after}, work: work}
}

// TestComputations: a node computes one step at a time, after what it waits for, beside its messages; a step
// without work is a meeting point.
func TestComputations(t *testing.T) {
	message := func(count int) noc.Cycle { // from node 0 to node 1, 72 bytes of data per packet
		p := &program{}
		p.add(step(0, 0, uint32(72*count), []uint64{1}))
		r := lengthOf(t, p, 5)
		if r.GeneratedPackets != uint64(count) || r.phits != uint64(5*count) || r.DeliveredPackets != uint64(count) {
			t.Errorf("a message of %d packets counts %d, %d phits, %d delivered", count, r.GeneratedPackets, r.phits, r.DeliveredPackets)
		}
		return r.Cycles
	}
	one := message(1)
	if three := message(3); three <= one {
		t.Errorf("three packets take %d cycles, and one %d", three, one)
	}
	p := &program{}
	a, b := p.add(step(0, 100, 0, nil)), p.add(step(0, 50, 0, nil)) // one after the other
	sent := p.add(step(0, 0, 72, []uint64{1}, a))
	met := p.add(step(1, 0, 0, nil, sent, b))
	p.add(step(1, 1000, 0, nil, met))
	if got, want := lengthOf(t, p, 5).Cycles, max(100+one, 150)+1000; got != want {
		t.Errorf("the program takes %d cycles, want %d", got, want)
	}
	if err := checkLength(1, networkOf(t, "ideal")); err != nil {
		t.Error(err)
	}
}

// TestCollectives: every operation ends on every router, after as many packets as its messages need, and the
// ring of two nodes takes as long as its steps.
func TestCollectives(t *testing.T) {
	for _, name := range collective.Operations() {
		s := study("")
		s.Collective, s.PacketPhits, s.Routers = &Collective{Name: name, Nodes: []noc.NodeID{0, 1, 2, 3, 8, 9, 10, 11}, Bytes: 8 * 144}, 5, []string{"ideal", "base", "mrr"}
		head := must.Get(s.Head(nil))
		if head.Name != name || !head.Steps || head.Nodes != 12 {
			t.Errorf("%+v", head)
		}
		packets, copies := uint64(0), uint64(0)
		for _, m := range must.Get(collective.Make(name, 8, 8*144)) {
			n := max(1, (m.Bytes+71)/72)
			packets += n
			copies += n * uint64(len(m.To))
		}
		for _, o := range do(t, context.Background(), s, 2) {
			row := &o.Rows.Traffic[0]
			if o.Err != nil || row.PacketsGenerated.Value != packets || row.PacketsDelivered.Value != copies || row.PacketsDelayed.Known || row.Cycles == 0 || row.Pattern != "steps of "+name {
				t.Errorf("%s: %v: %d packets, %d delivered, %d cycles, %q; want %d, %d", name, o.Err, row.PacketsGenerated.Value, row.PacketsDelivered.Value, row.Cycles, row.Pattern, packets, copies)
			}
		}
	}
	length := func(name string, nodes ...uint64) noc.Cycle {
		p := &program{}
		must.Get(p.collective(name, nodes, uint64(72*len(nodes)), make([]uint64, len(nodes))))
		return lengthOf(t, p, 5).Cycles
	}
	hop := length("broadcast:tree", 0, 1) // two pieces of 72 bytes: one message of two packets
	if ring, steps := length("all-reduce:ring", 0, 1), length("all-gather:ring", 0, 1); ring != 2*steps || hop <= steps {
		t.Errorf("an all-reduce of two nodes takes %d cycles, its two halves %d each; one message of both pieces %d", ring, steps, hop)
	}
}

// TestTooManyPackets: a program that needs more packets than memory has room for ends with what to do.
func TestTooManyPackets(t *testing.T) {
	p := &program{}
	p.add(step(0, 0, 1<<30, []uint64{1}))
	s := newStream(networkOf(t, "ideal"), p, 1, "")
	s.longest = 5
	if _, err := s.run(context.Background(), func() {}); err == nil || !strings.Contains(err.Error(), "use fewer bytes, or longer packets (--packet-phits)") {
		t.Error(err)
	}
}

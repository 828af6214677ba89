package noctest

import (
	"maps"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// receipts: a packet that asks for a receipt, and no other, is listed once, before its last copy
// arrives, in the same cycle however far the client steps.
func (s Subject) receipts(t *testing.T) {
	g := s.grid()
	script := s.script(g, 5, 300, 0.3)
	for i := range script {
		script[i].packet.Receipt = i%3 > 0
	}
	far := sentIn(t, s.build(t, g, 1), script, manyCycles)
	if near := sentIn(t, s.build(t, g, 1), script, 1); !maps.Equal(far, near) {
		t.Errorf("receipts come at other times when every cycle is stepped alone: %v and %v", near, far)
	}
	if len(far) < len(script)/2 {
		t.Errorf("%d receipts of %d packets", len(far), len(script))
	}
}

// sentIn plays a script, in steps of up to so many cycles, and returns when each packet had left.
func sentIn(t *testing.T, n noc.Network, script []offer, step noc.Cycle) map[noc.Tag]noc.Cycle {
	t.Helper()
	left, sent := map[noc.Tag]int{}, map[noc.Tag]noc.Cycle{}
	for next := 0; next < len(script) || n.InFlight() > 0; {
		if n.Now() > 100_000 {
			t.Fatalf("%d deliveries are missing", n.InFlight())
		}
		for _, r := range n.Sent() {
			p := &script[r.Tag].packet
			if _, twice := sent[r.Tag]; twice || !p.Receipt || r.Src != p.Src || r.Class != p.Class {
				t.Fatalf("cycle %d: receipt %+v of %+v", n.Now(), r, *p)
			}
			sent[r.Tag] = n.Now()
		}
		for _, d := range n.Deliveries() {
			left[d.Tag]--
			if _, told := sent[d.Tag]; left[d.Tag] == 0 && script[d.Tag].packet.Receipt && !told {
				t.Fatalf("cycle %d: all of packet %d has arrived, and it has not left", n.Now(), d.Tag)
			}
		}
		until := n.Now() + step
		for ; next < len(script); next++ {
			if at := script[next].at; at > n.Now() {
				until = min(until, at)
				break
			}
			p := script[next].packet
			if !n.Offer(p) {
				break
			}
			left[p.Tag] = p.Dst.Count()
		}
		n.Step(until)
	}
	return sent
}

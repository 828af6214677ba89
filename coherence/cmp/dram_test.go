package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

func testDRAM(perturb noc.Cycle) dram {
	c := Default()
	c.Perturb = perturb
	return newDRAM(c, 1)
}

// runDRAM visits only the cycles that next asks for, and returns when each read was done.
func runDRAM(d *dram) map[coherence.Block]noc.Cycle {
	at := map[coherence.Block]noc.Cycle{}
	now := noc.Cycle(0)
	for {
		for b, ok := d.finished(now); ok; b, ok = d.finished(now) {
			at[b] = now
		}
		d.serve(now)
		if now = d.next(now); now == noc.Never {
			return at
		}
	}
}

// 80 bytes a cycle over 8 controllers serve one block per 6.4 cycles.
func TestDRAMLatencyAndBandwidth(t *testing.T) {
	d := testDRAM(0)
	for b := range coherence.Block(11) {
		d.read(b)
	}
	at := runDRAM(&d)
	for b, want := range []noc.Cycle{260, 266, 272, 279, 285, 292, 298, 304, 311, 317, 324} {
		if at[coherence.Block(b)] != want {
			t.Errorf("read %d was done in cycle %d, want %d", b, at[coherence.Block(b)], want)
		}
	}
}

func TestDRAMPrefersReadsUntilManyWritesWait(t *testing.T) {
	d := testDRAM(0)
	for b := range coherence.Block(writesBeforeReads - 1) {
		d.write(100 + b)
	}
	d.read(1)
	d.serve(0)
	if len(d.done) != 1 {
		t.Fatal("a read waited although fewer than 16 writes did")
	}
	d.write(200)
	d.read(2)
	before := d.writes.Len()
	d.serve(7)
	if d.writes.Len() != before-1 || d.reads.Len() != 1 {
		t.Errorf("with 16 writes waiting a write comes first: %d writes and %d reads left", d.writes.Len(), d.reads.Len())
	}
}

func TestPerturbationStaysInItsBounds(t *testing.T) {
	seen := map[noc.Cycle]bool{}
	d := testDRAM(2)
	for i := range noc.Cycle(200) {
		d.read(1)
		d.serve(i * 1000)
		at := d.done[0].at - i*1000
		if _, ok := d.finished(noc.Never); !ok || at < 258 || at > 262 {
			t.Fatalf("a read took %d cycles, want 258 to 262", at)
		}
		seen[at] = true
	}
	if len(seen) != 5 {
		t.Errorf("200 reads took %d different times, want all 5", len(seen))
	}
}

func TestAlarmsFireInOrderOfTimeCoreAndSlot(t *testing.T) {
	r := random.Stream(7)
	var h timerHeap
	for range 500 {
		v := r.Uint64()
		h.push(coreTimer{coherence.Timer{At: noc.Cycle(v % 50), Slot: uint16(v >> 8 % 4)}, uint16(v >> 16 % 16)})
	}
	last := h.pop()
	for len(h) > 0 {
		next := h.pop()
		if next.before(last) {
			t.Fatalf("%+v fired after %+v", next, last)
		}
		last = next
	}
}

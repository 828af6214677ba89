package frames

import (
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

func TestFirstTouchOrder(t *testing.T) {
	var c Counter
	a, b := NewMap(&c), NewMap(&c)
	for _, step := range []struct {
		m             *Map
		virtual, want uint64
	}{
		{a, 0x40007ffd38, 0xd38}, {a, 0x40fc40, 0x1c40}, {b, 0x40fc40, 0x2c40}, {a, 0x4000_7fff_ff, 0xfff},
		{b, 0, 0x3000}, {a, 0x40ffff, 0x1fff}, {a, ^uint64(0), 0x4fff},
	} {
		if got := step.m.Physical(step.virtual); got != step.want {
			t.Errorf("%#x maps to %#x, want %#x", step.virtual, got, step.want)
		}
	}
	if c.next != 5 || len(a.Pages()) != 3 || a.Pages()[1] != (traces.Page{Virtual: 0x40f, Frame: 1}) {
		t.Errorf("%d frames, pages %v", c.next, a.Pages())
	}
}

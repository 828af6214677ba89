package riscv_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/workloads/riscv"
)

// TestWindowsBetweenBarriers: whatever the router, a window has the same work, and begins warm. Two
// machines of a window share no state, also when they are executed at the same time.
func TestWindowsBetweenBarriers(t *testing.T) {
	p := kernel(t, nil, "barriers", 8, 4)
	list := must.Get(p.Windows(t.Context(), riscv.WindowConfig{Windows: 4, Instructions: 2000}))
	if list.Len() != 4 || !strings.HasPrefix(list.Drawn, "from barrier to barrier, of at least 2000 instructions") {
		t.Fatalf("%d windows, drawn %s", list.Len(), list.Drawn)
	}
	results := make([][4]cmp.Result, 4)
	var all sync.WaitGroup
	for i := range list.Len() {
		for k, router := range []string{"mrr", "base", "mrr", "base"} {
			all.Go(func() { results[i][k] = on(t, router, list.Open(i), nil) })
		}
	}
	all.Wait()
	for i, r := range results {
		if r[0].Digest != r[2].Digest || r[1].Digest != r[3].Digest {
			t.Errorf("window %d has another digest when it is executed again", i)
		}
		mrr, base := float64(r[0].Instructions), float64(r[1].Instructions)
		if mrr < 8*2000 || mrr > 8*8000 || math.Abs(mrr/base-1) > 0.03 {
			t.Errorf("window %d has %g instructions on mrr and %g on base", i, mrr, base)
		}
		if cold := on(t, "mrr", list.Open(i), func(c *cmp.Config) { c.Cold = true }); cold.Cycles <= r[0].Cycles {
			t.Errorf("window %d takes %d cycles with warm caches and %d with cold ones", i, r[0].Cycles, cold.Cycles)
		}
	}
}

// TestWindowsWithoutBarriers: windows then have a number of instructions, and the program goes on
// correctly from each of them.
func TestWindowsWithoutBarriers(t *testing.T) {
	for _, name := range []string{"static", "queue-fine", "mutex"} {
		var out bytes.Buffer
		p := kernel(t, &out, name, 4, 4)
		list := must.Get(p.Windows(t.Context(), riscv.WindowConfig{Windows: 3, Instructions: 1000}))
		written := out.Len()
		for i := range list.Len() {
			m := list.Open(i)
			r := on(t, "mrr", m, nil)
			if n := float64(r.Instructions) / 4000; n < 1 || n > 1.05 && name != "mutex" { // whose calls count more
				t.Errorf("%s: window %d has %d instructions, want 4000", name, i, r.Instructions)
			}
			if _, end, err := m.Conclude(t.Context()); err != nil || end != "success" {
				t.Errorf("%s: behind window %d the program ends with %s, %v", name, i, end, err)
			}
		}
		if out.Len() != written {
			t.Errorf("%s: the windows write the program's output again", name)
		}
	}
}

// TestWindowsRefused: windows that a program does not have.
func TestWindowsRefused(t *testing.T) {
	p := kernel(t, nil, "static", 2, 1)
	many := riscv.WindowConfig{Windows: 4, Instructions: 100}
	riscv.KeepAtMost(&many, 1)
	for _, c := range []struct {
		how  riscv.WindowConfig
		want string
	}{
		{riscv.WindowConfig{Windows: -1, Instructions: 1}, "windows is -1; 1 to 4096 are allowed"},
		{riscv.WindowConfig{Windows: 1}, "instructions is 0; 1 to"},
		{many, "they keep more than 4096 bytes of memory; choose fewer"},
		{riscv.WindowConfig{Windows: 4, Instructions: 1e9}, "4 windows of 1000000000 instructions per core need 4000000000 of each, and there are"},
	} {
		if _, err := p.Windows(t.Context(), c.how); !errors.Is(err, riscv.ErrWindows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.how, err, c.want)
		}
	}
}

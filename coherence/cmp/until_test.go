package cmp

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// until replays mixed streams, in which cores also skip long runs of plain instructions.
func until(t *testing.T, router string, edit func(*Config)) Result {
	streams := mixedStreams(8, 1500)
	for i := range streams {
		for k := 100 * i; k < 1400; k += 300 {
			streams[i][k].Instructions += 2000
		}
	}
	c := Default()
	edit(&c)
	s := must.Get(New(c, build(t, router), traces.NewMemory(streams, nil), 1))
	r, err := s.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUntil: a run ends in the first cycle in which all cores together have retired so many instructions, or
// after so many cycles, in all forms of the core. Its cores then end in this cycle, and their cycles add up.
func TestUntil(t *testing.T) {
	whole := until(t, "mrr", func(*Config) {})
	for _, x := range []struct {
		instructions uint64
		cycles       noc.Cycle
	}{{1, 0}, {20_001, 0}, {whole.Instructions * 2 / 3, 0}, {0, 1}, {0, 777}, {0, whole.Cycles / 2}, {20_000, whole.Cycles / 2}} {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			cut := func(c *Config) { c.UntilInstructions, c.UntilCycles = x.instructions, x.cycles }
			want := until(t, "mrr", func(c *Config) { cut(c); c.Core.Plain = true })
			if n := want.Instructions; x.instructions > 0 && x.cycles == 0 && (n < x.instructions || n >= x.instructions+8*4) {
				t.Errorf("it ends after %d instructions, want %d or fewer than 32 more", n, x.instructions)
			}
			if x.instructions == 0 && want.Cycles != x.cycles {
				t.Errorf("it ends in cycle %d, want %d", want.Cycles, x.cycles)
			}
			if want.DrainCycles != 0 || want.Cycles >= whole.Cycles {
				t.Errorf("it takes %d cycles and %d to become quiet; the whole run takes %d", want.Cycles, want.DrainCycles, whole.Cycles)
			}
			for name, edit := range map[string]func(*Config){"fast": func(*Config) {}, "every cycle": func(c *Config) { c.EveryCycle = true }, "checked": func(c *Config) { c.CheckEvery = 100 }} {
				got := until(t, "mrr", func(c *Config) { cut(c); edit(c) })
				if got.Digest != want.Digest || got.Cycles != want.Cycles || got.Instructions != want.Instructions {
					t.Errorf("%s: %d cycles, %d instructions, digest %x; the plain core %d, %d, %x", name, got.Cycles, got.Instructions, got.Digest, want.Cycles, want.Instructions, want.Digest)
				}
				for i, core := range got.Cores {
					sum, components := core.RetiringCycles, core.RetiringCycles
					for _, n := range core.StallCycles {
						sum += n
					}
					for _, n := range core.ComponentCycles {
						components += n
					}
					if core.FinishCycle != got.Cycles || sum != uint64(got.Cycles) || components != sum || core.StallCycles != want.Cores[i].StallCycles {
						t.Errorf("%s: core %d ends in cycle %d of %d, its cycles add up to %d and %d, stalls %v; of the plain core %v", name, i, core.FinishCycle, got.Cycles, sum, components, core.StallCycles, want.Cores[i].StallCycles)
					}
				}
			}
		})
	}
}

// TestUntilBeyondTheEnd: a limit that is never reached changes nothing.
func TestUntilBeyondTheEnd(t *testing.T) {
	want := until(t, "base", func(*Config) {})
	got := until(t, "base", func(c *Config) { c.UntilInstructions, c.UntilCycles = 1<<40, 1<<40 })
	if got.Digest != want.Digest || got.Cycles != want.Cycles || got.DrainCycles != want.DrainCycles || got.Instructions != want.Instructions {
		t.Errorf("it has %d cycles and digest %x; without a limit %d, %x", got.Cycles, got.Digest, want.Cycles, want.Digest)
	}
}

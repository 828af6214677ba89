package riscv_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/tracetest"
	"github.com/carousel-sim/carousel/workloads/riscv"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// kernel loads one of the kernels.
func kernel(t testing.TB, out *bytes.Buffer, name string, threads, scale int) *riscv.Program {
	t.Helper()
	c := riscv.DefaultConfig()
	c.Threads, c.Arguments = threads, []string{name, fmt.Sprint(threads), fmt.Sprint(scale)}
	if out != nil {
		c.Output = out
	}
	p := must.Get(riscv.Load("kernels", kernels.Executable, c))
	return p
}

// on runs a source on a chip.
func on(t testing.TB, router string, source traces.Source, change func(*cmp.Config)) cmp.Result {
	t.Helper()
	return riscv.OnChip(t, router, source, 1, change)
}

// live starts a program.
func live(t testing.TB, p *riscv.Program) *riscv.Machine {
	t.Helper()
	m := must.Get(p.Start(t.Context()))
	return m
}

// finishAll runs a machine to the end of its program.
func finishAll(t testing.TB, m *riscv.Machine) {
	t.Helper()
	if _, end, err := m.Conclude(t.Context(), false); err != nil || end != "success" {
		t.Fatalf("the program ends with %s, %v", end, err)
	}
}

// recording records a program into memory.
func recording(t testing.TB, p *riscv.Program) traces.Source {
	t.Helper()
	var b bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a program that does not end
	defer cancel()
	if _, err := riscv.Record(ctx, p, record.DefaultConfig(), traces.ToStream(&b, traces.DefaultWriterConfig())); err != nil {
		t.Fatal(err)
	}
	f := must.Get(traces.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()), traces.DefaultReaderConfig()))
	must.Get(f.Verify())
	w := must.Get(f.Window(0))
	return w
}

// TestVariablesOfHotBlocks: two threads add to a variable, and the program and its recording name
// it.
func TestVariablesOfHotBlocks(t *testing.T) {
	compiler, err := exec.LookPath("riscv64-linux-gnu-gcc")
	if err != nil {
		t.Skip("no compiler for RISC-V")
	}
	folder := t.TempDir()
	source, executable := filepath.Join(folder, "two.c"), filepath.Join(folder, "two")
	text := `#include <pthread.h>
		long counter;
		static void *count(void *unused) { for (int i = 0; i < 200; i++) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); return 0; }
		int main(void) { pthread_t other; pthread_create(&other, 0, count, 0); count(0); return pthread_join(other, 0); }`
	must.Do(os.WriteFile(source, []byte(text), 0o600))
	if out, err := exec.Command(compiler, "-O1", "-static", "-pthread", "-o", executable, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := must.Get(riscv.Open(executable, riscv.DefaultConfig()))
	for form, source := range map[string]traces.Source{"live": live(t, p), "replay": recording(t, p)} {
		hottest := on(t, "mrr", source, nil).HotBlocks
		named := slices.IndexFunc(hottest, func(b cmp.HotBlock) bool {
			names, err := source.(traces.Named).SymbolsAt(b.Address, b.Used())
			return err == nil && slices.Contains(names, "counter")
		})
		if named < 0 {
			t.Errorf("%s: none of %d blocks is named counter", form, len(hottest))
		}
	}
}

// A program whose threads do not wait for each other makes the same accesses in the same cycles
// live and as replay of its recording.
func TestLiveEqualsReplay(t *testing.T) {
	p := kernel(t, nil, "static", 16, 1)
	want, got := on(t, "mrr", recording(t, p), nil), on(t, "mrr", live(t, p), nil)
	if got.Digest != want.Digest || got.Cycles != want.Cycles || got.Instructions != want.Instructions {
		t.Errorf("live takes %d cycles for %d instructions, digest %x; replay %d for %d, %x",
			got.Cycles, got.Instructions, got.Digest, want.Cycles, want.Instructions, want.Digest)
	}
}

// The plain core and the fast one execute programs in the same way.
func TestPlainCoreExecutesTheSame(t *testing.T) {
	for _, name := range []string{"mutex", "flags", "barriers"} {
		for _, sequential := range []bool{false, true} {
			var results [2]cmp.Result
			for i := range results {
				results[i] = on(t, "mrr", live(t, kernel(t, nil, name, 4, 1)), func(c *cmp.Config) {
					c.Core.Plain, c.Core.SequentialConsistency = i == 0, sequential
				})
			}
			if results[0].Digest != results[1].Digest || results[0].Cycles != results[1].Cycles {
				t.Errorf("%s, sequential %t: the plain core takes %d cycles, digest %x; the fast one %d, %x", name, sequential,
					results[0].Cycles, results[0].Digest, results[1].Cycles, results[1].Digest)
			}
		}
	}
}

// TestTicketsAreGivenOut: in a replay whichever core is free takes the next task. The plain core
// and the fast one agree, all is done, and and cores do not do what was recorded of them.
func TestTicketsAreGivenOut(t *testing.T) {
	for _, sequential := range []bool{false, true} {
		p := kernel(t, nil, "queue-fine", 8, 2)
		var results [2]cmp.Result
		for i := range results {
			results[i] = on(t, "mrr", recording(t, p), func(c *cmp.Config) { c.Core.Plain, c.Core.SequentialConsistency = i == 0, sequential })
		}
		if results[0].Digest != results[1].Digest || results[0].Cycles != results[1].Cycles {
			t.Errorf("sequential %t: the plain core takes %d cycles, digest %x; the fast one %d, %x", sequential,
				results[0].Cycles, results[0].Digest, results[1].Cycles, results[1].Digest)
		}
		file := recording(t, p).(*traces.File)
		sum := traces.Survey{Totals: file.Totals()}.Sum()
		if got := &results[0]; sum.Tickets < 700 || got.Instructions != sum.Instructions || got.Loads != sum.Loads || got.Atomics != sum.Atomics {
			t.Errorf("%d instructions, %d loads, %d atomics; the trace has %+v", got.Instructions, got.Loads, got.Atomics, sum)
		}
		moved := false
		for core, c := range results[0].Cores {
			moved = moved || c.Instructions != file.Totals()[core].Instructions
		}
		if !moved {
			t.Error("each core has done what was recorded of it")
		}
	}
}

// Every kernel computes on the chip, whatever its protocol, what it computes without one.
func TestKernelsComputeTheSame(t *testing.T) {
	for i, k := range kernels.Table {
		var want, got bytes.Buffer
		m := live(t, kernel(t, &want, k.Name, 6, 1))
		finishAll(t, m)
		m = live(t, kernel(t, &got, k.Name, 6, 1))
		protocol := cmp.Protocols[i%len(cmp.Protocols)].Name
		on(t, "base-mc", m, func(c *cmp.Config) { c.Protocol = protocol })
		finishAll(t, m)
		if got.String() != m.Output() {
			t.Errorf("%s keeps %q and writes %q", k.Name, m.Output(), &got)
		}
		if got.String() != want.String() || k.Ordered && want.Len() == 0 {
			t.Errorf("%s under %s writes %q; without a chip %q", k.Name, protocol, &got, &want)
		}
	}
}

// A recording has the locks of a program, for which threads sleep, instead of their exchanges and
// calls, has barriers that threads made by a counter, and holds back what follows a call that
// slept.
func TestRecordingsHaveLocks(t *testing.T) {
	for name, least := range map[string]int{"mutex": 16 * 24 * 3 / 4, "stealing": 40, "barriers": 0} {
		p := kernel(t, nil, name, 16, 1)
		source := recording(t, p)
		locks, marks, meetings := 0, 0, 0
		for core := range source.Cores() {
			records, edges := tracetest.Drain(source, core, 512)
			held := map[uint64]bool{}
			for _, e := range edges {
				held[e.At] = true
			}
			for i, r := range records {
				if r.Kind == traces.Lock && r.Size == traces.Sleeps {
					locks++
				}
				if r.Kind == traces.Barrier && r.Size == traces.Sleeps && r.Count == 16 {
					meetings++
				}
				if r.Kind == traces.Fence && r.Instructions == 0 && held[uint64(i)] {
					marks++
				}
			}
		}
		if locks < least {
			t.Errorf("%s: %d locks that threads sleep for, and not %d", name, locks, least)
		}
		if name == "barriers" && (marks < 15 || meetings != 5*16) { // the first one shows nothing yet
			t.Errorf("%s: %d threads wait for who wakes them before they go on, %d for others", name, marks, meetings)
		}
	}
}

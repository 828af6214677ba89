package riscv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads/riscv"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
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
		if mrr < 8*2000 || mrr > 8*8000 || math.Abs(mrr/base-1) > 0.06 {
			t.Errorf("window %d has %g instructions on mrr and %g on base", i, mrr, base)
		}
		if r[0].Start == 0 || r[1].Start == 0 {
			t.Errorf("window %d is measured from the start, after cycle %d on mrr", i, r[0].Start)
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
			if n := float64(r.Instructions) / 4000; n < 1 || n > 1.08 && name != "mutex" { // whose calls count more; at the start, some are in flight
				t.Errorf("%s: window %d has %d instructions, want 4000", name, i, r.Instructions)
			}
			if _, end, err := m.Conclude(t.Context(), false); err != nil || end != "success" {
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

// save saves windows into memory.
func save(t testing.TB, p *riscv.Program, list *riscv.Windows) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Get(p.Save(list, record.DefaultConfig(), traces.ToStream(&b, traces.DefaultWriterConfig())))
	return b.Bytes()
}

func opened(content []byte) (*riscv.Windows, error) {
	f, err := traces.OpenReader(bytes.NewReader(content), int64(len(content)), traces.DefaultReaderConfig())
	if err != nil {
		return nil, err
	}
	if _, err := f.Verify(); err != nil {
		return nil, err
	}
	return riscv.OpenWindows(f)
}

// TestSavedWindows: a chip executes saved windows as it executes the windows that were saved. They are
// the same bytes each time, and harts that sleep at a window's start wake from there.
func TestSavedWindows(t *testing.T) {
	for _, name := range []string{"barriers", "mutex", "flags"} {
		p := kernel(t, nil, name, 4, 4)
		list := must.Get(p.Windows(t.Context(), riscv.WindowConfig{Windows: 3, Instructions: 1000}))
		content := save(t, p, list)
		again := must.Get(p.Windows(t.Context(), riscv.WindowConfig{Windows: 3, Instructions: 1000}))
		if !bytes.Equal(content, save(t, p, again)) {
			t.Errorf("%s: the same windows are saved as other bytes", name)
		}
		back := must.Get(opened(content))
		for i := range list.Len() {
			want, got := on(t, "mrr", list.Open(i), nil), on(t, "mrr", back.Open(i), nil)
			if got.Digest != want.Digest || got.Cycles != want.Cycles || got.Instructions != want.Instructions {
				t.Errorf("%s: window %d takes %d cycles for %d instructions when it is saved, and %d for %d", name, i, got.Cycles, got.Instructions, want.Cycles, want.Instructions)
			}
			if _, end, err := back.Open(i).Conclude(t.Context(), false); err != nil || end != "success" {
				t.Errorf("%s: the program ends with %s, %v", name, end, err)
			}
		}
	}
}

// TestDamagedWindows: a saved file that is cut anywhere, or in which a bit is flipped, is refused.
func TestDamagedWindows(t *testing.T) {
	p := kernel(t, nil, "barriers", 2, 2)
	content := save(t, p, must.Get(p.Windows(t.Context(), riscv.WindowConfig{Windows: 2, Instructions: 500})))
	must.Get(opened(content))
	step := len(content)/200 + 1
	for at := 0; at < len(content); at += step {
		if _, err := opened(content[:at]); !errors.As(err, new(*traces.Error)) {
			t.Errorf("cut after %d of %d bytes: %v", at, len(content), err)
		}
		flipped := bytes.Clone(content)
		flipped[at] ^= 1 << (at % 8)
		if _, err := opened(flipped); !errors.As(err, new(*traces.Error)) {
			t.Errorf("with a bit of byte %d of %d flipped: %v", at, len(content), err)
		}
	}
}

// TestForeignWindows: a file with good checksums whose states no version has written is refused.
func TestForeignWindows(t *testing.T) {
	state := func(text string, more int) []byte {
		return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...), make([]byte, more)...)
	}
	program := fmt.Sprintf(`{"Program":{"Name":"kernels","Threads":1,"Bytes":%d}}`, len(kernels.Executable))
	for name, content := range map[string][]byte{
		"nothing": {}, "short": {9, 0, 0, 0, '{'}, "no JSON": state("{", 0), "no program": state("{}", 0),
		"executable cut": state(program, 5), "another version": append(state(program, 0), kernels.Executable...),
	} {
		m := traces.DefaultMetadata("x", 1)
		limit := traces.DefaultCacheLimit()
		m.Executes, m.Windows, m.Timestamps = true, []traces.Window{{}}, &limit
		var b bytes.Buffer
		w := must.Get(traces.NewWriter(&b, m, traces.DefaultWriterConfig()))
		must.Do(w.WriteState(0, content))
		must.Do(w.WriteRecords(0, []traces.Record{{Kind: traces.End}}))
		must.Do(w.Close())
		if _, err := opened(b.Bytes()); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Log(name, err)
		}
	}
}

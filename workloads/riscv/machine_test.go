package riscv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// finish runs an executable without a chip and returns what it wrote, its status and its error.
func finish(t *testing.T, content []byte, c Config) (string, int, error) {
	t.Helper()
	var out bytes.Buffer
	c.Output = &out
	p, err := Load("test", content, c)
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m := p.start()
	err = m.run(ctx, func() bool { return false })
	return out.String(), m.status, err
}

// start begins a program whose clone starts a thread with the code behind a branch; code makes what
// each of them does.
func started(t *testing.T, first, second func(p *program)) []byte {
	p := &program{t: t}
	p.set(a0, cloneMemory|cloneThread)
	p.set(a1, dataAt+2048)
	p.set(a2, 0)
	p.call(220)
	at := len(p.code)
	p.code = append(p.code, 0)
	first(p)
	p.code[at] = encode(t, "beq", 0, a0, zero, 4*(len(p.code)-at))
	second(p)
	return p.elf()
}

func exits(status int) func(p *program) {
	return func(p *program) { p.set(a0, status); p.call(94) }
}

// sleeps lets a thread sleep on a word that stays zero.
func sleeps(p *program) {
	p.set(a0, dataAt+8)
	p.set(a1, futexWait)
	p.set(a2, 0)
	p.set(a3, 0)
	p.call(98)
}

// What programs may not do ends with an error that says what, where and what to do.
func TestProgramsThatCannotGoOn(t *testing.T) {
	plainExit := func() *program { p := &program{t: t}; exits(0)(p); return p }
	patched := func(at int, b ...byte) []byte {
		content := plainExit().elf()
		copy(content[at:], b)
		return content
	}
	one := func(code ...func(p *program)) []byte {
		p := &program{t: t}
		for _, c := range code {
			c(p)
		}
		exits(0)(p)
		return p.elf()
	}
	touch := func(p *program, bits int) { // writes to a page, and then says what may be done with it
		p.set(s0, dataAt)
		p.S("sd", s0, s0, 0)
		p.I("addi", a0, s0, 0)
		p.set(a1, pageBytes)
		p.set(a2, bits)
		p.call(226)
	}
	dynamicProgram := patched(64, 3, 0, 0, 0) // PT_INTERP
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"no executable", []byte("#!/bin/sh\n"), "not a program that Carousel can run"},
		{"half a header", plainExit().elf()[:40], "not a program"},
		{"truncated", plainExit().elf()[:4100], "may be truncated"},
		{"another machine", patched(18, 62), "EM_X86_64"},
		{"32 bits", append([]byte{0x7f, 'E', 'L', 'F', 1}, plainExit().elf()[5:]...), "not a program"},
		{"dynamic", dynamicProgram, "linked dynamically; compile it with"},
		{"object file", patched(16, 1), "must be an executable"},
		{"segment far away", patched(64+16+4, 1), "programs must lie between"},
		{"vector instruction", one(func(p *program) { p.code = append(p.code, 0x02008057) }), "thread 0 at 0x10000: instruction 0x02008057 is not supported; compile for RV64GC"},
		{"compressed", one(func(p *program) { p.code = append(p.code, 0x00000000) }), "instruction 0x0000 is not supported"},
		{"ebreak", one(func(p *program) { p.I("ebreak", 0, 0, 0) }), "ebreak"},
		{"system call", one(func(p *program) { p.call(198) }), "system call 198 is not supported"},
		{"signal", one(func(p *program) { p.set(a1, 0); p.set(a2, 6); p.call(131) }), "SIGABRT"},
		{"fork", one(func(p *program) { p.set(a0, 17); p.call(220) }), "only threads are supported"},
		{"no futex operation", one(func(p *program) { p.set(a0, dataAt); p.set(a1, 99); p.call(98) }), "futex operation 99 is not supported"},
		{"priority lock", one(func(p *program) { p.set(a0, dataAt); p.set(a1, 6); p.call(98) }), "FUTEX_LOCK_PI is not supported"},
		{"wild load", one(func(p *program) { p.I("ld", a0, zero, 64) }), "reads address 0x40"},
		{"store to code", one(func(p *program) { p.set(a0, codeAt); p.S("sd", a0, a0, 0) }), "writes address 0x10000"},
		{"jump to nowhere", one(func(p *program) { p.I("jalr", zero, zero, 64) }), "executes address 0x40, which is not executable"},
		{"jump to data", one(func(p *program) { p.set(a0, dataAt); p.I("jalr", zero, a0, 0) }), "executes address 0x20000, which is not executable"},
		{"jump to the stack", one(func(p *program) { p.I("jalr", zero, stack, 0) }), "which is not executable"},
		{"load from a guarded page", one(func(p *program) { touch(p, 0); p.I("ld", a0, s0, 0) }), "reads address 0x20000, which is not readable"},
		{"load from code that is not for reading", one(func(p *program) { touch(p, 4); p.I("ld", a0, s0, 0) }), "reads address 0x20000, which is not readable"},
		{"store to a page for reading", one(func(p *program) { touch(p, 1); p.S("sd", s0, a0, 0) }), "writes address 0x20000, which is not writable"},
		{"jump to a page for reading", one(func(p *program) { touch(p, 3); p.I("jalr", zero, s0, 0) }), "executes address 0x20000"},
		{"instruction that reaches into data", one(func(p *program) { // its second half is not executable
			touch(p, 7)
			p.set(t0, int(encode(p.t, "addi", a0, zero, 0, 1)&0xffff))
			p.set(t1, dataAt+pageBytes)
			p.S("sh", t1, t0, -2)
			p.I("jalr", zero, t1, -2)
		}), "executes address 0x20ffe"},
		{"crooked atomic", one(func(p *program) { p.set(a0, dataAt+2); p.R("amoadd.w", a1, a0, a2) }), "no multiple of 4"},
		{"control register", one(func(p *program) { p.I("csrrs", a0, zero, 0x300) }), "control register 0x300"},
		{"too many threads", started(t, func(p *program) {
			p.set(a0, cloneMemory|cloneThread)
			p.call(220)
		}, sleeps), "it starts thread 3, and there are 2 cores, one for each thread; give it fewer threads, or the chip more cores: --threads 3"},
		{"deadlock", started(t, sleeps, sleeps), "deadlock: all threads sleep, and none is left to wake them: thread 0 at 0x10"},
	} {
		config := DefaultConfig()
		config.Threads = 2
		_, _, err := finish(t, c.content, config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

// A thread that ends the program ends the others, wherever they are; one that ends itself leaves
// the others and its hart.
func TestThreadsEnd(t *testing.T) {
	forever := func(p *program) { p.I("jal", zero, 0, 0) }
	for name, content := range map[string][]byte{
		"while another one runs":           started(t, forever, exits(7)),
		"while another one sleeps":         started(t, sleeps, exits(7)),
		"with more bits than a status has": started(t, forever, exits(7-1024)),
		"with the status of the first thread, if no thread ends all": started(t, func(p *program) {
			p.set(a0, 7)
			p.call(93)
		}, func(p *program) {
			p.set(t0, 3000)
			p.I("addi", t0, t0, -1)
			p.S("bne", t0, zero, -4)
			p.set(a0, 5)
			p.call(93)
		}),
		"alone": started(t, func(p *program) { p.call(93) }, func(p *program) {
			p.set(a0, cloneMemory|cloneThread) // on the hart of the first
			p.set(a1, 0)
			p.call(220)
			exits(7)(p)
		}),
	} {
		config := DefaultConfig()
		config.Threads = 2
		if _, status, err := finish(t, content, config); err != nil || status != 7 {
			t.Errorf("%s: status %d, %v; want 7", name, status, err)
		}
	}
}

// recorded records a program of two threads, without fetches.
func recorded(t *testing.T, content []byte) tracetest.Trace {
	t.Helper()
	config := DefaultConfig()
	config.Threads, config.Fetches = 2, false
	var file bytes.Buffer
	must.Get(Record(t.Context(), must.Get(Load("test", content, config)), record.DefaultConfig(), traces.ToStream(&file, traces.DefaultWriterConfig())))
	return tracetest.Read(t, file.Bytes())
}

// TestNobodyWakes: threads that sleep until a time are not ordered by each other.
func TestNobodyWakes(t *testing.T) {
	rests := func(p *program) {
		const monotonic, absolute = 1, 1
		p.set(t0, dataAt)
		p.set(t1, 1)
		p.S("sd", t0, t1, 0)
		p.set(a0, monotonic)
		p.set(a1, absolute)
		p.set(a2, dataAt)
		p.call(115)
		p.call(93)
	}
	m := recorded(t, threads(t, rests, rests))
	for core, edges := range m.Edges {
		for _, e := range edges {
			if r := m.Records[core][e.At]; r.Kind != traces.Load {
				t.Errorf("core %d, record %d, %+v, waits for record %d", core, e.At, r, e.Position)
			}
		}
	}
}

// TestJoins: where a thread waits for the end of another one, by sleeping or because that is later in a replay, there is
// the record of a join. A core that runs one thread after the other is idle between them.
func TestJoins(t *testing.T) {
	p := &program{t: t}
	work := func(n int) { p.set(t2, n); p.I("addi", t2, t2, -1); p.S("bne", t2, zero, -4) }
	for _, long := range [][2]int{{4000, 1}, {1, 4000}, {4000, 1}} { // work of a thread, and of the first one
		p.set(a0, cloneMemory|cloneThread|cloneClearing|cloneChild)
		p.set(a1, 0)
		p.set(a4, dataAt)
		p.call(220)
		p.S("bne", a0, zero, 32)
		work(long[0])
		p.call(93)
		work(long[1])
		p.set(a0, dataAt)
		p.I("lw", a2, a0, 0)
		p.S("beq", a2, zero, 44)
		p.set(a1, futexWait)
		p.set(a3, 0)
		p.call(98)
		p.set(a0, dataAt)
		p.I("jal", zero, 0, -44)
	}
	p.call(94)
	m := recorded(t, p.elf())
	tracetest.Check(t, m.Source())
	got := []string{}
	for core, records := range m.Records {
		for at, r := range records {
			var after []traces.Edge
			for _, e := range m.Edges[core] {
				if e.At == uint64(at) {
					after = append(after, e)
				}
			}
			switch {
			case r.Kind == traces.Join && r.Count == traces.ByEdge && len(after) == 1 && m.Records[1][after[0].Position].Address == physical(dataAt):
				got = append(got, fmt.Sprint(core, " joins ", r.Address))
			case r.Kind == traces.Create || r.Kind == traces.Join || r.Count != 0 || len(after) > 0:
				got = append(got, fmt.Sprint(core, " ", r.Kind, " ", r.Count, " ", len(after)))
			}
		}
	}
	if want := []string{"0 create 0 0", "0 joins 1", "0 joins 1", "0 joins 1", "1 fence 1 0", "1 atomic 0 1", "1 fence 1 0", "1 fetch 0 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Behind the region a program runs on to its end, whatever markers follow, or for so many instructions.
func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		last   func(p *program)
		status int
		exited bool
	}{"it ends": {exits(3), 3, true}, "it does not end": {func(p *program) { p.I("jal", zero, 0, 0) }, 0, false}} {
		p := &program{t: t}
		p.code = append(p.code, RegionBegin, RegionEnd, RegionBegin, RegionEnd)
		c.last(p)
		loaded := must.Get(Load("test", p.elf(), DefaultConfig()))
		m, err := loaded.Start(t.Context())
		if err == nil {
			err = m.Finish(t.Context(), 20*turn)
		}
		if err != nil || m.status != c.status || m.exited != c.exited {
			t.Errorf("%s: status %d, exited %t, %v", name, m.status, m.exited, err)
		}
	}
}

// A sleep with an end ends in simulated time, without another thread, with and without a chip.
func TestTimeouts(t *testing.T) {
	p := &program{t: t}
	p.set(t0, dataAt)
	p.set(t1, 3)
	p.S("sd", t0, t1, 16) // 3 s
	p.set(a0, dataAt)
	p.set(a1, futexWait)
	p.set(a2, 0)
	p.set(a3, dataAt+16)
	p.call(98)
	p.R("sub", s0, zero, a0)
	p.set(a0, 1)
	p.set(a1, dataAt+32)
	p.call(113)
	p.set(t0, dataAt)
	p.I("ld", a0, t0, 32)
	p.I("slli", a0, a0, 5)
	p.R("xor", a0, a0, s0)
	p.call(94)
	if _, status, err := finish(t, p.elf(), DefaultConfig()); err != nil || status != 3<<5^timedOut {
		t.Errorf("status %d, %v; want %d: a time-out after 3 s", status, err, 3<<5^timedOut)
	}
	loaded := must.Get(Load("test", p.elf(), DefaultConfig()))
	m := loaded.start()
	if onChip(t, m, 0, false); m.status != 3<<5^timedOut {
		t.Errorf("status %d on a chip; want %d", m.status, 3<<5^timedOut)
	}
}

// A program reads files of its folder and no others.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, "data"), []byte("content\n"), 0o666))
	must.Do(os.WriteFile(filepath.Join(folder, "..", "secret"), []byte("secret\n"), 0o666))
	config := DefaultConfig()
	config.Files = folder
	for name, want := range map[string]string{"data": "content\n", "/data": "content\n", "../secret": "", "none": ""} {
		if got, _, err := finish(t, reads(t, name), config); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// Recordings of a program are equal byte by byte, and legal: every edge can be met.
func TestRecordingsAreEqual(t *testing.T) {
	content := started(t, func(p *program) {
		p.set(t0, dataAt)
		p.set(t1, 500)
		p.R("amoadd.d", t2, t0, t1)
		p.I("addi", t1, t1, -1)
		p.S("bne", t1, zero, -8)
		sleeps(p)
		exits(0)(p)
	}, func(p *program) {
		p.set(t0, dataAt)
		p.I("ld", t1, t0, 0)
		p.S("beq", t1, zero, -4)
		p.set(t1, 3000)
		p.S("sd", t0, t1, 64)
		p.I("addi", t1, t1, -1)
		p.S("bne", t1, zero, -8)
		exits(0)(p)
	})
	var files [2]bytes.Buffer
	for i := range files {
		config := DefaultConfig()
		config.Threads = 3
		p := must.Get(Load("test", content, config))
		if _, err := Record(t.Context(), p, record.DefaultConfig(), traces.ToStream(&files[i], traces.DefaultWriterConfig())); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two recordings differ")
	}
	f := must.Get(traces.OpenReader(bytes.NewReader(files[0].Bytes()), int64(files[0].Len()), traces.DefaultReaderConfig()))
	if _, err := f.Verify(); err != nil {
		t.Error(err)
	}
	if sum := (traces.Survey{Totals: f.Totals()}).Sum(); sum.Edges == 0 || sum.Atomics != 500 || sum.Stores != 3000 {
		t.Errorf("the recording has %+v; want edges, 500 atomics and 3000 stores", sum)
	}
}

// Whatever an executable holds, it runs, is refused, or ends with a fault.
func FuzzLoad(f *testing.F) {
	p := &program{t: f}
	p.set(a0, 1)
	p.call(94)
	f.Add(p.elf())
	f.Add(binary.LittleEndian.AppendUint64([]byte("\x7fELF\x02\x01\x01"), 0))
	f.Fuzz(func(t *testing.T, content []byte) {
		config := DefaultConfig()
		config.Threads = 2
		p, err := Load("test", content, config)
		if err != nil {
			return
		}
		m := p.start()
		for range 20 {
			if m.fault == nil && !m.over && m.harts[0].awake() {
				m.harts[0].forward(200)
			}
		}
	})
}

// Every bit pattern decodes to something, and what decodes has a name and registers in range.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(0x00000013))
	f.Add(uint32(0x0001))
	f.Fuzz(func(t *testing.T, raw uint32) {
		in := decode(raw)
		if in.kind != stops && in.exec == nil || in.rd > 63 || in.r1 > 63 || in.r2 > 63 || in.r3 > 63 || in.bytes != 2 && in.bytes != 4 {
			t.Errorf("%#x decodes to %+v", raw, in)
		}
	})
}

// TestMeeting: threads meet where one wakes all others. One that waits for the end of another need not be there, but one
// that sleeps for another reason does.
func TestMeeting(t *testing.T) {
	for _, joins := range []bool{false, true} {
		m := &Machine{borders: borders{counts: map[uint64]uint64{}}}
		for i := range uint64(4) {
			m.harts = append(m.harts, &hart{started: true, cleared: 64 * (i + 1)})
		}
		m.harts[0].sleep = &sleep{address: 8}
		if joins {
			m.harts[0].sleep.address = m.harts[1].cleared
		}
		if m.wakesAll(4, 2); m.borders.met != joins {
			t.Errorf("a thread joins: %t; all threads have met: %t", joins, m.borders.met)
		}
	}
}

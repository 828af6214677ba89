package riscv

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestLibraryCallsAreRecords: records stand for what functions of the C library do, from their calls to
// their returns, if the executable has symbols. Dependences lead over them.
func TestLibraryCallsAreRecords(t *testing.T) {
	names := []string{"pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_barrier_wait"}
	const lock, meets, data = dataAt + 64, dataAt + 128, dataAt + 256
	starts := map[string]int{}
	call := func(p *program, name string, object int) {
		p.set(a0, object)
		p.I("jal", ra, 0, 4*(starts[name]-len(p.code)))
	}
	functions := func(p *program) {
		over := len(p.code)
		p.code = append(p.code, 0)
		for _, name := range names {
			starts[name] = len(p.code)
			p.I("addi", stack, stack, -16)
			p.set(t1, 1)
			p.R("amoadd.w", t2, a0, t1)
			if name == "pthread_barrier_wait" { // until both have added
				p.set(t1, 2)
				p.I("lw", t2, a0, 0)
				p.S("blt", t2, t1, -4)
			}
			p.I("addi", a0, zero, 0)
			if name == "pthread_rwlock_tryrdlock" {
				p.I("addi", a0, zero, 16) // it fails
			}
			p.I("addi", stack, stack, 16)
			p.I("jalr", zero, ra, 0)
		}
		p.code[over] = encode(t, "jal", 0, 0, 0, 4*(len(p.code)-over))
	}
	body := func(p *program) {
		p.set(stack, dataAt+dataBytes)
		p.set(s0, data)
		p.I("ld", s1, s0, 0)
		call(p, "pthread_rwlock_rdlock", lock)
		p.R("add", s0, s0, s1)
		p.I("ld", t0, s0, 8) // its address comes from the load before the call
		call(p, "pthread_rwlock_unlock", lock)
		call(p, "pthread_barrier_wait", meets)
		call(p, "pthread_rwlock_tryrdlock", lock)
		call(p, "pthread_rwlock_wrlock", lock)
		p.S("sd", s0, t0, 16)
		call(p, "pthread_rwlock_unlock", lock)
		p.call(93)
	}
	config := DefaultConfig()
	config.Threads, config.Fetches = 2, false
	p := must.Get(Load("test", threads(t, func(p *program) { functions(p); body(p) }, body), config))
	for name, at := range starts {
		p.symbols = append(p.symbols, elf.Symbol{Name: name, Value: codeAt + 4*uint64(at)})
	}
	var file bytes.Buffer
	must.Get(Record(t.Context(), p, record.DefaultConfig(), traces.ToStream(&file, traces.DefaultWriterConfig())))
	m := tracetest.Read(t, file.Bytes())
	const shared = traces.Shared | traces.Sleeps
	type event struct {
		kind    traces.Kind
		size    uint8
		count   uint16
		address uint64
	}
	own, meeting := traces.LockWord|physical(lock), traces.LockWord|physical(meets) // the words are in the program's memory
	want := []event{{traces.Load, 3, 0, physical(data)}, {traces.Lock, shared, 0, own}, {traces.Load, 3, 0, physical(data + 8)}, {traces.Unlock, shared | traces.Exchanges, 0, own},
		{traces.Barrier, traces.Exchanges, 2, meeting}, {traces.Lock, traces.Sleeps, 0, own}, {traces.Store, 3, 0, physical(data + 16)}, {traces.Unlock, traces.Sleeps, 0, own}}
	for core, records := range m.Records {
		at, instructions := 0, 0
		for i, r := range records {
			if at > 0 && at < len(want) {
				instructions += int(r.Instructions)
			}
			if at < len(want) && (event{r.Kind, r.Size, r.Count, r.Address}) == want[at] {
				if at++; at == 3 && r.Dependence != 1 {
					t.Errorf("core %d, record %d depends on access -%d, want 1", core, i, r.Dependence)
				}
			} else if (r.Kind == traces.Atomic || !r.Kind.IsAccess()) && at > 0 && at < len(want) {
				t.Errorf("core %d, record %d is of a function that is left out: %+v", core, i, r)
			}
		}
		if at < len(want) {
			t.Errorf("core %d: %v is missing in %v", core, want[at], records)
		}
		if instructions != 21 {
			t.Errorf("core %d: %d instructions; those of functions are left out", core, instructions)
		}
	}
}

package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func encode(messages ...message) []byte {
	var b []byte
	for _, m := range messages {
		b = binary.LittleEndian.AppendUint64(b, m.value)
		b = binary.LittleEndian.AppendUint32(b, m.instructions|uint32(m.distance)<<instructionBits)
		size := m.size | uint8(m.flags)
		if m.system {
			size |= uint8(bySystem)
		}
		b = append(b, byte(m.kind), size)
		b = binary.LittleEndian.AppendUint16(b, m.thread)
	}
	return b
}

var hello = message{kind: kindProcess, value: streamVersion, instructions: 1}

// converted runs streams of processes, one after the other, through the converter.
func converted(t *testing.T, c Config, streams ...[]byte) (*tracetest.Trace, *converter, error) {
	t.Helper()
	m := traces.DefaultMetadata("test", c.Cores)
	var out bytes.Buffer
	w := must.Get(traces.NewWriter(&out, m, traces.DefaultWriterConfig()))
	k := newConverter(c, w)
	messages := make([]message, 3)
	for _, b := range streams {
		from, p := newStream(bytes.NewReader(b)), k.newProcess()
		for {
			n, err := from.next(messages)
			if err == io.EOF {
				break
			}
			if err == nil {
				err = k.takeAll(p, messages[:n])
			}
			if err != nil {
				return nil, k, err
			}
		}
		if err := k.leave(p); err != nil {
			return nil, k, err
		}
	}
	if err := k.finish(); err != nil {
		return nil, k, err
	}
	if err := w.Close(); err != nil {
		return nil, k, err
	}
	f := must.Get(traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig()))
	defer f.Close()
	if _, err := f.Verify(); err != nil && !errors.Is(err, traces.ErrAddress) {
		t.Fatal(err)
	}
	return slurp(t, f), k, nil
}

func config(cores int, mapping ...int) Config {
	c := DefaultConfig()
	c.Program, c.Cores, c.Mapping = []string{"test"}, cores, mapping
	return c
}

func TestRules(t *testing.T) {
	m, _, err := converted(t, config(1), encode(hello,
		message{kind: kindFetch, value: 0x400000, instructions: 1, size: 6},
		message{kind: kindLoad, value: 0x7000, size: 3},
		message{kind: kindStore, value: 0x703c, instructions: 4, size: 3},
		message{kind: kindAtomic, value: 0x7040, instructions: 2, size: 2},
		message{kind: kindEnded, instructions: 5}, message{kind: kindOver}))
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Record{
		{Kind: traces.Fetch, Address: 0, Instructions: 1, Size: 6},
		{Kind: traces.Load, Address: 0x1000, Size: 3},
		{Kind: traces.Store, Address: 0x103c, Instructions: 4, Size: 2},
		{Kind: traces.Store, Address: 0x1040, Size: 2},
		{Kind: traces.Atomic, Address: 0x1040, Instructions: 2, Size: 2},
		{Kind: traces.End, Instructions: 5},
	}
	if !reflect.DeepEqual(m.Records[0], want) {
		t.Errorf("%+v\nwant\n%+v", m.Records[0], want)
	}
}

// TestDependencesCountRecords: the plugin counts messages of a thread, and the trace the accesses
// of a core.
func TestDependencesCountRecords(t *testing.T) {
	load := func(thread, distance uint16, address uint64) message {
		return message{kind: kindLoad, thread: thread, value: address, instructions: 1, size: 3, distance: distance}
	}
	for _, c := range []struct {
		name     string
		config   Config
		messages []message
		want     []uint16 // of the records of core 0
	}{
		{"the load before, and two before", config(1), []message{load(0, 0, 0), load(0, 1, 8), load(0, 2, 16)}, []uint16{0, 1, 2, 0}},
		{"a load in two lines counts twice, and its end is waited for", config(1), []message{load(0, 0, 0x3c), load(0, 1, 0x80)}, []uint16{0, 0, 1, 0}},
		{"both parts wait", config(1), []message{load(0, 0, 0), load(0, 1, 0x3c)}, []uint16{0, 1, 2, 0}},
		{"another thread of the core comes between", config(1), []message{load(0, 0, 0), load(1, 0, 8), load(1, 1, 16), load(0, 1, 24)}, []uint16{0, 0, 1, 3, 0}},
		{"devices do not count", config(1), []message{load(0, 0, 0), {kind: kindDevice, instructions: 1}, load(0, 1, 8)}, []uint16{0, 1, 0}},
		{"what a process did before it was recorded is gone", config(1), []message{load(0, 5, 0), load(0, 2, 8), load(0, 2, 8)}, []uint16{0, 0, 2, 0}},
	} {
		m, _, err := converted(t, c.config, encode(append([]message{hello}, c.messages...)...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []uint16
		for _, r := range m.Records[0] {
			got = append(got, r.Dependence)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: dependences %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLongWork: more instructions than fit a message come in one before it.
func TestLongWork(t *testing.T) {
	m, k, err := converted(t, config(1), encode(hello, message{kind: kindWork, value: 5_000_000}, message{kind: kindLoad, value: 8, instructions: 1},
		message{kind: kindUnknown, value: 3}, message{kind: kindOver}))
	if err != nil || m.Records[0][0].Instructions != 5_000_001 || k.counts.instructions != 5_000_001 || k.counts.unknown != 3 {
		t.Errorf("%+v, %+v, %v", m.Records[0], k.counts, err)
	}
}

// TestOrder has one story per way in which a thread comes after another.
func TestOrder(t *testing.T) {
	store := func(thread uint16, address uint64) message {
		return message{kind: kindStore, thread: thread, value: address, instructions: 1}
	}
	load := func(thread uint16, address uint64) message {
		return message{kind: kindLoad, thread: thread, value: address, instructions: 1, size: 2}
	}
	for _, c := range []struct {
		name     string
		config   Config
		messages []message
		edges    [][]traces.Edge
		creates  int
	}{
		{"a read of another thread's write", config(2), []message{store(0, 0x40), load(1, 0x40)}, [][]traces.Edge{nil, {{At: 0, Position: 0, Producer: 0}}}, 0},
		{"a read of other bytes of the line", config(2), []message{store(0, 0x40), load(1, 0x44)}, [][]traces.Edge{nil, nil}, 0},
		{"threads of one core need no order", config(2, 0), []message{store(0, 0x40), load(1, 0x40)}, [][]traces.Edge{nil, nil}, 0},
		{"what a thread left out writes is not waited for", config(2, LeaveOut, 0, 1), []message{store(0, 0x40), store(1, 0), load(2, 0x40)}, [][]traces.Edge{nil, nil}, 0},
		{"a core's first thread is created", config(2), []message{store(0, 0), {kind: kindStarted, thread: 1, value: 0}, store(1, 0x80)}, [][]traces.Edge{nil, nil}, 1},
		{"a core's second thread waits for an edge", config(2), []message{store(0, 0), store(1, 0x40), {kind: kindStarted, thread: 2, value: 1}, store(2, 0x80)},
			[][]traces.Edge{{{At: 1, Position: 0, Producer: 1}}, nil}, 0},
		{"a woken thread comes after who woke it", config(2), []message{store(0, 0), store(1, 0x80), {kind: kindWakes, thread: 1, value: 0x1000},
			{kind: kindWoken, thread: 0, value: 0x1000}, store(0, 0x40)}, [][]traces.Edge{{{At: 1, Position: 0, Producer: 1}}, nil}, 0},
		{"a join sees the cleared word though the word beside it was written since", config(2), []message{store(0, 0), {kind: kindCleared, thread: 1, value: 0x50, size: 2},
			store(0, 0x48), load(0, 0x50)}, [][]traces.Edge{{{At: 2, Position: 0, Producer: 1}}, nil}, 0},
	} {
		m, _, err := converted(t, c.config, encode(append([]message{hello}, c.messages...)...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !reflect.DeepEqual(m.Edges, c.edges) {
			t.Errorf("%s: edges %v, want %v", c.name, m.Edges, c.edges)
		}
		if n, _ := tally(m.Records[0]); n[traces.Create] != c.creates {
			t.Errorf("%s: %d creations, want %d", c.name, n[traces.Create], c.creates)
		}
	}
}

// TestProcesses: the same virtual address is other memory in another process, and no edge joins the
// two.
func TestProcesses(t *testing.T) {
	c := config(2)
	c.Instances = 2
	one := encode(hello, message{kind: kindStore, value: 0x5008, instructions: 1})
	other := hello
	other.instructions = 2
	two := encode(other, message{kind: kindLoad, value: 0x5008, instructions: 1})
	m, k, err := converted(t, c, one, two)
	if err != nil {
		t.Fatal(err)
	}
	if m.Records[0][0].Address != 8 || m.Records[1][0].Address != traces.PageBytes+8 || len(m.Edges[1]) != 0 || k.counts.processes != 2 {
		t.Errorf("%+v", m)
	}
	// A process that introduces itself again executes another program, on the same core.
	m, _, err = converted(t, c, one, one)
	if err != nil || len(m.Records[0]) != 3 || m.Records[0][1].Address != traces.PageBytes+8 || len(m.Records[1]) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestDamagedStreams(t *testing.T) {
	for _, c := range []struct {
		name, problem string
		bytes         []byte
	}{
		{"no introduction", "message 0, byte 0: the plugin does not introduce itself with version 12", encode(message{})},
		{"another version", "introduce itself", encode(message{kind: kindProcess, value: 1})},
		{"two introductions", "message 1, byte 16: the plugin introduces itself twice", encode(hello, hello)},
		{"too large", "an access of 2^7 bytes", encode(hello, message{size: 7})},
		{"unknown kind", "kind 9", encode(hello, message{kind: 9})},
		{"unknown reason", "reason 77", encode(hello, message{kind: kindOver, value: 77})},
	} {
		if _, _, err := converted(t, config(1), c.bytes); !errors.Is(err, errStream) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A process can be killed at any byte.
	whole := encode(hello, message{kind: kindLoad, instructions: 1}, message{kind: kindStore, value: 8, instructions: 1})
	for cut := range whole {
		m, _, err := converted(t, config(1), whole[:cut])
		if want := max(0, cut/messageBytes-1) + 1; err != nil || len(m.Records[0]) != want {
			t.Errorf("cut at %d: %v, %v", cut, m, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Program = nil }, "no program"},
		{func(c *Config) { c.Cores = 0 }, "cores is 0"},
		{func(c *Config) { c.Instances = 0 }, "instances is 0"},
		{func(c *Config) { c.Mapping = []int{0, 16} }, "thread 1 goes to core 16, and the trace has cores 0 to 15"},
		{func(c *Config) { c.Marker, c.Begin = true, "main" }, "one start of the region"},
		{func(c *Config) { c.SkipInstructions, c.Begin = 1, "main" }, "one start of the region"},
		{func(c *Config) { c.Marker, c.End = true, "main" }, "no other end"},
		{func(c *Config) { c.Processor = "" }, "processor model"},
	} {
		d := config(16)
		c.change(&d)
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	if err := config(16, 0, LeaveOut, 15).Validate(); err != nil {
		t.Error(err)
	}
	d := config(16)
	d.Begin, d.End, d.Instructions = "main", "exit", 5
	if got := d.region(); got != "from the entry of main to the entry of exit or for 5 instructions" {
		t.Error(got)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(encode(hello, message{kind: kindStore, value: 0x40}, message{kind: kindStarted, thread: 1}, message{kind: kindLoad, thread: 1, value: 0x40}))
	f.Add(encode(hello, message{kind: kindCleared, value: 0x40, thread: 3, size: 2}, message{kind: kindLoad, value: 0x40}, message{kind: kindWakes}, message{kind: kindWoken, thread: 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = converted(t, config(3), append(encode(hello), b...))
		valued := hello
		valued.size = 1
		_, _, _ = converted(t, config(3), append(encode(valued), b...))
	})
}

// TestProcessorsTakeLocks: a pair of accesses that is an exchange takes a word, another exchange
// releases it, and who finds it taken sleeps. Before the word is trusted the pair has two records;
// from then on a lock has one, and the calls that sleep and wake belong to it.
func TestProcessorsTakeLocks(t *testing.T) {
	const word, beside, rounds = 0x5000, 0x5008, 2 * trustedAfter
	var file bytes.Buffer
	out := must.Get(traces.NewWriter(&file, traces.DefaultMetadata("test", 2), traces.DefaultWriterConfig()))
	p := NewProcessors(2, out)
	take := func(core int, s Step) {
		t.Helper()
		must.Do(p.Take(core, &s))
	}
	access := func(k traces.Kind, address uint64, distance uint16) Step {
		return Step{Record: traces.Record{Kind: k, Address: address, Size: 2, Instructions: 5, Dependence: distance}}
	}
	pair := access(traces.Atomic, word, 0)
	pair.After, pair.Exchange, pair.Pair, pair.Second = 1, true, true, 2
	fails := access(traces.Atomic, word, 0)
	fails.Before, fails.After, fails.Exchange = 1, 2, true
	frees := access(traces.Atomic, word, 0)
	frees.Before, frees.Exchange = 2, true
	for round := range rounds {
		core, other := round%2, 1-round%2
		trusted := round >= trustedAfter
		take(core, access(traces.Load, beside, 0))
		take(core, pair)
		take(core, access(traces.Load, beside, 3)) // its address comes from the load ahead of the pair
		take(other, fails)
		if hides := p.Waits(other, word, false); hides != trusted {
			t.Fatalf("round %d: the call that sleeps belongs to the lock: %t", round, hides)
		}
		take(core, frees)
		if hides := p.Waits(core, word, true); hides != (round >= trustedAfter-1) { // it has been released often enough
			t.Fatalf("round %d: the call that wakes belongs to the lock: %t", round, hides)
		}
		if !trusted {
			p.Wakes(core, other)
			take(other, Step{Record: traces.Record{Kind: traces.Fence}})
		}
	}
	must.Do(p.Close([]uint32{7, 0}))
	must.Do(out.Close())
	m := slurp(t, tracetest.Open(t, file.Bytes()))
	for core, records := range m.Records {
		n, pairs := make([]int, traces.Kinds), 0
		// Untrusted rounds have two atomics of the pair and one that frees; those of the other core one that fails.
		for i, r := range records {
			n[r.Kind]++
			if r.Kind == traces.Atomic && r.Instructions == 2 && records[i-1].Kind == traces.Atomic && records[i-1].Instructions == 3 {
				pairs++
			}
		}
		if pairs != trustedAfter/2 || n[traces.Lock] != trustedAfter/2 || n[traces.Unlock] != trustedAfter/2 || n[traces.Atomic] != 4*trustedAfter/2 || n[traces.Fence] != trustedAfter/2 {
			t.Errorf("core %d: %d pairs, %v", core, pairs, n)
		}
		for i, r := range records {
			if (r.Kind == traces.Lock || r.Kind == traces.Unlock) && (r.Size != traces.Sleeps || r.Address != traces.LockWord|word) {
				t.Errorf("core %d, record %d: %+v", core, i, r)
			}
			if r.Dependence == 3 || r.Dependence == 1 {
				continue // across a pair, or across a lock
			} else if r.Dependence != 0 {
				t.Errorf("core %d, record %d: %+v", core, i, r)
			}
		}
	}
	if edges := len(m.Edges[0]) + len(m.Edges[1]); edges < trustedAfter {
		t.Errorf("%d edges: who was woken comes after who woke it", edges)
	}
}

// TestHalts: a processor that halts leaves a fence in its stream, before what it does when it is interrupted.
func TestHalts(t *testing.T) {
	c := config(2)
	c.System = &System{}
	got, k, err := converted(t, c, encode(hello, message{kind: kindHalts, thread: 1}, does(kindStore, 0, 0x1000, 0), does(kindLoad, 1, 0x1000, 0),
		message{kind: kindHalts, thread: 1}, message{kind: kindOver}))
	if err != nil {
		t.Fatal(err)
	}
	halt := traces.Record{Kind: traces.Fence, Count: traces.Halts}
	if r := got.Records[1]; len(r) != 4 || r[0] != halt || r[1].Kind != traces.Load || r[2] != halt || k.counts.kinds[kindHalts] != 2 {
		t.Errorf("%v, %d halts; want a halt, a load and a halt", r, k.counts.kinds[kindHalts])
	}
}

package record

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

const ticketWord, taskTable = 0x5000, 0x9000

// task is how a processor takes a ticket and then reads, or does something else, by it.
func task(core uint16, number uint64, by kind) []message {
	use := does(by, core, taskTable+8*number, 0)
	use.distance = 1
	return []message{changes(kindAtomic, core, ticketWord, number, number+1, 0), use}
}

// knownTickets is how two processors show that a word gives tickets. It returns the next number.
func knownTickets(by kind) (told []message, next uint64) {
	for next < trustedAfter {
		told = append(told, task(uint16(next%2), next, by)...)
		next++
	}
	return told, next
}

// gives converts what two processors tell and returns the trace and what it says of tickets.
func gives(t *testing.T, told []message) (m *tracetest.Trace, tickets uint64, own [][]uint64, ok bool) {
	t.Helper()
	var b bytes.Buffer
	about := traces.DefaultMetadata("test", 2)
	about.Tickets = true
	out := must.Get(traces.NewWriter(&b, about, traces.DefaultWriterConfig()))
	p := NewProcessors(2, out)
	for i := range told {
		must.Do(p.k.take(p.p, &told[i]))
	}
	must.Do(p.Close([]uint32{0, 0}))
	must.Do(out.Close())
	f := tracetest.Open(t, b.Bytes())
	for _, c := range f.Totals() {
		tickets += c.Tickets
	}
	own, ok = f.Tickets()
	return slurp(t, f), tickets, own, ok
}

// TestWordsGiveTickets: a word gives tickets if threads add one constant to it and read by what
// they fetch.
func TestWordsGiveTickets(t *testing.T) {
	loads, next := knownTickets(kindLoad)
	stores, _ := knownTickets(kindStore)
	var one, kept []message
	for _, m := range loads {
		m.thread = 0
		one = append(one, m)
	}
	for i := range uint64(trustedAfter) { // what is fetched is kept on the stack, and stored by
		core := uint16(i % 2)
		push, pop, use := does(kindStore, core, 0x7000+0x100*uint64(core), 0), does(kindLoad, core, 0x7000+0x100*uint64(core), 0), does(kindStore, core, taskTable+8*i, 0)
		push.distance, pop.distance, use.distance = 1, 2, 1
		kept = append(kept, changes(kindAtomic, core, ticketWord, i, i+1, 0), push, pop, use)
	}
	var groups []message // threads read at one of two places by what they have fetched
	for i, m := range loads {
		m.value -= uint64(i%2) * (m.value - taskTable) / 16 * 16
		groups = append(groups, m)
	}
	tasks := slices.Concat(task(1, next, kindLoad), task(0, next+1, kindLoad))
	reset := changes(kindStore, 0, ticketWord, next, 0, 0)
	for _, x := range []struct {
		name string
		told []message
		want uint64
	}{
		{"tasks", slices.Concat(loads, tasks), 2},
		{"places in a list", slices.Concat(stores, task(1, next, kindStore)), 0},
		{"places in a list, kept in memory", slices.Concat(kept, task(1, next, kindStore)), 0},
		{"one of two places", slices.Concat(groups, []message{changes(kindAtomic, 1, ticketWord, next, next+1, 0)}), 0},
		{"one core", slices.Concat(one, task(0, next, kindLoad)), 0},
		{"a reset", slices.Concat(loads, []message{reset}, task(1, 0, kindLoad), task(0, 1, kindLoad)), 2},
		{"another value", slices.Concat(loads, []message{changes(kindStore, 0, ticketWord, next, 1, 0)}, task(1, 1, kindLoad)), 0},
		{"another constant", slices.Concat(loads, []message{changes(kindAtomic, 0, ticketWord, next, next+2, 0)}, task(1, next+2, kindLoad)), 0},
		{"an exchange", slices.Concat(loads, []message{changes(kindAtomic, 0, ticketWord, next, next+1, exchange)}, task(1, next+1, kindLoad)), 0},
	} {
		m, n, _, ok := gives(t, x.told)
		if n != x.want || ok != (n > 0) {
			t.Errorf("%s: %d tickets, given out %t; want %d", x.name, n, ok, x.want)
		}
		if x.name != "tasks" {
			continue
		}
		for i, core := range []int{1, 0} {
			records := m.Records[core]
			if r := records[len(records)-3]; r.Kind != traces.Atomic || r.Count != traces.TicketCount(uint64(i)) {
				t.Errorf("core %d has %+v", core, records)
			}
		}
	}
}

// TestTicketsReleaseLocks: a core that takes a ticket holds no lock in the trace.
func TestTicketsReleaseLocks(t *testing.T) {
	const lock, data = 0x6000, 0xa000
	tickets, next := knownTickets(kindLoad)
	m, n, _, _ := gives(t, slices.Concat(known(lock), tickets, []message{takes(0, lock), does(kindStore, 0, data, 0)}, task(0, next, kindLoad),
		[]message{frees(0, lock), takes(1, lock), does(kindLoad, 1, data, 0), frees(1, lock)}))
	records := m.Records[0]
	at := slices.IndexFunc(records, func(r traces.Record) bool { return r.Count > 0 })
	if n != 1 || records[at-1].Kind != traces.Unlock {
		t.Errorf("%d tickets; core 0 has %+v", n, records)
	}
	if !slices.ContainsFunc(m.Edges[1], func(e traces.Edge) bool { return e.Position > uint64(at) }) {
		t.Errorf("core 1 takes the lock after %+v, and the ticket is record %d", m.Edges[1], at)
	}
}

// TestTicketsNeedMeetingsOfAll: a recording gives no tickets out if a core that takes some misses
// a barrier. A core that has done nothing before begins after it.
func TestTicketsNeedMeetingsOfAll(t *testing.T) {
	told, next := knownTickets(kindLoad)
	for name, misses := range map[string]bool{"both meet": false, "one misses": true} {
		var b bytes.Buffer
		about := traces.DefaultMetadata("test", 3)
		about.Tickets = true
		out := must.Get(traces.NewWriter(&b, about, traces.DefaultWriterConfig()))
		p := NewProcessors(3, out)
		take := func(list []message) {
			for i := range list {
				must.Do(p.k.take(p.p, &list[i]))
			}
		}
		take(slices.Concat(told, task(0, next, kindLoad)))
		p.Enters(1, Meets, 0x8000, 0)
		other := 0
		if misses {
			other = 2
		}
		p.Enters(other, Meets, 0x8000, 0)
		p.Returns(other, Meets, 0x8000, false)
		p.Returns(1, Meets, 0x8000, false)
		take(task(1, next+1, kindLoad))
		if !misses {
			take(task(2, next+2, kindLoad))
		}
		must.Do(p.Close([]uint32{0, 0, 0}))
		must.Do(out.Close())
		f := tracetest.Open(t, b.Bytes())
		if _, ok := f.Tickets(); ok == misses {
			t.Errorf("%s: tickets are given out: %t", name, ok)
		}
		if _, edges := tracetest.Drain(f, 2, 8); !misses && (len(edges) == 0 || edges[0].At != 0) {
			t.Errorf("%s: core 2 begins without waiting: %v", name, edges)
		}
	}
}

// TestOwnLines: places at which each core finds one line, and no two the same, are lines that
// stand for each other.
func TestOwnLines(t *testing.T) {
	told, next := knownTickets(kindLoad)
	told = slices.Concat(told, task(0, next, kindLoad), task(1, next+1, kindLoad))
	at := func(core uint16, place, address uint64) {
		m := does(kindStore, core, address, 0)
		m.place = place
		told = append(told, m)
	}
	at(0, 1, 0x10000)
	at(0, 1, 0x10008)
	at(1, 1, 0x10040)
	at(0, 2, 0x20000) // one core alone
	at(0, 3, 0x30000) // both cores find one line
	at(1, 3, 0x30000)
	at(0, 4, 0x40000) // a core finds two lines
	at(1, 4, 0x50000)
	at(0, 4, 0x40040)
	at(0, 5, 0x10000) // known already
	at(1, 5, 0x10040)
	at(0, 6, 0x10040) // stands for another core's
	at(1, 6, 0x60000)
	if _, _, own, _ := gives(t, told); !slices.Equal(slices.Concat(own...), []uint64{0x10000 / 64, 0x10040 / 64}) {
		t.Errorf("%#x", own)
	}
}

// TestTicketsOfMachines: where a kernel works, too, tickets are given out if threads stay on their
// processors: if each processor finds one line at a place of the program. Words that the kernel
// changes give none.
func TestTicketsOfMachines(t *testing.T) {
	told, next := knownTickets(kindLoad)
	of := func(m message, place uint64, system bool) message {
		m.place, m.system = place, system
		return m
	}
	kernel := of(does(kindLoad, 0, 0x20000, 0), 0, true)
	told = slices.Concat(told, task(0, next, kindLoad), task(1, next+1, kindLoad), []message{kernel, of(does(kindStore, 0, 0x10000, 0), 1, false)})
	stays, moves := of(does(kindStore, 1, 0x10040, 0), 1, false), of(does(kindStore, 1, 0x10000, 0), 1, false)
	byKernel := of(changes(kindAtomic, 0, ticketWord, next+2, next+3, 0), 0, true)
	for _, x := range []struct {
		name    string
		told    []message
		tickets uint64
		given   bool
	}{
		{"threads stay", slices.Concat(told, []message{stays}, task(0, next+2, kindLoad)), 3, true},
		{"a thread moves", slices.Concat(told, []message{moves}, task(0, next+2, kindLoad)), 3, false},
		{"nothing tells", told, 2, false},
		{"the kernel adds", slices.Concat(told, []message{stays, byKernel}, task(0, next+3, kindLoad)), 2, true},
	} {
		if _, n, _, given := gives(t, x.told); n != x.tickets || given != x.given {
			t.Errorf("%s: %d tickets, given out %t", x.name, n, given)
		}
	}
}

// TestTasksOfPrograms: counters from which the threads of a program take tasks, and those of
// OpenMP, give tickets, and the recorder finds stacks and sums.
func TestTasksOfPrograms(t *testing.T) {
	for name, options := range map[string][]string{"threads": {"-pthread"}, "OpenMP": {"-pthread", "-fopenmp"}} {
		path := filepath.Join(t.TempDir(), "tasks.trace")
		c := DefaultConfig()
		c.Program, c.Cores, c.Environment = []string{compile(t, "tasks.c", options...)}, 8, []string{"OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive"}
		must.Get(Run(t.Context(), c, traces.ToFile(path, traces.DefaultWriterConfig())))
		f := must.Get(traces.Open(path, traces.DefaultReaderConfig()))
		survey := must.Get(f.Verify())
		own, ok := f.Tickets()
		if !ok || survey.Sum().Tickets < 350 || len(own[0]) < 2 {
			t.Errorf("%s: given out %t, %d tickets, own lines %x", name, ok, survey.Sum().Tickets, own)
		}
		f.Close()
	}
}

package record

import (
	"bytes"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

const counterWord, flagWord, dataWord = 0x5000, 0x5004, 0x9000

// meeting is how two processors meet: each adds to a counter, the first one reads the flag, and the last
// one clears the counter and writes the flag.
func meetingOf(first, last uint16, flag uint64) []message {
	return []message{
		does(kindLoad, first, flag, 0), changes(kindAtomic, first, counterWord, 0, 1, 0), does(kindLoad, first, flag, 0),
		does(kindLoad, last, flag, 0), changes(kindAtomic, last, counterWord, 1, 2, 0),
		changes(kindStore, last, counterWord, 2, 0, 0), changes(kindStore, last, flag, 0, 1, 0), does(kindLoad, first, flag, 0),
	}
}

// knownMeeting is how they show that the counter is a barrier.
func knownMeeting(flag uint64) (told []message) {
	for i := range uint16(trustedAfter) {
		told = append(told, meetingOf(i%2, 1-i%2, flag)...)
	}
	return told
}

// behind lists the records, but for the end, that follow what some messages have become.
func behind(t *testing.T, known, told []message) (records [2][]traces.Record, edges int) {
	t.Helper()
	before, after := executed(t, known), executed(t, slices.Concat(known, told))
	for core := range records {
		n := len(before.Records[core]) - 1
		records[core] = after.Records[core][n : len(after.Records[core])-1]
		edges += len(after.Edges[core]) - len(before.Edges[core])
	}
	return records, edges
}

// TestMeetingsAreBarriers: once a counter is known to be a barrier, a record of the barrier stands for
// what is done to its words, but for reads of the flag beforehand. It orders what both do.
func TestMeetingsAreBarriers(t *testing.T) {
	for flag, number := range map[uint64]uint64{flagWord: traces.LockWord | counterWord, 0x7000: 0} {
		told := append([]message{does(kindStore, 0, dataWord, 0)}, meetingOf(0, 1, flag)...)
		other := changes(kindAtomic, 1, dataWord+64, 0, 1, 0) // which is no barrier
		records, edges := behind(t, append([]message{other}, knownMeeting(flag)...), append(told, does(kindLoad, 1, dataWord, 0)))
		meets := traces.Record{Kind: traces.Barrier, Address: number, Count: 2, Instructions: 2}
		access := func(k traces.Kind, address uint64) traces.Record {
			return traces.Record{Kind: k, Address: address, Size: 2, Instructions: 1}
		}
		want := [2][]traces.Record{
			{access(traces.Store, dataWord), access(traces.Load, flag), meets},
			{access(traces.Load, flag), meets, access(traces.Load, dataWord)},
		}
		want[0][2].Instructions, want[1][1].Instructions = 1, 3
		if edges != 0 || !slices.Equal(records[0], want[0]) || !slices.Equal(records[1], want[1]) {
			t.Errorf("flag %#x: %d edges\n%v\n%v\nwant\n%v\n%v", flag, edges, records[0], records[1], want[0], want[1])
		}
	}
}

// TestNoMeetings: counters that are used otherwise are no barriers, whenever that is seen.
func TestNoMeetings(t *testing.T) {
	good := meetingOf(0, 1, flagWord)
	with := func(change func(told []message)) []message {
		told := slices.Clone(good)
		change(told)
		return told
	}
	for name, odd := range map[string][]message{
		"who waits writes":             slices.Insert(slices.Clone(good), 3, does(kindStore, 0, dataWord, 0)),
		"who waits adds again":         slices.Insert(slices.Clone(good), 3, changes(kindAtomic, 0, counterWord, 1, 2, 0)),
		"who opens it writes others":   slices.Insert(slices.Clone(good), 6, does(kindStore, 1, dataWord, 0)),
		"another number is added":      with(func(told []message) { told[4] = changes(kindAtomic, 1, counterWord, 1, 3, 0) }),
		"who goes on has not looked":   append(slices.Delete(slices.Delete(slices.Clone(good), 7, 8), 2, 3), does(kindStore, 0, dataWord, 0)),
		"another size":                 with(func(told []message) { told[4].size = 3 }),
		"the counter is stored to":     slices.Insert(slices.Clone(good), 3, changes(kindStore, 1, counterWord, 1, 0, 0)),
		"the counter is swapped":       slices.Insert(slices.Clone(good), 3, changes(kindAtomic, 1, counterWord, 1, 0, exchange)),
		"another flag":                 meetingOf(0, 1, 0x8000),
		"the first one opens it":       with(func(told []message) { told[5].thread, told[6].thread = 0, 0 }),
		"one core alone is no barrier": {changes(kindAtomic, 0, counterWord, 0, 1, 0), changes(kindStore, 0, flagWord, 0, 1, 0)},
	} {
		for _, late := range []bool{false, true} {
			first := knownMeeting(flagWord)
			if !late {
				first = good
			} else if name == "who goes on has not looked" {
				continue // its read may be among repeated ones, which are left out
			}
			records, _ := behind(t, first, slices.Concat(odd, knownMeeting(flagWord)))
			atomics := 0
			for _, r := range slices.Concat(records[0], records[1]) {
				if r.Kind == traces.Barrier {
					t.Errorf("%s, late %t: %v", name, late, r)
				}
				if r.Kind == traces.Atomic && r.Address == counterWord {
					atomics++
				}
			}
			if want := 2 * trustedAfter; atomics < want {
				t.Errorf("%s, late %t: %d atomics of the counter, want %d and those of the odd case", name, late, atomics, want)
			}
		}
	}
}

// TestPairRefutes: a pair of accesses that shows that a counter is no barrier has no instructions of its own
// left if the addition before it takes them.
func TestPairRefutes(t *testing.T) {
	odd := changes(kindAtomic, 0, flagWord, 0, 1, exchange)
	odd.pair, odd.second, odd.instructions = true, 2, 3
	records, _ := behind(t, knownMeeting(flagWord), []message{does(kindLoad, 0, flagWord, 0), changes(kindAtomic, 0, counterWord, 0, 1, 0), odd})
	n := uint64(0)
	for _, r := range records[0] {
		n += uint64(r.Instructions)
	}
	if n != 1+1+3 || len(records[0]) != 4 {
		t.Errorf("%d instructions in %+v", n, records[0])
	}
}

// TestMeetingsSleep: the calls by which cores sleep at a barrier, and are woken, belong to it.
func TestMeetingsSleep(t *testing.T) {
	var file bytes.Buffer
	out := must.Get(traces.NewWriter(&file, traces.DefaultMetadata("test", 2), traces.DefaultWriterConfig()))
	p := NewProcessors(2, out)
	for round := range trustedAfter + 1 {
		told := meetingOf(0, 1, flagWord)
		for i := range told {
			must.Do(p.k.take(p.p, &told[i]))
			trusted := round >= trustedAfter
			if i == 2 && p.Waits(0, flagWord, false) != trusted {
				t.Errorf("round %d: the call that sleeps belongs to the barrier: %t", round, !trusted)
			}
			if i == 6 && p.Waits(1, flagWord, true) != trusted {
				t.Errorf("round %d: the call that wakes belongs to the barrier: %t", round, !trusted)
			}
		}
	}
	if p.Waits(1, dataWord, true) || p.Waits(0, flagWord, false) {
		t.Error("a call at no barrier belongs to one")
	}
	must.Do(p.Close([]uint32{0, 0}))
	must.Do(out.Close())
	records := slurp(t, tracetest.Open(t, file.Bytes())).Records[0]
	if r := records[len(records)-2]; r.Kind != traces.Barrier || r.Size != traces.Sleeps {
		t.Errorf("%+v is no barrier at which cores sleep", r)
	}
}

// TestMeetingsOfMore: a meeting to which one core has come before the recording does not hide that
// more cores meet, and what the kernel does on a processor shows nothing.
func TestMeetingsOfMore(t *testing.T) {
	meet := func(cores ...uint16) (told []message) {
		for i, core := range cores {
			found := uint64(3 - len(cores) + i)
			told = append(told, does(kindLoad, core, flagWord, 0), changes(kindAtomic, core, counterWord, found, found+1, 0))
			if i < len(cores)-1 {
				kernel := does(kindStore, core, 0x20000+uint64(core)*64, 0)
				kernel.system = true
				told = append(told, does(kindLoad, core, flagWord, 0), kernel)
			}
		}
		last := cores[len(cores)-1]
		told = append(told, changes(kindStore, last, counterWord, 3, 0, 0), changes(kindStore, last, flagWord, 0, 1, 0))
		for _, core := range cores[:len(cores)-1] {
			told = append(told, does(kindLoad, core, flagWord, 0))
		}
		return told
	}
	var file bytes.Buffer
	out := must.Get(traces.NewWriter(&file, traces.DefaultMetadata("test", 3), traces.DefaultWriterConfig()))
	p := NewProcessors(3, out)
	told := meet(0, 2)
	for range 2 * trustedAfter {
		told = append(told, meet(0, 1, 2)...)
	}
	for i := range told {
		must.Do(p.k.take(p.p, &told[i]))
	}
	must.Do(p.Close([]uint32{0, 0, 0}))
	must.Do(out.Close())
	for core, records := range slurp(t, tracetest.Open(t, file.Bytes())).Records {
		n := 0
		for _, r := range records {
			if r.Kind == traces.Barrier && r.Count == 3 {
				n++
			}
		}
		if n != 2*trustedAfter-2 {
			t.Errorf("core %d meets %d times", core, n)
		}
	}
}

package record

import (
	"bytes"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// TestPolls: of the loads of a loop that waits, those stay that do not repeat one or find a new value.
// With the others their fences and fetches are left out.
func TestPolls(t *testing.T) {
	const flag, beside = 0x7000, 0x9000
	load, fence, fetch := does(kindLoad, 1, flag, 0), message{kind: kindFence, thread: 1, instructions: 1}, does(kindFetch, 1, 0x100, 0)
	again, store, other := load, does(kindStore, 0, flag, 0), does(kindLoad, 1, beside, 0)
	again.again = true
	byte := load
	byte.size = 0
	fetches := slices.Repeat([]message{fetch}, mostLater+1)
	const l, f, c, o = traces.Load, traces.Fence, traces.Fetch, traces.Kind(99) // o: the load beside
	for _, x := range []struct {
		name string
		does []message
		want []traces.Kind
	}{
		{"waits", []message{load, fence, again, fence, again, fence, fetch, again, fence, store, again, fence, other}, []traces.Kind{l, f, l, f, l, f, o}},
		{"is not told to repeat", []message{load, fence, load, fence, load, fence, other}, []traces.Kind{l, f, l, f, l, f, o}},
		{"stores between", []message{again, again, does(kindStore, 1, beside, 0), again, again}, []traces.Kind{l, traces.Store, l}},
		{"goes on with a fence", []message{again, fence, again, fence, fetch, other}, []traces.Kind{l, f, c, o}},
		{"fetches much", slices.Concat([]message{again, again}, fetches, []message{again, other}), slices.Concat([]traces.Kind{l}, slices.Repeat([]traces.Kind{c}, mostLater+1), []traces.Kind{l, o})},
		{"reads another size", []message{load, byte, byte, byte, other}, []traces.Kind{l, l, l, o}},
		{"reads what may be a lock", []message{takes(0, flag), again, again, again, other}, []traces.Kind{l, l, l, o}},
		{"ends", []message{again, fence, again, fence}, []traces.Kind{l, f}},
	} {
		m := executed(t, x.does)
		var have []traces.Kind
		for _, r := range m.Records[1][:len(m.Records[1])-1] {
			if r.Address == beside && r.Kind == traces.Load {
				r.Kind = o
			}
			have = append(have, r.Kind)
		}
		if !slices.Equal(have, x.want) {
			t.Errorf("%s: %v, want %v", x.name, have, x.want)
		}
		if x.name == "waits" && (len(m.Edges[1]) != 1 || m.Edges[1][0].At != 4) {
			t.Errorf("%s: %v; the load that finds the new value waits", x.name, m.Edges[1])
		}
		for i, r := range m.Records[1] {
			if polls := x.name == "waits" && i == 4; r.Count == traces.Polls != polls {
				t.Errorf("%s: record %d polls %t: %+v", x.name, i, !polls, r)
			}
		}
	}
	// Where a thread has polled, a load that comes after a write polls, too, though it is not repeated.
	at := func(m message, place uint64) message {
		m.place = place
		return m
	}
	polled, beyond := []message{at(load, 7), at(again, 7), at(again, 7)}, does(kindStore, 1, beside, 0)
	for name, x := range map[string]struct {
		does  []message
		place uint64
		polls bool
	}{
		"at the place":           {[]message{beyond, store}, 7, true},
		"elsewhere":              {[]message{beyond, store}, 8, false},
		"of what may be a lock":  {[]message{beyond, takes(0, flag)}, 7, false},
		"of what was not a lock": {[]message{takes(1, flag), store}, 7, true},
	} {
		m := executed(t, slices.Concat(polled, x.does, []message{at(load, x.place)}))
		if r := m.Records[1][3]; r.Kind != traces.Load || (r.Count == traces.Polls) != x.polls {
			t.Errorf("the load %s is %+v", name, r)
		}
	}
	// No place at which a thread polls: one of a lock, and one where it has read a word twice. A word that
	// is read again once is not polled, either.
	changed, there := does(kindStore, 0, beside, 0), at(does(kindLoad, 1, beside, 0), 7)
	for name, does := range map[string][]message{
		"of a lock":  {takes(0, flag), at(load, 7), at(again, 7), at(again, 7), changed, there},
		"read twice": {at(load, 7), at(load, 7), changed, there},
		"read again": {load, store, load},
	} {
		records := executed(t, does).Records[1]
		if r := records[len(records)-2]; r.Kind != traces.Load || r.Count == traces.Polls {
			t.Errorf("the load of a place that is %s is %+v", name, r)
		}
	}
	// Others count over the accesses that are left out.
	far := does(kindLoad, 1, beside+8, 0)
	far.distance = 4
	if r := executed(t, []message{other, again, fetch, again, far}).Records[1]; len(r) != 4 || r[2].Dependence != 2 {
		t.Errorf("%+v; the last load depends on the first one", r)
	}
	// A load that decides nothing comes after no write, and does not poll. What it reads later does.
	known := at(load, 7)
	known.known = true
	read := does(kindLoad, 1, beside+8, 0)
	m := executed(t, slices.Concat(polled, []message{does(kindStore, 0, beside+8, 0), store, known, read}))
	if r := m.Records[1]; len(m.Edges[1]) != 1 || m.Edges[1][0].At != 3 || r[2].Count == traces.Polls || r[3].Address != beside+8 {
		t.Errorf("%+v with edges %+v", r, m.Edges[1])
	}
	// Without registers, a load of the same bytes repeats the latest one if few instructions lie between.
	slow := load
	slow.instructions = pollInstructions + 1
	m = executed(t, []message{load, load, load, load, slow, slow, other})
	if n := len(m.Records[1]); n != 6 || m.Records[1][n-2].Address != beside {
		t.Errorf("%+v", m.Records[1])
	}
}

// TestPollsAfterWaking: a load at which another processor has woken a thread stays, and comes after
// what that has done.
func TestPollsAfterWaking(t *testing.T) {
	k := newConverter(Config{Cores: 2, System: &System{}}, must.Get(traces.NewWriter(new(bytes.Buffer), traces.DefaultMetadata("test", 2), traces.DefaultWriterConfig())))
	p := &Processors{k: k, p: k.newProcess()}
	k.appear(p.p, 0)
	k.appear(p.p, 1)
	load := does(kindLoad, 1, 0x7000, 0)
	load.again = true
	for i, m := range []message{does(kindStore, 0, 0x9000, 0), load, load, load} {
		if i == 3 {
			p.Wakes(0, 1)
		}
		must.Do(k.take(p.p, &m))
	}
	if c := k.cores[1]; c.position != 2 || k.counts.sleeps != 1 {
		t.Errorf("%d loads stay, and %d come after who has woken the thread", c.position, k.counts.sleeps)
	}
}

package record

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// TestPolls: of the loads of a loop that waits, those stay that do not repeat one or find a new value.
// With the others their fences and fetches are left out.
func TestPolls(t *testing.T) {
	const flag, beside = 0x7000, 0x9000
	load, fence, fetch := does(kindLoad, 1, flag, 0), message{kind: kindFence, thread: 1, instructions: 1}, does(kindFetch, 1, 0x100, 0)
	again, store, other := load, does(kindStore, 0, flag, 0), does(kindLoad, 1, beside, 0)
	again.again = true
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

package stress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/traces"
)

// order takes down what every core of a run has seen, and tells afterwards whether a memory model
// allows it: whether one order of all accesses explains every value.
//
// The accesses are the nodes of a graph, and its edges say which of two comes first in any such
// order. There is an order exactly if the graph has no circle. The edges are those of the axiomatic
// definition of total store order: a core's own accesses in program order, except from a store to a
// later load; the writes of a block in order of version; from a write to the loads of other cores
// that read its version; from a load to the write that replaced what it read. A load that took its
// value from its own core's store comes before the write that replaced that store's version, but
// need not come after the store. What other cores write to a block replaces all of it: that is
// stricter than the model, and what a chip does that repeats loads of lost blocks. An atomic is a
// load and a write in one, and with a fence comes after everything before it and before everything
// after it. Sequential consistency adds the edges from stores to later loads.
//
// It knows nothing of how the chip works, and needs every access of the run in memory.
type order struct {
	sequential bool
	events     []event
	writes     map[coherence.Block][]int32 // events by version, from version 1 on
	edges      []edge
}

// event is one access.
type event struct {
	cmp.Performed
	block coherence.Block
}

type edge struct{ from, to int32 }

// observe takes down one access.
func (o *order) observe(p cmp.Performed) {
	o.events = append(o.events, event{p, coherence.Block(p.Access.Address / coherence.BlockBytes)})
}

func (e *event) reads() bool { k := e.Access.Kind; return k == traces.Load || k == traces.Atomic }
func (e *event) wrote() bool { k := e.Access.Kind; return k == traces.Store || k == traces.Atomic }

// String returns the event as text for messages.
func (e *event) String() string {
	text := fmt.Sprintf("core %d, record %d: %s %#x", e.Core, e.Record, e.Access.Kind, e.Access.Address)
	switch {
	case e.Forwarded:
		return text + fmt.Sprintf(" takes the value of its record %d", e.From)
	case e.Access.Kind == traces.Load:
		return text + fmt.Sprintf(" reads version %d of block %#x", e.Version, uint32(e.block))
	case e.wrote():
		return text + fmt.Sprintf(" makes version %d of block %#x", e.Version, uint32(e.block))
	}
	return text
}

// check returns an error that names what no order explains, or nil.
func (o *order) check() error {
	slices.SortFunc(o.events, func(a, b event) int {
		if a.Core != b.Core {
			return a.Core - b.Core
		}
		return int(int64(a.Record) - int64(b.Record))
	})
	if err := o.versions(); err != nil {
		return err
	}
	o.program()
	if err := o.values(); err != nil {
		return err
	}
	if circle := o.circle(); circle != nil {
		var lines []string
		for _, i := range circle {
			lines = append(lines, o.events[i].String())
		}
		return fmt.Errorf("no order of these accesses explains what the cores read: each must come before the next, and the last before the first:\n  %s", strings.Join(lines, "\n  "))
	}
	return nil
}

// versions lists the writes of every block; the versions must be all from 1 on, each made once.
func (o *order) versions() error {
	o.writes = map[coherence.Block][]int32{}
	made := 0
	for i := range o.events {
		if e := &o.events[i]; e.wrote() {
			w := o.writes[e.block]
			for uint64(len(w)) < e.Version {
				w = append(w, -1)
			}
			if e.Version == 0 || w[e.Version-1] >= 0 {
				return fmt.Errorf("%s, which was written before", e)
			}
			w[e.Version-1] = int32(i)
			o.writes[e.block] = w
			made++
		}
	}
	for _, w := range o.writes {
		made -= len(w)
	}
	if made != 0 {
		return fmt.Errorf("%d versions of blocks were never written", -made)
	}
	return nil
}

func (o *order) before(from, to int32) {
	if from >= 0 && to >= 0 {
		o.edges = append(o.edges, edge{from, to})
	}
}

// program adds the edges within each core: it is enough to name the last access of each sort before
// one.
func (o *order) program() {
	core, load, store := -1, int32(-1), int32(-1)
	for i := range o.events {
		e, at := &o.events[i], int32(i)
		if e.Core != core {
			core, load, store = e.Core, -1, -1
		}
		o.before(load, at)
		if e.Access.Kind != traces.Load || o.sequential {
			o.before(store, at)
		}
		switch e.Access.Kind {
		case traces.Load:
			load = at
		case traces.Store:
			store = at
		default:
			load, store = at, at
		}
	}
}

// values adds the edges between the cores.
func (o *order) values() error {
	for i := range o.events {
		e, at := &o.events[i], int32(i)
		w := o.writes[e.block]
		version := e.Version
		switch {
		case e.wrote():
		case !e.reads():
			continue
		case e.Forwarded:
			from, ok := slices.BinarySearchFunc(o.events, e, func(a event, e *event) int {
				if a.Core != e.Core {
					return a.Core - e.Core
				}
				return int(int64(a.Record) - int64(e.From))
			})
			if !ok || o.events[from].block != e.block {
				return fmt.Errorf("%s, which has never become visible", e)
			}
			version = o.events[from].Version
		case version > uint64(len(w)):
			return fmt.Errorf("%s, which was never written", e)
		case version > 0 && o.events[w[version-1]].Core != e.Core:
			o.before(w[version-1], at)
		}
		// Older stores of the load's own core, to other bytes, take nothing from it when they
		// become visible.
		for !e.wrote() && version < uint64(len(w)) && o.events[w[version]].Core == e.Core && o.events[w[version]].Record < e.Record {
			version++
		}
		if version < uint64(len(w)) {
			o.before(at, w[version])
		}
	}
	return nil
}

// circle finds events that come before each other in a circle, or nil: it takes away every event
// that nothing comes before, again and again, and follows what remains backwards.
func (o *order) circle() []int32 {
	first := make([]int32, len(o.events)+1) // of each event's edges, once they are sorted
	waits := make([]int32, len(o.events))
	for _, e := range o.edges {
		first[e.from+1]++
		waits[e.to]++
	}
	for i := range waits {
		first[i+1] += first[i]
	}
	next := make([]int32, len(o.edges))
	fill := slices.Clone(first)
	for _, e := range o.edges {
		next[fill[e.from]] = e.to
		fill[e.from]++
	}
	var free []int32
	for i := range waits {
		if waits[i] == 0 {
			free = append(free, int32(i))
		}
	}
	left := len(waits)
	for ; len(free) > 0; left-- {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range next[first[i]:first[i+1]] {
			if waits[to]--; waits[to] == 0 {
				free = append(free, to)
			}
		}
	}
	if left == 0 {
		return nil
	}
	return o.follow(waits)
}

// follow walks backwards among the events that wait for others until it meets itself.
func (o *order) follow(waits []int32) []int32 {
	earlier := make([]int32, len(waits))
	at := int32(-1)
	for _, e := range o.edges {
		if waits[e.from] > 0 && waits[e.to] > 0 {
			earlier[e.to], at = e.from, e.to
		}
	}
	for range waits { // into the circle
		at = earlier[at]
	}
	circle := []int32{at}
	for i := earlier[at]; i != at; i = earlier[i] {
		circle = append(circle, i)
	}
	slices.Reverse(circle)
	return circle
}

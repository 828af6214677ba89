package record

import "github.com/carousel-sim/carousel/traces"

// counts are what the recording held.
type counts struct {
	processes, loads, stores, atomics, fetches, instructions, pieces, wakes, woken, sleeps, leftOut, devices, bySystem, fetchedBySystem uint64
	dependent, unknown, locks, barriers                                                                                                 uint64
}

func (n *counts) see(m *message) {
	n.instructions += uint64(m.instructions)
	switch m.kind {
	case kindLoad:
		n.loads++
	case kindStore, kindCleared:
		n.stores++
	case kindAtomic:
		n.atomics++
	case kindFetch:
		n.fetches++
	case kindDevice:
		n.devices++
	}
	switch {
	case !m.system:
	case m.kind == kindFetch:
		n.fetchedBySystem++
	case m.kind != kindDevice:
		n.bySystem++
	}
}

func (k *converter) list() []traces.Count {
	n := &k.counts
	if k.config.System != nil {
		return []traces.Count{
			{Name: "processors that did something", N: uint64(k.threads)},
			{Name: "loads", N: n.loads},
			{Name: "stores", N: n.stores},
			{Name: "atomics", N: n.atomics},
			{Name: "data accesses by the kernel", N: n.bySystem},
			{Name: "fetched lines", N: n.fetches},
			{Name: "lines fetched by the kernel", N: n.fetchedBySystem},
			{Name: "accesses to devices, left out", N: n.devices},
			{Name: "locks taken, in an order that a replay decides", N: n.locks},
			{Name: "accesses that depend on a load", N: n.dependent},
			{Name: "instructions of unknown registers", N: n.unknown},
			{Name: "pieces of accesses that crossed a line", N: n.pieces},
			{Name: "reads of what another core wrote last", N: k.finder.Shared()},
		}
	}
	return []traces.Count{
		{Name: "processes", N: n.processes},
		{Name: "threads", N: uint64(k.threads)},
		{Name: "threads created by others", N: k.created},
		{Name: "loads", N: n.loads},
		{Name: "stores", N: n.stores},
		{Name: "atomics", N: n.atomics},
		{Name: "fetched lines", N: n.fetches},
		{Name: "futex calls that wake", N: n.wakes},
		{Name: "futex calls that slept", N: n.woken},
		{Name: "locks taken, in an order that a replay decides", N: n.locks},
		{Name: "barriers passed", N: n.barriers},
		{Name: "edges of creations, futexes and joins", N: n.sleeps},
		{Name: "messages of threads left out", N: n.leftOut},
		{Name: "accesses that depend on a load", N: n.dependent},
		{Name: "instructions of unknown registers", N: n.unknown},
		{Name: "pieces of accesses that crossed a line", N: n.pieces},
		{Name: "reads of what another core wrote last", N: k.finder.Shared()},
	}
}

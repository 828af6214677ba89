package tables

import (
	"reflect"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Router is what one router did in one run, and the energy that follows from it.
type Router struct {
	RunKey string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Node   uint64 `col:"node" unit:"node" doc:"router, numbered along x first"`
	noc.Activity
	// Parts is the energy of the router and of the links that leave it.
	Parts         power.Breakdown
	EnergyDynamic float64       `col:"energy_dynamic_j" unit:"J" doc:"energy that follows from activity: buffers, crossbar, arbiters, rings, headers, links"`
	EnergyStatic  float64       `col:"energy_static_j" unit:"J" doc:"energy that follows from time: clock and leakage"`
	Energy        float64       `col:"energy_j" unit:"J" doc:"energy of the router and of the links that leave it"`
	X             Maybe[uint64] `col:"x" unit:"node" doc:"coordinate of the router along x; absent where nodes have none"`
	Y             Maybe[uint64] `col:"y" unit:"node" doc:"coordinate of the router along y"`
	Cores         Maybe[uint64] `col:"cores" unit:"cores" doc:"cores of the chip at this router; absent in networks alone"`
	Controllers   Maybe[uint64] `col:"memory_controllers" unit:"controllers" doc:"memory controllers of the chip at this router"`
}

// Routers is the table of routers. Columns of buffers and arbiters, of which there are several kinds,
// stand behind the node.
var Routers = func() *Table[Router] {
	t := newTable[Router]("routers", "one row per run and router")
	t.Columns = slices.Insert(t.Columns, 2, slices.Concat(bufferColumns(), arbiterColumns())...)
	return t
}()

// EnergyParts are the columns of the parts of a router's energy. The table summary has their sums over all
// routers, and Energies joins them for people.
var EnergyParts = func() []Column[Router] {
	parts, _ := reflect.TypeFor[Router]().FieldByName("Parts")
	return columnsOf[Router](parts.Type, parts.Index)
}()

// bufferColumns has a pair of columns for each kind of storage.
func bufferColumns() []Column[Router] {
	var list []Column[Router]
	for k := range noc.BufferKinds {
		list = append(list,
			Column[Router]{"buffer_writes_" + k.String(), "phits", "phits written into buffers of this kind",
				func(r *Router) any { return &r.BufferWrites[k] }},
			Column[Router]{"buffer_reads_" + k.String(), "phits", "phits read from buffers of this kind; a read that feeds two ports counts once",
				func(r *Router) any { return &r.BufferReads[k] }})
	}
	return list
}

// arbiterColumns has a pair of columns for each arbiter.
func arbiterColumns() []Column[Router] {
	var list []Column[Router]
	for s := range noc.ArbiterStages {
		list = append(list,
			Column[Router]{"arbiter_requests_" + s.String(), "requests", "requests to this arbiter",
				func(r *Router) any { return &r.ArbRequests[s] }},
			Column[Router]{"arbiter_grants_" + s.String(), "grants", "grants given by this arbiter",
				func(r *Router) any { return &r.ArbGrants[s] }})
	}
	return list
}

package inspect

import "github.com/carousel-sim/carousel/traces"

// Written is what a command says of a trace that it wrote.
type Written struct {
	From         string         `json:"from,omitempty"` // format of what was imported
	File         string         `json:"file"`
	Workload     string         `json:"workload"`
	Cores        int            `json:"cores" title:"cores"`
	ActiveCores  int            `json:"active_cores" title:"cores that access memory"`
	Records      uint64         `json:"records" title:"records written"`
	Edges        uint64         `json:"edges" title:"edges written"`
	Instructions uint64         `json:"instructions" title:"instructions"`
	Input        []traces.Count `json:"input"`
	Ended        string         `json:"ended,omitempty"`   // why a recording ended
	Program      string         `json:"program,omitempty"` // how a recorded program ended
	Notes        []string       `json:"notes"`
}

// NewWritten describes the trace of a file from what its writer has counted.
func NewWritten(file string, done traces.Imported) Written {
	sum, m := done.Sum(), &done.Metadata
	return Written{File: file, Workload: m.Workload, Cores: m.Cores, ActiveCores: traces.ActiveCores(done.Totals),
		Records: sum.Records, Edges: sum.Edges, Instructions: sum.Instructions, Input: done.Input, Notes: m.Notes}
}

package inspect

import (
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

// Description is what a trace file says of itself and what reading it finds.
type Description struct {
	File          string `json:"file" title:"file"`
	FormatVersion string `json:"format_version" title:"format version"`
	Workload      string `json:"workload" title:"workload"`
	Origin        string `json:"origin" title:"origin"`
	Importer      string `json:"importer" title:"version of recorder or importer"`
	Addresses     string `json:"addresses" title:"addresses"`
	Cores         int    `json:"cores" title:"cores"`
	ActiveCores   int    `json:"active_cores" title:"cores that access memory"`
	Records       uint64 `json:"records" title:"records"`
	Loads         uint64 `json:"loads" title:"loads"`
	Stores        uint64 `json:"stores" title:"stores"`
	Atomics       uint64 `json:"atomics" title:"atomics"`
	Fetches       uint64 `json:"fetches" title:"fetches"`
	// Others are fences, locks, barriers, creations and joins.
	Others uint64 `json:"others" title:"synchronisation"`
	Edges  uint64 `json:"edges" title:"edges between cores"`
	// Polls are loads that wait for what another core writes.
	Polls uint64 `json:"polls" title:"loads that poll"`
	// Tries are loads that begin attempts to change a word.
	Tries uint64 `json:"tries" title:"loads that start an attempt to change a word"`
	// Tickets are those of the atomics, and TicketsIn says what a replay does with them.
	Tickets   uint64 `json:"tickets" title:"tickets"`
	TicketsIn string `json:"tickets_in,omitempty" title:"tickets in a replay"`
	// EdgesFrom is the kind of record that edges lead from, if a recorder made them.
	EdgesFrom string `json:"edges_from,omitempty" title:"edges lead from"`
	// Dependences are the accesses of which it is known that they depend on a load.
	Dependences         uint64   `json:"dependences" title:"dependences"`
	Instructions        uint64   `json:"instructions" title:"instructions"`
	InstructionsPerCore []uint64 `json:"instructions_per_core" title:"instructions per core"`
	// FootprintBytes counts lines of 64 bytes that are touched, SharedLines those that several cores
	// touch.
	FootprintBytes     uint64   `json:"footprint_bytes" title:"footprint [bytes]"`
	FootprintPages     uint64   `json:"footprint_pages" title:"footprint [4 KB pages]"`
	SharedLines        uint64   `json:"shared_lines" title:"shared lines"`
	WrittenSharedLines uint64   `json:"written_shared_lines" title:"shared lines written"`
	FileBytes          int64    `json:"file_bytes" title:"file [bytes]"`
	BytesPerRecord     *float64 `json:"bytes_per_record" title:"bytes per record"`
	Notes              []string `json:"notes,omitempty"`
	Windows            int      `json:"windows" title:"windows"`
	// Drawn is how the windows were chosen, Timestamps are the entries of the memory timestamp
	// records of all of them.
	Drawn      string             `json:"drawn,omitempty"`
	Timestamps uint64             `json:"timestamps"`
	CacheLimit *traces.CacheLimit `json:"cache_limit,omitempty"`
	// StateBytes is the size of the states of a program that a chip executes from there, in place of
	// records.
	StateBytes uint64              `json:"state_bytes,omitempty"`
	PerCore    []traces.CoreTotals `json:"per_core"`
	// Behaviour is absent without records and in a brief description.
	Behaviour *Behaviour `json:"behaviour,omitempty"`
}

// Of reads a whole trace, checks it and describes it. path is the name of its file. A brief
// description leaves the behaviour out, for which the trace is read twice. So many cores are read at a
// time, which changes nothing but the time. Memory grows with the pages that each core touches.
func Of(path string, file *traces.File, brief bool, jobs int) (*Description, error) {
	window := file.WindowNumber()
	brief = brief || file.Metadata().Executes
	if brief {
		window = noWindow
	}
	u := newUsage(file.Cores(), window)
	survey, err := file.VerifyBy(jobs, u.see)
	if err != nil {
		return nil, err
	}
	d, pages := describe(path, file, survey), u.pages()
	d.footprint(pages)
	if !brief {
		d.Behaviour, err = u.behave(file, pages, survey.Sum(), jobs)
	}
	return d, err
}

func describe(path string, file *traces.File, survey traces.Survey) *Description {
	m, sum := file.Metadata(), survey.Sum()
	d := &Description{
		File: path, FormatVersion: file.Version(),
		Workload: m.Workload, Origin: m.Origin, Importer: m.Importer, Addresses: m.Addresses, Cores: m.Cores,
		Records: sum.Records, Loads: sum.Loads, Stores: sum.Stores, Atomics: sum.Atomics, Fetches: sum.Fetches,
		Others: sum.Others, Edges: sum.Edges, Tickets: sum.Tickets, Polls: sum.Polls, Tries: sum.Tries, Instructions: sum.Instructions,
		FileBytes: file.Size(), Notes: m.Notes, PerCore: survey.Totals, Dependences: survey.Dependent, ActiveCores: traces.ActiveCores(survey.Totals, m.Cores),
		Windows: file.Windows(), Drawn: m.Drawn, Timestamps: sum.Timestamps, CacheLimit: m.Timestamps,
		StateBytes: sum.States * traces.StateBytes,
	}
	switch {
	case m.EdgesByLine():
		d.EdgesFrom = "the last writer of a line, also where the line is shared falsely; recordings made today have edges by word"
	case m.EdgeBytes > 0:
		d.EdgesFrom = fmt.Sprintf("the last writer of a word of %d bytes", m.EdgeBytes)
	}
	switch own, gives := file.Tickets(); {
	case gives:
		d.TicketsIn = fmt.Sprintf("go to the core that comes first, with the task that each had in the recording; %d lines of each core are its own", len(own[0]))
	case sum.Tickets > 0:
		d.TicketsIn = "each core keeps those that it had in the recording: the trace is a part of a recording, its cores do not all meet at each barrier, or threads moved between the processors of a machine"
	case m.Addresses == "physical" && !m.Tickets:
		d.TicketsIn = "none: each core keeps the tasks that it had in the recording, also those that threads took from a counter"
	}
	for _, t := range survey.Totals {
		d.InstructionsPerCore = append(d.InstructionsPerCore, t.Instructions)
	}
	if sum.Records > 0 {
		perRecord := float64(file.Size()) / float64(sum.Records)
		d.BytesPerRecord = &perRecord
	}
	return d
}

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
	// StateBytes is the size of what a chip executes in place of records.
	StateBytes uint64 `json:"state_bytes,omitempty"`
}

// NewWritten describes the trace of a file from what its writer has counted.
func NewWritten(file string, done traces.Imported) Written {
	sum, m := done.Sum(), &done.Metadata
	return Written{File: file, Workload: m.Workload, Cores: m.Cores, ActiveCores: traces.ActiveCores(done.Totals, m.Cores),
		Records: sum.Records, Edges: sum.Edges, Instructions: sum.Instructions, Input: done.Input, Notes: m.Notes, StateBytes: sum.States * traces.StateBytes}
}

package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces"
)

func traceCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:     "trace",
		Short:   "Record, import, export, inspect, check and print traces",
		Example: "  carousel trace info my.trace\n  carousel trace verify my.trace\n  carousel trace slice my.trace --cores 0-3 -o part.trace",
	}
	command.AddCommand(traceInfo(a), traceVerify(a), traceCat(a), traceImport(a), traceExport(a), traceSlice(a), traceSample(a), traceRecord(a))
	return group(command)
}

// openFile opens a trace with the memory of the configured chip as the bound of addresses. passed, if not nil, follows
// the reading.
func (a *app) openFile(command *cobra.Command, path string, passed func(bytes int) error) (*traces.File, error) {
	c, err := a.configuration(command)
	if err != nil {
		return nil, err
	}
	file, err := traces.Open(path, traces.ReaderConfig{MemoryBytes: c.Chip.Memory.Bytes, Passed: passed})
	if err != nil {
		return nil, inputError{err}
	}
	return file, nil
}

// openWindow is openFile for a command that reads the window of --window.
func (a *app) openWindow(command *cobra.Command, path string, passed func(bytes int) error) (*traces.File, error) {
	window, err := command.Flags().GetInt("window")
	if err != nil {
		return nil, err
	}
	file, err := a.openFile(command, path, passed)
	if err != nil {
		return nil, err
	}
	if err := file.Choose(window); err != nil {
		file.Close()
		return nil, usagef("--window %d: %w", window, err)
	}
	return file, nil
}

// traceEntry is what trace info prints: what the file says of itself and what one pass over it finds.
type traceEntry struct {
	File                string              `json:"file"`
	FormatVersion       string              `json:"format_version"`
	Workload            string              `json:"workload"`
	Origin              string              `json:"origin"`
	Importer            string              `json:"importer"`
	Addresses           string              `json:"addresses"`
	Cores               int                 `json:"cores"`
	ActiveCores         int                 `json:"active_cores"` // that access memory
	Records             uint64              `json:"records"`
	Loads               uint64              `json:"loads"`
	Stores              uint64              `json:"stores"`
	Atomics             uint64              `json:"atomics"`
	Fetches             uint64              `json:"fetches"`
	Others              uint64              `json:"others"` // fences, locks, barriers, creations, joins
	Edges               uint64              `json:"edges"`
	Values              uint64              `json:"values"`      // accesses of which it is known what they read or wrote
	Dependences         uint64              `json:"dependences"` // accesses of which it is known that they depend on a load
	Instructions        uint64              `json:"instructions"`
	InstructionsPerCore []uint64            `json:"instructions_per_core"`
	FootprintBytes      uint64              `json:"footprint_bytes"` // 64-byte lines touched
	FootprintPages      uint64              `json:"footprint_pages"` // of 4 KB
	SharedLines         uint64              `json:"shared_lines"`    // touched by several cores
	WrittenSharedLines  uint64              `json:"written_shared_lines"`
	FileBytes           int64               `json:"file_bytes"`
	BytesPerRecord      *float64            `json:"bytes_per_record"`
	Notes               []string            `json:"notes,omitempty"`
	Windows             int                 `json:"windows"`
	Drawn               string              `json:"drawn,omitempty"` // how the windows were chosen
	Timestamps          uint64              `json:"timestamps"`      // entries of the memory timestamp records of all windows
	CacheLimit          *traces.CacheLimit  `json:"cache_limit,omitempty"`
	PerCore             []traces.CoreTotals `json:"per_core"`
	// Behaviour is absent with --brief.
	Behaviour *behaviour `json:"behaviour,omitempty"`
}

func traceInfo(a *app) *cobra.Command {
	var brief bool
	command := &cobra.Command{
		Use:   "info FILE",
		Short: "Print what a trace holds; reads the whole file",
		Long: `Checks a trace as trace verify does and prints what it holds: records, footprint, sizes of accesses,
who shares blocks of 64 bytes, and reuse distances. A block is private when one core touches it,
read-shared when several do and none writes it, migratory when each of several cores first reads and
also writes it, else write-shared. The reuse distance of an access is the number of distinct other blocks
that its core has touched since it last touched this one. All counts are exact.`,
		Example: "  carousel trace info my.trace --format json\n  carousel trace info my.trace --brief",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			followed := a.follow(command.Context(), "reading", args[0])
			e, err := a.survey(command, args[0], brief, followed.passed)
			if err := followed.end(err, "the trace has not been read to its end"); err != nil {
				return err
			}
			return a.print(e, e.sheet())
		},
	}
	command.Flags().BoolVar(&brief, "brief", false, "leave sharing and reuse distances out, which take most of the time")
	return command
}

// survey reads a trace for trace info.
func (a *app) survey(command *cobra.Command, path string, brief bool, passed func(bytes int) error) (*traceEntry, error) {
	file, err := a.openFile(command, path, passed)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	survey, err := file.Verify()
	if err != nil {
		return nil, err
	}
	e := describeTrace(path, file, survey)
	if !brief {
		if e.Behaviour, err = behaves(file, survey.Sum(), runtime.GOMAXPROCS(0)); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func describeTrace(path string, file *traces.File, survey traces.Survey) *traceEntry {
	m, sum := file.Metadata(), survey.Sum()
	e := &traceEntry{
		File: path, FormatVersion: file.Version(),
		Workload: m.Workload, Origin: m.Origin, Importer: m.Importer, Addresses: m.Addresses, Cores: m.Cores,
		Records: sum.Records, Loads: sum.Loads, Stores: sum.Stores, Atomics: sum.Atomics, Fetches: sum.Fetches,
		Others: sum.Others, Edges: sum.Edges, Values: sum.Values, Instructions: sum.Instructions,
		FootprintBytes: survey.Lines * traces.LineBytes, FootprintPages: survey.Pages,
		SharedLines: survey.SharedLines, WrittenSharedLines: survey.WrittenSharedLines,
		FileBytes: file.Size(), Notes: m.Notes, PerCore: survey.Totals, Dependences: survey.Dependent, ActiveCores: traces.ActiveCores(survey.Totals),
		Windows: file.Windows(), Drawn: m.Drawn, Timestamps: sum.Timestamps, CacheLimit: m.Timestamps,
	}
	for _, t := range survey.Totals {
		e.InstructionsPerCore = append(e.InstructionsPerCore, t.Instructions)
	}
	if sum.Records > 0 {
		perRecord := float64(file.Size()) / float64(sum.Records)
		e.BytesPerRecord = &perRecord
	}
	return e
}

func (e *traceEntry) sheet() *sheet.Sheet {
	s := sheet.New("what", "value")
	perRecord, dependences := "-", "none recorded"
	if e.Dependences > 0 {
		dependences = fmt.Sprint(e.Dependences)
	}
	if e.BytesPerRecord != nil {
		perRecord = sheet.Number(*e.BytesPerRecord)
	}
	for _, line := range []struct {
		what  string
		value any
	}{
		{"file", e.File}, {"format version", e.FormatVersion}, {"workload", e.Workload}, {"origin", e.Origin},
		{"imported by", e.Importer}, {"addresses", e.Addresses}, {"cores", e.Cores}, {"cores that access memory", e.ActiveCores}, {"records", e.Records},
		{"loads", e.Loads}, {"stores", e.Stores}, {"atomics", e.Atomics}, {"fetches", e.Fetches},
		{"synchronisation", e.Others}, {"edges between cores", e.Edges}, {"accesses with data", e.Values}, {"dependences", dependences}, {"instructions", e.Instructions},
		{"instructions per core", config.Text(e.InstructionsPerCore)}, {"footprint [bytes]", e.FootprintBytes},
		{"footprint [4 KB pages]", e.FootprintPages}, {"shared lines", e.SharedLines},
		{"shared lines written", e.WrittenSharedLines}, {"file [bytes]", e.FileBytes}, {"bytes per record", perRecord},
	} {
		s.Add(line.what, fmt.Sprint(line.value))
	}
	if e.Behaviour != nil {
		e.Behaviour.add(s)
	}
	s.Add("windows", fmt.Sprint(e.Windows))
	if e.Drawn != "" {
		s.Add("drawn", e.Drawn)
	}
	if l := e.CacheLimit; l != nil {
		s.Add("timestamps", fmt.Sprintf("%d, for L1s up to %s and an L2 up to %s sets and ways", e.Timestamps, cacheText(l.L1Sets, l.L1Ways), cacheText(l.L2Sets, l.L2Ways)))
	} else {
		s.Add("timestamps", "none: caches begin empty")
	}
	for _, note := range e.Notes {
		s.Add("note", note)
	}
	s.After = traces.IdleNote(e.ActiveCores, e.Cores)
	return s
}

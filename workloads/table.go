package workloads

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

// Kind says where a workload's records come from.
type Kind string

// The kinds of workloads.
const (
	Recording Kind = "recording" // of a real program
	Synthetic Kind = "synthetic" // made up by a rule
)

// Config sizes a workload.
type Config struct {
	// Cores is the number of cores of a synthetic workload; 0 is 16. A recording has its own
	// number, which 0 asks for.
	Cores int `unit:"cores" doc:"cores of a synthetic workload; 0 takes its usual number"`
	// Records is the approximate number of records per core of a synthetic workload; 0 is 20,000.
	Records int `unit:"records" doc:"approximate number of records per core of a synthetic workload; 0 takes its usual number"`
	// Seed decides the random choices of a synthetic workload.
	Seed uint64 `doc:"seed of the random choices of a synthetic workload"`
}

// Default returns a configuration with seed 1, and as many cores and records as the workload likes.
func Default() Config { return Config{Seed: 1} }

const (
	maxCores   = 1024
	maxRecords = 1 << 40
)

// Validate checks the sizes.
func (c Config) Validate() error {
	if c.Cores < 0 || c.Cores > maxCores {
		return fmt.Errorf("cores is %d; 1 to %d are allowed, or 0 for the workload's own number", c.Cores, maxCores)
	}
	if c.Records < 0 || c.Records > maxRecords {
		return fmt.Errorf("records is %d; 1 to %d are allowed, or 0 for the workload's own number", c.Records, maxRecords)
	}
	return nil
}

// Info describes an opened workload.
type Info struct {
	Name, Doc string
	Kind      Kind
	Metadata  traces.Metadata
	// Totals are per core and known for recordings only; nil for others.
	Totals []traces.CoreTotals
	// Bytes is the size of a recording as stored, 0 for others.
	Bytes int64
}

// Source is a source that can start again and may hold resources.
type Source interface {
	traces.Source
	traces.Creations
	Rewind()
	Close() error
}

// Opened is a workload ready to be read.
type Opened struct {
	Source
	Info Info
}

// Workload is one row of the catalogue.
type Workload struct {
	Name, Doc string
	Kind      Kind
	// New starts the workload from its beginning, with a source of its own. Clients call Open.
	New func(w *Workload, c Config) (*Opened, error)
}

// Open starts the workload from its beginning; every call gives a source of its own.
func (w *Workload) Open(c Config) (*Opened, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return w.New(w, c)
}

// Table is the catalogue.
var Table = append([]Workload{
	{Name: "nas-is-s", Kind: Recording, Doc: "NPB 3.0 IS class S, 16 OpenMP threads: the first two rankings of an integer sort; embedded", New: openRecording},
	{Name: "nas-sp-s", Kind: Recording, Doc: "NPB 3.0 SP class S, 16 OpenMP threads: the start of a scalar pentadiagonal solver; embedded", New: openRecording},
	{Name: "uniform-sharing", Kind: Synthetic, Doc: "each core touches its own data and, for a quarter of its accesses, random lines that all cores share", New: openUniform},
	{Name: "read-mostly-sharing", Kind: Synthetic, Doc: "each core touches its own data and reads a table of 32 lines that all cores share; one access to it in twelve is a store", New: openReadMostly},
	{Name: "locks-and-barriers", Kind: Synthetic, Doc: "all cores update counters under four locks and wait at barriers; core 0 creates and joins the threads", New: openLocks},
	{Name: "producer-consumer", Kind: Synthetic, Doc: "each core writes eight lines per round, which the next core in a ring reads; edges order the accesses", New: openRing},
}, applicationRows()...)

// Names lists the applications, some of which must be recorded first, the other workloads of the
// catalogue, and further ones.
func Names(more ...Workload) (names []string) {
	for i := range Applications {
		names = append(names, Applications[i].Name)
	}
	for _, w := range slices.Concat(Table, more) {
		if !slices.Contains(names, w.Name) {
			names = append(names, w.Name)
		}
	}
	return names
}

// Find returns the row of a name in the catalogue, or among further workloads.
func Find(name string, more ...Workload) (*Workload, error) {
	var names []string
	for _, w := range slices.Concat(Table, more) {
		if w.Name == name {
			return &w, nil
		}
		names = append(names, w.Name)
	}
	return nil, fmt.Errorf("workload %q is not known; there are %s", name, strings.Join(names, ", "))
}

// Open opens a workload of the catalogue, or a further one, by name.
func Open(name string, c Config, more ...Workload) (*Opened, error) {
	w, err := Find(name, more...)
	if err != nil {
		return nil, err
	}
	return w.Open(c)
}

// Suite is one of the three classes of applications.
type Suite string

// The suites of Table 2 of Abad, Puente and Gregorio (MRR).
const (
	Commercial      Suite = "commercial"      // the Wisconsin Commercial Workload suite
	Numerical       Suite = "numerical"       // NAS Parallel Benchmarks, OpenMP
	Multiprogrammed Suite = "multiprogrammed" // SPEC CPU2000, one instance per core
)

// Application is one of the twelve workloads of that table.
type Application struct {
	Name  string // how the command line spells it
	Paper string // how the paper does
	Suite Suite
	Doc   string // what it is
}

// Applications are the twelve, in the paper's order. Package recipe records them from real
// programs.
var Applications = []Application{
	{"apache", "Apache", Commercial, "task-parallel web server"},
	{"jbb", "Jbb", Commercial, "Java middleware application"},
	{"zeus", "Zeus", Commercial, "event-driven web server, with nginx in its place"},
	{"oltp", "Oltp", Commercial, "on-line transaction processing"},
	{"ft", "FT", Numerical, "three-dimensional partial differential equation solved with FFTs"},
	{"is", "IS", Numerical, "integer sort"},
	{"sp", "SP", Numerical, "scalar pentadiagonal solver"},
	{"bt", "BT", Numerical, "block tridiagonal solver"},
	{"lu", "LU", Numerical, "LU solver"},
	{"twolf", "Twolf", Multiprogrammed, "placement and routing, 16 instances"},
	{"gcc", "Gcc", Multiprogrammed, "optimizing C compiler, 16 instances"},
	{"mcf", "MCF", Multiprogrammed, "combinatorial optimization, 16 instances"},
}

// FindApplication returns the row of a name.
func FindApplication(name string) (*Application, error) {
	var names []string
	for i := range Applications {
		if names = append(names, Applications[i].Name); names[i] == name {
			return &Applications[i], nil
		}
	}
	return nil, fmt.Errorf("%q is none of the twelve applications; they are %s", name, strings.Join(names, ", "))
}

// RecordingFile returns where the recording of an application is kept unless the user says
// otherwise: below the working directory, where it can be seen.
func RecordingFile(name string) string { return filepath.Join("recordings", name+".trace") }

// recorded holds the recordings. Those of applications are as carousel workload make all writes
// them. Their metadata says of what programs and versions they are, and how they were drawn.
//
//go:embed recorded/*.trace
var recorded embed.FS

// applicationRows are the rows of the catalogue for the twelve applications.
func applicationRows() (rows []Workload) {
	for _, a := range Applications {
		if _, err := fs.Stat(recorded, recordedFile(a.Name)); err == nil {
			rows = append(rows, Workload{Name: a.Name, Kind: Recording, Doc: a.Paper + ": " + a.Doc + "; recorded, embedded", New: openRecording})
		}
	}
	return rows
}

func recordedFile(name string) string { return "recorded/" + name + ".trace" }

func openRecording(w *Workload, c Config) (*Opened, error) {
	content, err := recorded.ReadFile(recordedFile(w.Name))
	if err != nil {
		return nil, err
	}
	f, err := traces.OpenReader(bytes.NewReader(content), int64(len(content)), traces.DefaultReaderConfig())
	if err != nil {
		return nil, fmt.Errorf("embedded recording %s: %w", w.Name, err)
	}
	if c.Cores != 0 && c.Cores != f.Cores() {
		f.Close()
		return nil, fmt.Errorf("workload cores is %d, and %s is a recording of %d; leave it at 0, or take a synthetic workload", c.Cores, w.Name, f.Cores())
	}
	return &Opened{Source: f, Info: Info{Name: w.Name, Doc: w.Doc, Kind: w.Kind, Metadata: f.Metadata(), Totals: f.Totals(), Bytes: f.Size()}}, nil
}

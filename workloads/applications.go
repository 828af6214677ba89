package workloads

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

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
	Doc   string // what the paper says it is
}

// Applications are the twelve, in the paper's order. Package recipe records them from real
// programs.
var Applications = []Application{
	{"apache", "Apache", Commercial, "task-parallel web server"},
	{"jbb", "Jbb", Commercial, "Java middleware application"},
	{"zeus", "Zeus", Commercial, "pipelined web server"},
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

// recordedFile returns the path of an embedded recording.
func recordedFile(name string) string { return "recorded/" + name + ".trace" }

// openRecording opens a recording that is part of the program.
func openRecording(w *Workload, c Config) (*Opened, error) {
	file, err := recorded.Open(recordedFile(w.Name))
	if err != nil {
		return nil, err
	}
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("embedded recording %s cannot be read in pieces", w.Name)
	}
	f, err := traces.OpenReader(at, about.Size(), traces.DefaultReaderConfig())
	if err != nil {
		return nil, fmt.Errorf("embedded recording %s: %w", w.Name, err)
	}
	if c.Cores != 0 && c.Cores != f.Cores() {
		f.Close()
		return nil, fmt.Errorf("workload cores is %d, and %s is a recording of %d; leave it at 0, or take a synthetic workload", c.Cores, w.Name, f.Cores())
	}
	return &Opened{Source: f, Info: Info{Name: w.Name, Doc: w.Doc, Kind: w.Kind, Metadata: f.Metadata(), Totals: f.Totals(), Bytes: f.Size()}}, nil
}

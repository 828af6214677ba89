package workloads

import (
	"fmt"
	"path/filepath"
	"strings"
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
	names := make([]string, len(Applications))
	for i := range Applications {
		if names[i] = Applications[i].Name; names[i] == name {
			return &Applications[i], nil
		}
	}
	return nil, fmt.Errorf("%q is none of the twelve applications; they are %s", name, strings.Join(names, ", "))
}

// RecordingFile returns where the recording of an application is kept unless the user says
// otherwise: below the working directory, where it can be seen.
func RecordingFile(name string) string { return filepath.Join("recordings", name+".trace") }

// Package formats is the table of foreign trace formats. Files of all of them may be compressed, in
// any way that package packed reads.
//
// A [Format] is a row of the [Table]; [Choose] finds the row and the files of an import, an [Input].
// To add a format, write a package beside this one and add a row.
//
// Laws: recognition is the reader itself. A file has a format if the importer of the format makes
// records of its first [HeadBytes]. Folders are looked into; the names of their files play no part,
// except that a file with a name of the chosen format is never left out.
package formats

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/champsim"
	"github.com/carousel-sim/carousel/traces/csv"
	"github.com/carousel-sim/carousel/traces/drmemtrace"
	"github.com/carousel-sim/carousel/traces/elastic"
	"github.com/carousel-sim/carousel/traces/serial"
	"github.com/carousel-sim/carousel/traces/synchrotrace"
)

// WorkloadOf names a workload after the first of its files.
func WorkloadOf(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	name := filepath.Base(paths[0])
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

// Format is one foreign format.
type Format struct {
	Name, Doc string
	Import    traces.Importer
	// Bounded reports whether Import stops at traces.ImportConfig.Instructions.
	Bounded bool
	// Timed reports whether Import can order threads by times, as traces.ImportConfig.Times asks.
	Timed bool
	// Doubt says why a file that Import can read may be of another format, or returns "". A file in
	// doubt must be imported by the name of its format. nil never doubts.
	Doubt func(head []byte) string
	// Named reports whether a file of a folder has a name of this format. nil is no name.
	Named func(name string) bool
	// Beside begins the names of files that the importer reads beside those of records.
	Beside string
}

// Table lists the formats. Recognition asks in this order.
var Table = []Format{
	{Name: "csv", Doc: "comma-separated values (carousel help traces): one file", Import: csv.Import},
	{Name: "drmemtrace", Bounded: true, Timed: true, Doc: "DynamoRIO's final offline traces, zipped or not: one file per thread or core, one file of interleaved threads, or a folder", Named: drmemtrace.Named, Import: drmemtrace.Import},
	{Name: "synchrotrace", Doc: "Sigil2's SynchroTrace events with calls and edges: one file per thread, or their folder", Named: synchrotrace.Named, Beside: "sigil.", Import: synchrotrace.Import},
	{Name: "lackey", Bounded: true, Doc: "Valgrind's lackey --trace-mem=yes: text, one file per core", Import: serial.Lackey},
	{Name: "din", Bounded: true, Doc: "Dinero's din format: text, one file per core", Doubt: serial.DinDoubt, Import: serial.Din},
	{Name: "pinatrace", Bounded: true, Doc: "Pin's example pinatrace: text, one file per core", Import: serial.Pin},
	{Name: "dramtrace", Bounded: true, Doc: "DRAM traces of Ramulator and DRAMSim: text, one file per core", Import: serial.DRAM},
	{Name: "ramulator", Bounded: true, Doc: "CPU traces of Ramulator, read only with --from ramulator: text, one file per core", Doubt: serial.RamulatorDoubt, Import: serial.Ramulator},
	{Name: "elastic", Bounded: true, Doc: "gem5's elastic traces with data dependences (protobuf): one file per core", Import: elastic.Import},
	{Name: "champsim", Bounded: true, Doc: "ChampSim instruction traces: one file per core", Import: champsim.Import},
}

// Names lists the formats' names.
func Names() (list []string) {
	for _, f := range Table {
		list = append(list, f.Name)
	}
	return list
}

// Find returns the format of a name.
func Find(name string) (Format, error) {
	if i := slices.Index(Names(), name); i >= 0 {
		return Table[i], nil
	}
	return Format{}, fmt.Errorf("format %q is not known; there are %s", name, strings.Join(Names(), ", "))
}

// Recognise finds the format of a file or of a folder of recordings.
func Recognise(path string) (Format, error) {
	in, err := Choose([]string{path}, "", false)
	return in.Format, err
}

// Package formats is the table of foreign trace formats. Files of all of them may be compressed, in
// any way that package packed reads.
//
// There is one type, [Format], and one [Table] of it; the command line lists and calls its rows. To
// add a format, write a package beside this one and add a row.
package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/champsim"
	"github.com/carousel-sim/carousel/traces/csv"
	"github.com/carousel-sim/carousel/traces/din"
	"github.com/carousel-sim/carousel/traces/drmemtrace"
	"github.com/carousel-sim/carousel/traces/lackey"
	"github.com/carousel-sim/carousel/traces/packed"
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
	// Recognise tells from the first bytes of a file, decompressed, whether it is of this format.
	Recognise func(head []byte) bool
	Import    traces.Importer
	// Bounded reports whether Import stops at traces.ImportConfig.Instructions.
	Bounded bool
	// Folder reports whether a folder holds files of this format; nil where folders are not read.
	Folder func(path string) bool
}

// Table lists the formats. Recognition asks in this order.
var Table = []Format{
	{Name: "csv", Doc: "comma-separated values (carousel help traces): one file", Recognise: csv.Sniff, Import: csv.Import},
	{Name: "drmemtrace", Bounded: true, Doc: "DynamoRIO's final offline traces, zipped or not: one file per thread or their folder", Recognise: drmemtrace.Sniff, Folder: drmemtrace.IsFolder, Import: drmemtrace.Import},
	{Name: "synchrotrace", Doc: "Sigil2's SynchroTrace events with calls and edges: one file per thread or their folder", Recognise: synchrotrace.Sniff, Folder: synchrotrace.IsFolder, Import: synchrotrace.Import},
	{Name: "lackey", Bounded: true, Doc: "Valgrind's lackey --trace-mem=yes: text, one file per core", Recognise: lackey.Sniff, Import: lackey.Import},
	{Name: "din", Bounded: true, Doc: "Dinero's din format: text, one file per core", Recognise: din.Sniff, Import: din.Import},
	{Name: "champsim", Bounded: true, Doc: "ChampSim instruction traces: 64-byte records, one file per core", Recognise: champsim.Sniff, Import: champsim.Import},
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
	info, err := os.Stat(path)
	if err != nil {
		return Format{}, err
	}
	if info.IsDir() {
		for _, f := range Table {
			if f.Folder != nil && f.Folder(path) {
				return f, nil
			}
		}
		return Format{}, fmt.Errorf("%s: the folder holds no recordings that are recognised; name their format", path)
	}
	head, err := readHead(path)
	if err != nil {
		return Format{}, err
	}
	for _, f := range Table {
		if f.Recognise(head) {
			return f, nil
		}
	}
	if problem := csv.Unlike(head); problem != "" {
		return Format{}, fmt.Errorf("%s: the format is not recognised: as csv, %s", path, problem)
	}
	return Format{}, fmt.Errorf("%s: the format is not recognised; name one of %s", path, strings.Join(Names(), ", "))
}

const headBytes = 4096

// readHead reads the beginning of a file, decompressed. What cannot be decompressed is no format
// that is known, and not an error here.
func readHead(path string) ([]byte, error) {
	from, err := packed.Open(path, nil)
	if damaged := new(traces.Error); errors.As(err, &damaged) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(from, head)
	return head[:n], nil
}

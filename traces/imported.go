package traces

import "io"

// ImportConfig has the options of importers; the zero value imports everything. Importers ignore
// options that do not apply to their formats.
type ImportConfig struct {
	Workload string // name in the metadata
	Origin   string // a sentence for the metadata
	// Instructions bounds what is read of each file; 0 is no bound.
	Instructions uint64
	// Passed is called, from any goroutine, with the number of bytes of a file, as it is stored,
	// that have been read since the last call. An error that it returns ends the import. It may be
	// nil.
	Passed func(bytes int) error
}

// Importer turns foreign files into a trace: one file per core or thread, or a folder of them, as
// its format has it. Its errors name the file and the byte at which something is wrong.
type Importer func(paths []string, c ImportConfig, to Destination) (Imported, error)

// Destination makes the writer of a trace once an importer knows its metadata.
type Destination func(Metadata) (*Writer, error)

// ToFile writes to a path.
func ToFile(path string, c WriterConfig) Destination {
	return func(m Metadata) (*Writer, error) { return CreateFile(path, m, c) }
}

// ToStream writes to anything that takes bytes.
func ToStream(out io.Writer, c WriterConfig) Destination {
	return func(m Metadata) (*Writer, error) { return NewWriter(out, m, c) }
}

// Imported is what an importer reports.
type Imported struct {
	Metadata Metadata
	Totals   []CoreTotals // per core, as written
	Input    []Count      // what the foreign files held, and what became of it
}

// Count is one number of an import's report.
type Count struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// Sum adds the totals of all cores.
func (i Imported) Sum() CoreTotals { return Survey{Totals: i.Totals}.Sum() }

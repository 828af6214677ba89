package traces

import "io"

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
	Name string
	N    uint64
}

// Sum adds the totals of all cores.
func (i Imported) Sum() CoreTotals { return Survey{Totals: i.Totals}.Sum() }

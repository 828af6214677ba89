package workloads

import (
	"embed"
	"fmt"
	"io"
	"io/fs"

	"github.com/carousel-sim/carousel/traces"
)

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

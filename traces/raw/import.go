package raw

import (
	"fmt"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "raw 2"

// Import reads the recordings of all threads, given as files or their folder.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	if err := c.Validate(); err != nil {
		return none, err
	}
	files, err := list(paths)
	if err != nil {
		return none, err
	}
	inputs := make([]*input, 0, len(files))
	defer func() {
		for _, in := range inputs {
			in.file.Close()
		}
	}()
	for core, path := range files {
		in, err := openInput(path, core, c.Passed)
		if err != nil {
			return none, err
		}
		inputs = append(inputs, in)
	}
	return importFrom(inputs, c, to)
}

func importFrom(inputs []*input, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	m := traces.DefaultMetadata(c.Workload, len(inputs))
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, Version, "x86_64", "mapped"
	for _, in := range inputs {
		m.CoreNames = append(m.CoreNames, fmt.Sprintf("cpu %d", in.current.cpu))
		if !in.ended && in.current.kind != kindEvent && in.current.physical != 0 {
			m.Addresses = "physical"
		}
	}
	m.EdgeBytes = order.Bytes
	m.Notes = []string{"order between threads is kept by edges from the last writer of each word; futex calls and thread starts of the recording are not replayed",
		"frames are given to virtual pages in order of first touch, from 0"}
	if m.Addresses == "physical" {
		m.Notes = m.Notes[:1]
	}
	w, err := to(m)
	if err != nil {
		return traces.Imported{}, err
	}
	g := newMerge(inputs, c, m, w)
	if err := g.run(); err != nil {
		w.Abort()
		return traces.Imported{}, err
	}
	if err := w.Close(); err != nil {
		return traces.Imported{}, err
	}
	return traces.Imported{Metadata: m, Totals: w.Totals(), Input: g.counts.list(g.finder)}, nil
}

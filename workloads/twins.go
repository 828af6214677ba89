package workloads

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/twin"
)

// applicationRows are the rows of the catalogue for the applications whose twin is part of the program.
func applicationRows() []Workload {
	var rows []Workload
	embedded := twin.Embedded()
	for _, a := range Applications {
		if slices.Contains(embedded, a.Name) {
			rows = append(rows, Workload{Name: a.Name, Kind: Twin, Doc: a.Paper + ": " + a.Doc + "; generator fitted to a recording", New: openTwin})
		}
	}
	return rows
}

func openTwin(w *Workload, c Config) (*Opened, error) {
	p, err := twin.Lookup(w.Name)
	if err != nil {
		return nil, err
	}
	o, err := OpenParameters(p, c)
	if err != nil {
		return nil, err
	}
	o.Info.Name, o.Info.Doc = w.Name, w.Doc
	return o, nil
}

// OpenParameters opens the twin that parameters describe.
func OpenParameters(p *twin.Parameters, c Config) (*Opened, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s, err := twin.New(p, twin.Config{Cores: c.Cores, Records: c.Records, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	m := traces.DefaultMetadata(p.Workload, s.Cores())
	m.Origin = fmt.Sprintf("synthetic twin, seed %d, fitted to %d records of: %s", c.Seed, p.Records, p.Recording)
	return &Opened{Source: s, Info: Info{Name: p.Workload, Doc: "generator fitted to a recording", Kind: Twin, Metadata: m}}, nil
}

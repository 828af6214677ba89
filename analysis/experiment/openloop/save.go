package openloop

import (
	"encoding/json"
	"os"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest) (err error) {
	m.Routers, m.Traces = s.Routers, []experiment.TraceIdentity{}
	for i := range s.Runs {
		m.Seeds = append(m.Seeds, s.Seed+uint64(i))
	}
	m.Study, err = s.Key()
	return err
}

// Save puts the tables traffic, routers, links and latency and manifest.json into a folder and commits it.
// Either all files appear or none.
func Save(folder *tables.Folder, r *Result, m *experiment.Manifest, parquet bool) error {
	defer folder.Discard()
	compact, err := json.Marshal(m)
	if err != nil {
		return err
	}
	manifest := string(compact)
	pretty, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	var points []tables.Traffic
	var routers []tables.Router
	var links []tables.Link
	var latency []tables.Latency
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		points = append(points, o.Row)
		routers, links, latency = append(routers, o.Routers...), append(links, o.Links...), append(latency, o.Latency...)
	}
	for _, put := range []func() error{
		func() error { return tables.Put(folder, tables.TrafficPoints, points, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Routers, routers, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Links, links, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Latencies, latency, manifest, parquet) },
		func() error {
			return folder.Add("manifest.json", func(w *os.File) error {
				_, err := w.Write(append(pretty, '\n'))
				return err
			})
		},
	} {
		if err := put(); err != nil {
			return err
		}
	}
	return folder.Commit()
}

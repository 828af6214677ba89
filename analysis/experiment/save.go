package experiment

import (
	"encoding/json"
	"os"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// Save puts the tables and manifest.json into a folder and commits it. Either all files appear or none.
func Save(folder *tables.Folder, rows *Rows, m *Manifest, parquet bool) error {
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
	for _, put := range []func() error{
		func() error { return tables.Put(folder, tables.Runs, rows.Runs, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Routers, rows.Routers, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Links, rows.Links, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Latencies, rows.Latency, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Cores, rows.Cores, manifest, parquet) },
		func() error { return tables.Put(folder, tables.Epochs, rows.Epochs, manifest, parquet) },
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

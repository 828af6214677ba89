package experiment

import (
	"encoding/json"
	"os"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// Save puts the tables of a study and manifest.json into a folder and commits it. Either all files
// appear or none.
func Save(folder *tables.Folder, rows *tables.Rows, m *Manifest) error {
	defer folder.Discard()
	compact, err := m.Text()
	if err != nil {
		return err
	}
	pretty, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := rows.Put(folder, compact); err != nil {
		return err
	}
	err = folder.Add("manifest.json", func(w *os.File) error {
		_, err := w.Write(append(pretty, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return folder.Commit()
}

package recipe

import (
	"os"

	"github.com/carousel-sim/carousel/workloads"
)

// Description says how an application is recorded, and what is missing for it on this computer.
type Description struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Program  string   `json:"program"`
	Licence  string   `json:"licence"`
	Packages []string `json:"packages"`
	Missing  []string `json:"missing"` // packages that are not installed
	Records  uint64   `json:"records"`
	Windows  int      `json:"windows"`           // that are kept of them
	Each     uint64   `json:"window_records"`    // in each
	Skip     uint64   `json:"skip_instructions"` // 0: the program marks its region
	PerCore  bool     `json:"per_core"`
	File     string   `json:"file"`
	Recorded bool     `json:"recorded"` // the file is there
}

// Describe looks at this computer for what a recipe needs.
func Describe(r *Recipe) (Description, error) {
	p, err := workloads.FindApplication(r.Name)
	if err != nil {
		return Description{}, err
	}
	d := Description{Name: r.Name, Doc: p.Paper + ": " + p.Doc, Program: r.Program, Licence: r.Licence, Packages: r.Packages(), Missing: r.Missing(),
		Records: r.Records, Windows: r.Windows, Each: r.WindowRecords, Skip: r.Skip, PerCore: r.PerCore, File: workloads.RecordingFile(r.Name)}
	_, err = os.Stat(d.File)
	d.Recorded = err == nil
	return d, nil
}

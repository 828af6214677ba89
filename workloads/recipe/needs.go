package recipe

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads"
)

// Packages lists the Debian packages of all that a recipe needs.
func (r *Recipe) Packages() []string { return packages(r.Needs) }

// Missing lists those of what the machine has not.
func (r *Recipe) Missing() []string {
	var missing []Need
	for _, n := range r.Needs {
		if _, err := exec.LookPath(n.Program); err != nil {
			missing = append(missing, n)
		}
	}
	return packages(missing)
}

// versions returns the versions of a recipe's packages, where dpkg-query knows them.
func (r *Recipe) versions(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "dpkg-query", append([]string{"--show", "--showformat=${Package} ${Version}, "}, r.Packages()...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), ", ")
}

func packages(needs []Need) []string {
	list := []string{}
	for _, n := range needs {
		list = append(list, strings.Fields(n.Package)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// check returns what is missing, as a record.ErrMissing.
func (r *Recipe) check() error {
	packages := r.Missing()
	if len(packages) == 0 {
		return nil
	}
	list := strings.Join(packages, " ")
	return fmt.Errorf("%w: %s needs %s; on Debian: apt-get install --no-install-recommends %s", record.ErrMissing, r.Name, list, list)
}

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

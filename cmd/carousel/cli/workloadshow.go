package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

// shownRecipe is what workload show prints of an application.
type shownRecipe struct {
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

func workloadShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Aliases:           []string{"info"},
		Short:             "Print what a workload is: of an application, how it is recorded, and what is missing for it",
		Example:           "  carousel workload show apache\n  carousel workload show mcf --format json",
		Args:              a.oneWorkload,
		ValidArgsFunction: a.offerWorkloads,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := recipe.Find(args[0])
			if err != nil {
				return a.showWorkload(args[0])
			}
			p, err := workloads.FindApplication(r.Name)
			if err != nil {
				return err
			}
			shown := shownRecipe{Name: r.Name, Doc: p.Paper + ": " + p.Doc, Program: r.Program, Licence: r.Licence, Packages: r.Packages(), Missing: r.Missing(),
				Records: r.Records, Windows: r.Windows, Each: r.WindowRecords, Skip: r.Skip, PerCore: r.PerCore, File: workloads.RecordingFile(r.Name)}
			if _, err := os.Stat(shown.File); err == nil {
				shown.Recorded = true
			}
			return a.print(shown, shown.sheet())
		},
	}
}

// showWorkload prints a workload of the catalogue that is none of the twelve applications.
func (a *app) showWorkload(name string) error {
	w, err := workloads.Find(name, a.extra.Workloads...)
	if err != nil {
		return a.unknownWorkload(name)
	}
	opened, err := w.Open(workloads.Default())
	if err != nil {
		return inputError{err}
	}
	defer opened.Close()
	shown := struct {
		Name   string         `json:"name"`
		Doc    string         `json:"doc"`
		Kind   workloads.Kind `json:"kind"`
		Cores  int            `json:"cores"` // unless the user says otherwise, where that is possible
		Origin string         `json:"origin"`
	}{w.Name, w.Doc, w.Kind, opened.Cores(), opened.Info.Metadata.Origin}
	s := sheet.New("what", "value")
	s.Add("workload", shown.Doc)
	s.Add("kind", string(shown.Kind))
	s.Add("cores", fmt.Sprint(shown.Cores))
	s.Add("origin", shown.Origin)
	return a.print(shown, s)
}

func (r shownRecipe) sheet() *sheet.Sheet {
	region, missing, file := "from the program's mark", "nothing", "part of the program; "+r.File+", which would be taken instead, is not there (carousel workload make "+r.Name+")"
	if r.Skip > 0 {
		region = fmt.Sprintf("after %d instructions", r.Skip)
	}
	if r.PerCore {
		region += ", one run per core"
	}
	if len(r.Missing) > 0 {
		missing = strings.Join(r.Missing, " ")
	}
	if r.Recorded {
		file = r.File
	}
	s := sheet.New("what", "value")
	s.Add("application", r.Doc)
	s.Add("program", r.Program)
	s.Add("region", region)
	s.Add("licence", r.Licence)
	s.Add("accesses", fmt.Sprintf("%d, of which %d windows of %d are kept", r.Records, r.Windows, r.Each))
	s.Add("packages", strings.Join(r.Packages, " "))
	s.Add("not installed", missing)
	s.Add("recording", file)
	return s
}

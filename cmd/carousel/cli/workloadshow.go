package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

func workloadShow(a *app) *cobra.Command {
	command := newCommand("workload show", a.oneWorkload, func(_ *cobra.Command, args []string) error {
		r, err := recipe.Find(args[0])
		if err != nil {
			return a.showWorkload(args[0])
		}
		d, err := recipe.Describe(r)
		if err != nil {
			return err
		}
		return a.print(d, describedRecipe(d))
	})
	command.Aliases, command.ValidArgsFunction = []string{"info"}, a.offerWorkloads
	return command
}

// showWorkload prints a workload of the catalogue that is none of the twelve applications.
func (a *app) showWorkload(name string) error {
	w, err := workloads.Find(name, a.extra.Workloads...)
	if err != nil {
		return unknownWorkload(name, a.extra.WorkloadNames())
	}
	opened, err := w.Open(workloads.Default())
	if err != nil {
		return inputError{err}
	}
	defer opened.Close()
	return printFacts(a, struct {
		Name   string         `json:"name"`
		Doc    string         `json:"doc" title:"workload"`
		Kind   workloads.Kind `json:"kind" title:"kind"`
		Cores  int            `json:"cores" title:"cores"` // unless the user says otherwise, where that is possible
		Origin string         `json:"origin" title:"origin"`
	}{w.Name, w.Doc, w.Kind, opened.Cores(), opened.Info.Metadata.Origin})
}

// describedRecipe is a description for people.
func describedRecipe(r recipe.Description) *sheet.Sheet {
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
	s.Add("accesses", fmt.Sprintf("%d, of which %d windows of %d on average are kept", r.Records, r.Windows, r.Each))
	s.Add("packages", strings.Join(r.Packages, " "))
	s.Add("not installed", missing)
	s.Add("recording", file)
	return s
}

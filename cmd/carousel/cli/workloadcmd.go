package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/workloads"
)

// listedWorkload is one row of workload list.
type listedWorkload struct {
	Name  string         `json:"name" title:"name"`
	Suite string         `json:"suite,omitempty" title:"suite"` // of the twelve applications
	Kind  workloads.Kind `json:"kind" title:"run takes a"`      // "" where it must be recorded first
	Doc   string         `json:"doc" title:"what it is"`
}

// workloadRows joins the twelve applications and the catalogue; a name that is in both is one row.
func workloadRows(others []workloads.Workload) []listedWorkload {
	var rows []listedWorkload
	for _, p := range workloads.Applications {
		row := listedWorkload{Name: p.Name, Suite: string(p.Suite), Doc: p.Paper + ": " + p.Doc}
		if w, err := workloads.Find(p.Name); err == nil {
			row.Kind = w.Kind
		}
		rows = append(rows, row)
	}
	for _, w := range slices.Concat(workloads.Table, others) {
		if _, err := workloads.FindApplication(w.Name); err != nil {
			rows = append(rows, listedWorkload{Name: w.Name, Kind: w.Kind, Doc: w.Doc})
		}
	}
	return rows
}

func workloadList(a *app) *cobra.Command {
	return newCommand("workload list", noArguments, func(*cobra.Command, []string) error { return printList(a, workloadRows(a.extra.Workloads)) })
}

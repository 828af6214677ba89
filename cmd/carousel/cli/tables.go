package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func tablesCommand(a *app) *cobra.Command {
	return newCommand("tables", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		list := tables.Descriptions()
		if len(args) > 0 {
			var err error
			if list, err = tables.DescribeFolder(args[0]); err != nil {
				return inputError{err}
			}
			if len(list) == 0 {
				return usagef("%s holds no result tables; name a folder that run, traffic, sweep or paper run wrote", args[0])
			}
		}
		s := sheet.New("table", "column", "type", "null", "unit", "meaning")
		for _, t := range list {
			for _, c := range t.Columns {
				s.Add(t.Name, c.Name, c.Type, c.Null, c.Unit, c.Doc)
			}
		}
		return a.print(list, s)
	})
}

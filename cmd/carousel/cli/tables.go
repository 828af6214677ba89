package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func tablesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "tables [DIR]",
		Short: "List the result tables with their columns, units and meaning",
		Long: `Lists every table that a study may write: its columns, their types, units and meaning. With a
folder, lists the tables that are there.`,
		Example: "  carousel tables\n  carousel tables results/study --format json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list := tables.Descriptions()
			if len(args) > 0 {
				var err error
				if list, err = tablesIn(args[0], list); err != nil {
					return err
				}
			}
			s := sheet.New("table", "column", "type", "null", "unit", "meaning")
			for _, t := range list {
				for _, c := range t.Columns {
					null := "no"
					if c.Null {
						null = "yes"
					}
					s.Add(t.Name, c.Name, c.Type, null, c.Unit, c.Doc)
				}
			}
			return a.print(list, s)
		},
	}
}

// tablesIn returns the descriptions of the tables that a folder has, as its files tell them.
func tablesIn(dir string, all []tables.Description) ([]tables.Description, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, inputError{err}
	}
	var found []tables.Description
	for _, t := range all {
		d, err := tables.DescribeFile(filepath.Join(dir, t.Name+".arrow"))
		switch {
		case err == nil:
			found = append(found, d)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, inputError{err}
		}
	}
	if len(found) == 0 {
		return nil, usagef("%s holds no result tables; name a folder that run, traffic, sweep or paper run wrote", dir)
	}
	return found, nil
}

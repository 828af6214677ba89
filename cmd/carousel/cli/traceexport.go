package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/traces/formats"
	"github.com/carousel-sim/carousel/traces/wholefile"
)

// exportLong is the help text.
const exportLong = `Writes a trace in one of the formats that hold all its records and edges; trace import reads them
back record by record.

csv is lines of fields. The first names the columns, in any order:
  core        from 0
  gap         instructions since the core's previous record, its own included
  kind        load, store, atomic, fetch, fence, lock, unlock, barrier, create, join, end
  address     virtual byte address; of a lock, barrier and the like the number of the object or core
  size        bytes accessed
  physical    physical address (may stand for address)
  dependence  distance in accesses back to the load that made this address
  count       how many cores meet at a barrier
  after       core:position of records that must come first
  value       what an access has read or written: two hexadecimal digits per byte, in the order of addresses
For import the first five are enough. binary is records of 32 bytes with the same fields, described in the
package documentation of traces/flat. text is what trace cat prints; it keeps the metadata, too.`

func traceExport(a *app) *cobra.Command {
	var to string
	var out newFile
	command := &cobra.Command{
		Use:     "export FILE",
		Short:   "Write a trace in a format that other programs read and write",
		Long:    exportLong,
		Example: "  carousel trace export my.trace --to csv -o my.csv",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			return a.exportTrace(command, args[0], to, out)
		},
	}
	command.Flags().StringVar(&to, "to", "csv", "format: "+strings.Join(formats.Exporting(), ", "))
	out.flags(command.Flags(), "the new file")
	windowFlag(command)
	complete(command, "to", formats.Exporting())
	return command
}

// exportTrace writes a trace in another format.
func (a *app) exportTrace(command *cobra.Command, path, to string, into newFile) error {
	format, err := formats.Find(to)
	if err != nil || format.Export == nil {
		return usagef("--to %s: traces can be written as %s%s", to, strings.Join(formats.Exporting(), ", "), config.Suggestion(to, formats.Exporting()))
	}
	if err := into.check("file", path); err != nil {
		return err
	}
	out := into.path
	followed := a.follow(command.Context(), "exporting", path)
	file, err := a.openWindow(command, path, followed.passed)
	if err != nil {
		return err
	}
	defer file.Close()
	err = wholefile.Write(out, func(w io.Writer) error {
		if err := format.Export(w, file, file.Metadata().Alone()); err != nil {
			return fmt.Errorf("cannot export %s: %w", path, err)
		}
		return nil
	})
	if err := followed.end(err, nothingWritten(out)); err != nil {
		return err
	}
	return printOne(a, struct {
		File    string `json:"file" title:"file"`
		To      string `json:"to" title:"format"`
		Records uint64 `json:"records" title:"records"`
	}{out, format.Name, uint64(plan.RecordsOf(file.Totals()))})
}

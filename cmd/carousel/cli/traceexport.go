package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces/formats"
)

func traceExport(a *app) *cobra.Command {
	var to string
	var out newFile
	command := newCommand("trace export", oneFile, func(command *cobra.Command, args []string) error {
		return a.exportTrace(command, args[0], to, out)
	})
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
		return usagef("--to %s: traces can be written as %s%s", to, strings.Join(formats.Exporting(), ", "), suggest.Text(to, formats.Exporting()))
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

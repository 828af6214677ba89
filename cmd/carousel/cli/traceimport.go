package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/formats"
	"github.com/carousel-sim/carousel/traces/inspect"
)

// importFlags are the flags of carousel trace import.
type importFlags struct {
	newFile
	from, name string
	config     traces.ImportConfig
}

func traceImport(a *app) *cobra.Command {
	var f importFlags
	command := newCommand("trace import", someArguments("needs files"), func(command *cobra.Command, args []string) error {
		return a.importTrace(command, args, f)
	})
	command.Long += "\n" + formatList()
	flags := command.Flags()
	flags.StringVar(&f.from, "from", "", "format of the files: "+strings.Join(formats.Names(), ", ")+" (default: recognised)")
	f.traceFlags(flags)
	flags.StringVar(&f.name, "name", "", "workload's name in the metadata (default: from the first file)")
	flags.StringVar(&f.config.Origin, "origin", "", "sentence about the trace's origin, for the metadata")
	flags.Uint64Var(&f.config.Instructions, "instructions", 0, "maximum number of instructions per file (champsim, drmemtrace, lackey, din); 0 reads all")
	complete(command, "from", formats.Names())
	return command
}

// importTrace reads files of another format and writes a trace.
func (a *app) importTrace(command *cobra.Command, files []string, f importFlags) error {
	if err := f.check("trace", files...); err != nil {
		return err
	}
	format, err := chooseFormat(f.from, files[0])
	if err != nil {
		return err
	}
	if command.Flags().Changed("instructions") && !format.Bounded {
		return usagef("--instructions has no effect on files of format %s; leave it out", format.Name)
	}
	f.config.Workload = formats.WorkloadOf(files)
	if format.Name == "text" {
		f.config.Workload = "" // its metadata name it
	}
	if f.name != "" {
		f.config.Workload = f.name
	}
	followed := a.follow(command.Context(), "importing", files...)
	f.config.Passed = followed.passed
	prove, err := a.readerConfig(command, followed.passed)
	if err != nil {
		return err
	}
	done, err := format.Import(files, f.config, f.destination(prove))
	if errors.As(err, new(*traces.Unproved)) {
		err = fmt.Errorf("%s: %w", files[0], err)
	}
	if err := followed.end(err, nothingWritten(f.path)); err != nil {
		return err
	}
	written := inspect.NewWritten(f.path, done)
	written.From = format.Name
	return a.printWritten(written)
}

// formatList returns the table of formats for the help text.
func formatList() string {
	var b strings.Builder
	for _, f := range formats.Table {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Name, f.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// chooseFormat finds the format by name, or by the first file when there is no name.
func chooseFormat(name, first string) (formats.Format, error) {
	if name == "" {
		f, err := formats.Recognise(first)
		if err != nil {
			return f, inputError{err}
		}
		return f, nil
	}
	f, err := formats.Find(name)
	if err != nil {
		return f, usagef("--from: %w%s", err, suggest.Text(name, formats.Names()))
	}
	return f, nil
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/formats"
)

// importFlags are the flags of carousel trace import.
type importFlags struct {
	from, out, name string
	small           bool
	config          traces.ImportConfig
}

func traceImport(a *app) *cobra.Command {
	var f importFlags
	command := &cobra.Command{
		Use:   "import FILES...",
		Short: "Turn traces of other formats into one of ours",
		Long: `Reads traces of another format and writes one trace file. Without --from the format is
recognised by its first bytes. The formats:
` + formatList(),
		Example: "  carousel trace import --from text mine.txt -o mine.trace\n  carousel trace import recording/ -o mine.trace",
		Args: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs files (see %s --help)", command.CommandPath(), command.CommandPath())
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			return a.importTrace(command, args, f)
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.from, "from", "", "format of the files: "+strings.Join(formats.Names(), ", ")+" (default: recognised)")
	flags.StringVarP(&f.out, "output", "o", "", "the new trace")
	flags.StringVar(&f.name, "name", "", "workload's name in the metadata (default: from the first file)")
	flags.StringVar(&f.config.Origin, "origin", "", "a sentence about the trace's origin, for the metadata")
	flags.BoolVar(&f.small, "small", false, "spend ten times the time on compression")
	flags.Uint64Var(&f.config.FromStamp, "from-stamp", 0, "first order stamp to keep (raw)")
	flags.Uint64Var(&f.config.ToStamp, "to-stamp", 0, "first order stamp to leave out (raw); 0 keeps all")
	flags.Uint64Var(&f.config.Instructions, "instructions", 0, "instructions to read per file (champsim, drmemtrace, lackey, din); 0 reads all")
	complete(command, "from", formats.Names())
	return command
}

// importTrace reads files of another format and writes a trace.
func (a *app) importTrace(command *cobra.Command, files []string, f importFlags) error {
	if f.out == "" {
		return usagef("name the new trace with -o FILE")
	}
	for _, path := range files {
		if err := distinct(path, f.out); err != nil {
			return err
		}
	}
	if err := creatable("-o", f.out); err != nil {
		return err
	}
	format, err := chooseFormat(f.from, files[0])
	if err != nil {
		return err
	}
	f.config.Workload = formats.WorkloadOf(files)
	if format.Name == "text" {
		f.config.Workload = "" // its metadata name it
	}
	if f.name != "" {
		f.config.Workload = f.name
	}
	if err := f.config.Validate(); err != nil {
		return usageError{err}
	}
	writing := traces.DefaultWriterConfig()
	writing.Small = f.small
	followed := a.follow(command.Context(), "importing", files...)
	f.config.Passed = followed.passed
	done, err := format.Import(files, f.config, traces.ToFile(f.out, writing))
	if err := followed.end(err, nothingWritten(f.out)); err != nil {
		return err
	}
	return a.printImport(format.Name, f.out, done)
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
		return f, usagef("--from: %w%s", err, config.Suggestion(name, formats.Names()))
	}
	return f, nil
}

// printImport reports what was read and written.
func (a *app) printImport(format, out string, done traces.Imported) error {
	written, s := describeWritten(out, done)
	s.After = append(s.After, "trace: "+out)
	return a.print(struct {
		From string `json:"from"`
		writtenTrace
		Notes []string `json:"notes"`
	}{format, written, done.Metadata.Notes}, s)
}

// writtenTrace is what the reports of imports and recordings say of the trace that they wrote.
type writtenTrace struct {
	File         string       `json:"file"`
	Workload     string       `json:"workload"`
	Cores        int          `json:"cores"`
	ActiveCores  int          `json:"active_cores"` // that access memory
	Records      uint64       `json:"records"`
	Edges        uint64       `json:"edges"`
	Instructions uint64       `json:"instructions"`
	Input        []inputCount `json:"input"`
}

// inputCount is one number of what was read.
type inputCount struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// describeWritten returns what was read and written, for JSON and as a table.
func describeWritten(out string, done traces.Imported) (writtenTrace, *sheet.Sheet) {
	sum := done.Sum()
	s := sheet.New("what", "number")
	w := writtenTrace{File: out, Workload: done.Metadata.Workload, Cores: done.Metadata.Cores, ActiveCores: traces.ActiveCores(done.Totals),
		Records: sum.Records, Edges: sum.Edges, Instructions: sum.Instructions}
	for _, c := range done.Input {
		w.Input = append(w.Input, inputCount{c.Name, c.N})
		s.Add(c.Name, fmt.Sprint(c.N))
	}
	s.Add("cores", fmt.Sprint(w.Cores))
	s.Add("cores that access memory", fmt.Sprint(w.ActiveCores))
	s.Add("records written", fmt.Sprint(w.Records))
	s.Add("edges written", fmt.Sprint(w.Edges))
	s.Add("instructions", fmt.Sprint(w.Instructions))
	s.After = append(s.After, traces.IdleNote(w.ActiveCores, w.Cores)...)
	return w, s
}

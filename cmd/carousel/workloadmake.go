package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

const makeLong = `Records one of the twelve applications from a real program, as carousel workload show NAME says, under
QEMU's user-mode emulation (see carousel trace record --help). Programs that are not installed are named with their
Debian packages; --install lets apt-get install them.

Inputs are made in a temporary folder. Servers listen on the loopback interface only, and end with the recording. The
region of interest begins after the programs' start; it ends after --records accesses and fetched lines of all cores.
`

func workloadMake(a *app) *cobra.Command {
	config := recipe.Default()
	var out string
	var install bool
	command := &cobra.Command{
		Use:   "make [flags] NAME",
		Short: "Record one of the twelve applications from a real program, with QEMU",
		Long:  makeLong,
		Example: "  carousel workload make is\n" +
			"  carousel workload make apache --out apache.trace --records 1000000\n" +
			"  carousel workload make mcf --install --cores 64",
		Args: oneApplication,
		RunE: func(command *cobra.Command, args []string) error {
			r, err := recipe.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			if err := config.Validate(); err != nil {
				return usageError{err}
			}
			if !command.Flags().Changed("out") {
				out = workloads.RecordingFile(r.Name)
				if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
					return inputError{err}
				}
			}
			ctx := command.Context()
			if install {
				if err := r.Install(ctx, a.stderr); err != nil {
					return a.endRecording(ctx, out, record.Result{}, false, err)
				}
			}
			instances := 1
			if r.PerCore {
				instances = config.Cores
			}
			config.Environment = a.environment
			config.Progress = a.recordingProgress(instances)
			done, err := recipe.Make(ctx, r, config, traces.ToFile(out, traces.DefaultWriterConfig()))
			return a.endRecording(ctx, out, done, false, err)
		},
	}
	flags := command.Flags()
	flags.StringVar(&out, "out", "", "the new trace (default recordings/NAME.trace)")
	flags.Uint64Var(&config.Records, "records", 0, "end after so many accesses and fetched lines of all cores (default the recipe's number)")
	flags.IntVar(&config.Cores, "cores", config.Cores, "cores of the trace: threads of the program, or instances of it")
	flags.DurationVar(&config.Limit, "limit", config.Limit, "give up after this time, and keep what was recorded")
	flags.BoolVar(&install, "install", false, "install what is missing with apt-get first")
	return command
}

// oneApplication demands the name of an application.
func oneApplication(command *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	var names []string
	for _, p := range workloads.Applications {
		names = append(names, p.Name)
	}
	return usagef("%s takes the name of one application: %s", command.CommandPath(), strings.Join(names, ", "))
}

// shownRecipe is what workload show prints of an application.
type shownRecipe struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Program  string   `json:"program"`
	Packages []string `json:"packages"`
	Missing  []string `json:"missing"` // packages that are not installed
	Records  uint64   `json:"records"`
	Skip     uint64   `json:"skip_instructions"` // 0: the program marks its region
	PerCore  bool     `json:"per_core"`
	File     string   `json:"file"`
	Recorded bool     `json:"recorded"` // the file is there
}

func workloadShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Aliases: []string{"info"},
		Short:   "Print how one of the twelve applications is recorded, and what is missing for it",
		Example: "  carousel workload show apache\n  carousel workload show mcf --format json",
		Args:    oneApplication,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := recipe.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			p, err := workloads.FindApplication(r.Name)
			if err != nil {
				return err
			}
			shown := shownRecipe{Name: r.Name, Doc: p.Paper + ": " + p.Doc, Program: r.Program, Packages: r.Packages(), Missing: r.Missing(),
				Records: r.Records, Skip: r.Skip, PerCore: r.PerCore, File: workloads.RecordingFile(r.Name)}
			if _, err := os.Stat(shown.File); err == nil {
				shown.Recorded = true
			}
			return a.print(shown, shown.sheet())
		},
	}
}

func (r shownRecipe) sheet() *sheet {
	region, missing, file := "from the program's mark", "nothing", r.File+" (not there; carousel workload make "+r.Name+")"
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
	s := &sheet{header: []string{"what", "value"}}
	s.add("application", r.Doc)
	s.add("program", r.Program)
	s.add("region", region)
	s.add("accesses", fmt.Sprint(r.Records))
	s.add("packages", strings.Join(r.Packages, " "))
	s.add("not installed", missing)
	s.add("recording", file)
	return s
}

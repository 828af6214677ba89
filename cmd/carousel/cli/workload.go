package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

// listedWorkload is one row of workload list.
type listedWorkload struct {
	Name  string         `json:"name" title:"name"`
	Suite string         `json:"suite,omitempty" title:"suite"` // of the twelve applications
	Kind  workloads.Kind `json:"kind" title:"kind"`             // "" where it must be recorded first
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

func workloadShow(a *app) *cobra.Command {
	command := newCommand("workload show", a.oneWorkload, func(_ *cobra.Command, args []string) error {
		r, err := recipe.Find(args[0])
		if err != nil {
			return a.showWorkload(args[0])
		}
		d := recipe.Describe(r)
		return a.print(d, describedRecipe(d))
	})
	command.Aliases, command.ValidArgsFunction = []string{"info"}, a.offerWorkloads
	return command
}

// showWorkload prints a workload of the catalogue that is none of the twelve applications.
func (a *app) showWorkload(name string) error {
	w, err := workloads.Find(name, a.extra.Workloads...)
	if err != nil {
		return unknownWorkload(name, workloads.Names(a.extra.Workloads...))
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
	region, missing, file := "from the program's marker", "nothing", "embedded; replaced by "+r.File+", which the command carousel workload make "+r.Name+" writes"
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
	s.Add("accesses of all cores", fmt.Sprintf("%d, of which %d windows of %d on average are kept", r.Records, r.Windows, r.Each))
	s.Add("packages", strings.Join(r.Packages, " "))
	s.Add("not installed", missing)
	s.Add("recording", file)
	return s
}

func workloadMake(a *app) *cobra.Command {
	config := recipe.Default()
	var out newFile
	var perCore uint64
	command := newCommand("workload make", func(command *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] == everyApplication {
			return nil
		}
		return a.oneWorkload(command, args)
	}, func(command *cobra.Command, args []string) error {
		if err := a.checkMake(command, args[0], config); err != nil {
			return err
		}
		var err error
		if config.Records, err = ofAllCores(perCore, config.Cores); err != nil {
			return err
		}
		if err := config.Validate(); err != nil {
			return usageError{err}
		}
		if args[0] == everyApplication {
			return a.recordAll(command, config, out)
		}
		return a.makeWorkload(command, args[0], config, out)
	})
	command.ValidArgsFunction = a.offerWorkloads
	flags := command.Flags()
	out.flags(flags, "the new trace (default recordings/NAME.trace), or the folder for all of them")
	flags.StringVar(&out.path, "out", "", "the old spelling of --output")
	flags.Lookup("out").Hidden = true
	flags.Uint64Var(&perCore, "records", 0, "maximum number of accesses and fetched lines per core, on average over the cores (default: see carousel workload show)")
	flags.IntVar(&config.Cores, "cores", config.Cores, "cores of the trace: threads of the program, or instances of it")
	flags.IntVar(&config.Turn, "turn", config.Turn, "instructions that a thread executes before the next one runs; 0 lets the operating system schedule")
	flags.IntVar(&config.Windows, "windows", config.Windows, "number of windows to write, each with the contents of caches at its start; 0 writes everything; -1 means the default of the application, or 0 with --records")
	flags.Uint64Var(&config.WindowRecords, "window-records", 0, "mean length of a window, in accesses and fetched lines of all cores; the minimum length if windows go from barrier to barrier (default: see carousel workload show)")
	flags.DurationVar(&config.Limit, "limit", config.Limit, "give up after this time, and keep what was recorded")
	return command
}

// checkMake refuses flags that have no effect on a workload.
func (a *app) checkMake(command *cobra.Command, name string, config recipe.Config) error {
	if _, err := recipe.Find(name); err == nil || name == everyApplication {
		if config.Windows == 0 || config.Windows == recipe.RecipesWindows && isOn(command.Flags(), "records") {
			if err := noEffect(command, "without --windows", "window-records"); err != nil {
				return err
			}
		}
		return noEffect(command, "on an application that is recorded", "seed")
	}
	w, err := workloads.Find(name, a.extra.Workloads...)
	switch {
	case err != nil: // which is refused later
		return nil
	case w.Kind == workloads.Recording:
		return noEffect(command, "on a recording", "cores", "records", "seed", "turn", "windows", "window-records", "limit")
	}
	return noEffect(command, "on a synthetic workload", "turn", "windows", "window-records", "limit")
}

// ofAllCores is a number of records per core for all cores together.
func ofAllCores(perCore uint64, cores int) (uint64, error) {
	const most = 1 << 48
	if perCore > most {
		return 0, usagef("--records %d: at most %d are allowed", perCore, uint64(most))
	}
	return perCore * uint64(max(cores, 1)), nil
}

// everyApplication names the twelve together.
const everyApplication = "all"

// recordAll records all applications into a folder.
func (a *app) recordAll(command *cobra.Command, config recipe.Config, out newFile) error {
	folder := cmp.Or(out.path, filepath.Dir(workloads.RecordingFile(everyApplication)))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return usagef("the folder for recordings cannot be made: %w; name another with -o", err)
	}
	files := make([]string, len(recipe.Table))
	for i := range files {
		files[i] = filepath.Join(folder, recipe.Table[i].Name+".trace")
		if err := creatable("-o", files[i], out.force); err != nil {
			return err
		}
	}
	for i := range files {
		if err := a.recordApplication(command, &recipe.Table[i], config, files[i]); err != nil {
			return err
		}
	}
	return nil
}

// makeWorkload makes the trace of one workload.
func (a *app) makeWorkload(command *cobra.Command, name string, config recipe.Config, out newFile) error {
	r, err := recipe.Find(name)
	synthetic, missing := workloads.Find(name, a.extra.Workloads...)
	if err != nil && missing != nil {
		return unknownWorkload(name, workloads.Names(a.extra.Workloads...))
	}
	if out.path == "" {
		out.path = workloads.RecordingFile(name)
		if err := os.MkdirAll(filepath.Dir(out.path), 0o755); err != nil {
			return usagef("the folder for recordings cannot be made: %w; name a file with -o", err)
		}
	}
	if failed := out.check("trace"); failed != nil {
		return failed
	}
	if err == nil {
		return a.recordApplication(command, r, config, out.path)
	}
	return a.makeSynthetic(command, synthetic, config, out.path)
}

// makeSynthetic writes the records of a workload that is made, not recorded.
func (a *app) makeSynthetic(command *cobra.Command, w *workloads.Workload, config recipe.Config, out string) error {
	size := workloads.Default()
	var err error
	if size.Seed, err = command.Flags().GetUint64("seed"); err != nil {
		return err
	}
	if command.Flags().Changed("cores") {
		size.Cores = config.Cores
	}
	if config.Records > 0 {
		size.Records = int(config.Records) / config.Cores // as many for each core
	}
	opened, err := w.Open(size)
	if err != nil {
		return usagef("workload %s: %w", w.Name, err)
	}
	defer opened.Close()
	to, err := traces.CreateFile(out, opened.Info.Metadata, traces.DefaultWriterConfig())
	if err != nil {
		return inputError{err}
	}
	followed := a.follow(command.Context(), "making")
	followed.unit = "records"
	for _, t := range opened.Info.Totals {
		followed.total += int64(t.Records)
	}
	if followed.total == 0 {
		followed.total = int64(opened.Cores() * size.Records)
	}
	err = traces.Copy(to, followedSource{opened, followed})
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		to.Abort()
	}
	if err := followed.end(err, nothingWritten(out)); err != nil {
		return err
	}
	return a.printWritten(inspect.NewWritten(out, traces.Imported{Metadata: opened.Info.Metadata, Totals: to.Totals()}))
}

// recordApplication follows a recipe.
func (a *app) recordApplication(command *cobra.Command, r *recipe.Recipe, config recipe.Config, out string) error {
	instances := 1
	if r.PerCore {
		instances = config.Cores
	}
	config.Environment = a.environment
	config.Progress = a.recordingProgress(instances)
	writing := traces.DefaultWriterConfig()
	writing.Small = config.Windows != 0 // there is little to write, and all of it is kept
	ctx := command.Context()
	done, err := recipe.Make(ctx, r, config, traces.ToFile(out, writing))
	return a.endRecording(ctx, out, done, false, err)
}

// followedSource counts the records that are read from a source.
type followedSource struct {
	traces.Source
	reading *reading
}

func (s followedSource) ReadRecords(core int, into []traces.Record) (int, error) {
	n, err := s.Source.ReadRecords(core, into)
	if stop := s.reading.passed(n); stop != nil {
		return n, stop
	}
	return n, err
}

// oneWorkload demands one name.
func (a *app) oneWorkload(command *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return usagef("%s takes the name of one workload: %s", command.CommandPath(), strings.Join(workloads.Names(a.extra.Workloads...), ", "))
}

func unknownWorkload(name string, names []string) error {
	return usagef("workload %q is not known; there are %s%s", name, strings.Join(names, ", "), suggest.Text(name, names))
}

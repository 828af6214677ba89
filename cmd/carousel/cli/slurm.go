package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/slurm"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

// clusterFlags are the flags of carousel sweep for a cluster.
type clusterFlags struct {
	slurm, submit bool
	tasks         int
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.slurm, "slurm", false, "write the scripts of a Slurm job array that runs the plan, instead of running it")
	flags.BoolVar(&f.submit, "submit", false, "submit the scripts of --slurm")
	flags.IntVar(&f.tasks, "tasks", 0, "tasks of the array of --slurm (default one for each point, at most 64)")
}

// defaultTasks is how many tasks an array has at most unless it is said.
const defaultTasks = 64

// check finds contradictions.
func (f *sweepFlags) check(command *cobra.Command, points int) error {
	changed := command.Flags().Changed
	switch {
	case f.slurm && changed("monitor"):
		return usagef("--monitor and --slurm exclude each other: other machines run the points")
	case f.dry && changed("monitor"):
		return usagef("--monitor and --dry-run exclude each other: a dry run has nothing to show")
	case !f.slurm && f.submit:
		return usagef("--submit needs --slurm")
	case !f.slurm && changed("tasks"):
		return usagef("--tasks needs --slurm; use --jobs for the runs at the same time on this computer")
	case f.slurm && f.shard != "":
		return usagef("--slurm and --shard exclude each other: each task of the array runs a shard")
	case f.slurm && f.dry:
		return usagef("--slurm and --dry-run exclude each other: choose one")
	case f.slurm && changed("tasks") && (f.tasks < 1 || f.tasks > points):
		return usagef("--tasks %d: 1 to %d are allowed, the number of points", f.tasks, points)
	}
	return nil
}

// clusterReport is the JSON document of carousel sweep --slurm.
type clusterReport struct {
	Points  int    `json:"points"`
	Tasks   int    `json:"tasks"`
	Array   string `json:"array_script"`
	Merge   string `json:"merge_script"`
	ArrayID string `json:"array_job,omitempty"`
	MergeID string `json:"merge_job,omitempty"`
	Tables  string `json:"tables"`
}

// cluster writes the scripts that do a plan as a job array, and submits them if that is asked for.
func (a *app) cluster(command *cobra.Command, planFile string, from config.Origin, out string, points int, f sweepFlags) error {
	s, err := a.clusterStudy(command, planFile, out, points, f.tasks)
	if err != nil {
		return err
	}
	for task := 1; task <= s.Tasks && !f.resume; task++ {
		if kept, err := sweep.Finished(s.Shard(task), sweep.Builds{Any: true}, nil); err == nil && len(kept) > 0 {
			return usagef("%s holds %d finished points; add --resume to keep and use them, or choose another --out", s.Shard(task), len(kept))
		}
	}
	if err := s.Write(); errors.Is(err, fs.ErrExist) {
		return usagef("%s %s: %w, and is not as this command wrote it; move it away, or choose another --out", from.Label("out"), out, err)
	} else if err != nil {
		return outError(from, out, err)
	}
	r := clusterReport{Points: points, Tasks: s.Tasks, Tables: out}
	r.Array, r.Merge = s.Scripts()
	said := []string{fmt.Sprintf("%d tasks for %d points: submit %s, and %s when all tasks are done, which joins their tables in %s", s.Tasks, points, r.Array, r.Merge, out)}
	if f.submit {
		r.ArrayID, r.MergeID, err = s.Submit(command.Context())
		if errors.Is(err, slurm.ErrNoSlurm) {
			return usagef("--submit: %w; leave it out, and submit the scripts on a computer that has Slurm", err)
		} else if err != nil {
			return wrongError{err}
		}
		said[0] = fmt.Sprintf("job %s: %d tasks for %d points; job %s then joins their tables in %s", r.ArrayID, s.Tasks, points, r.MergeID, out)
	}
	table := sheet.New("script", "job")
	table.Add(r.Array, r.ArrayID)
	table.Add(r.Merge, r.MergeID)
	table.After = said
	return a.print(r, table)
}

// clusterStudy is the study: the command that was given, with whatever a task has of its own left
// out.
func (a *app) clusterStudy(command *cobra.Command, planFile, out string, points, tasks int) (s slurm.Study, err error) {
	program, err := os.Executable()
	if err != nil {
		return s, wrongError{err}
	}
	work, err := os.Getwd()
	if err != nil {
		return s, wrongError{err}
	}
	var ofSweep []string // flags that carousel merge does not have
	merge, _, _ := command.Root().Find([]string{"merge"})
	command.Flags().Visit(func(f *pflag.Flag) {
		if merge.Flag(f.Name) == nil {
			ofSweep = append(ofSweep, f.Name)
		}
	})
	s = slurm.Study{Name: "carousel-" + planName(planFile), Work: work, Out: out, Tasks: tasks, Processors: 1,
		Environment: slices.DeleteFunc(slices.Clone(a.environment), func(entry string) bool { return !strings.HasPrefix(entry, "CAROUSEL_") }),
		Sweep:       append([]string{program, "sweep", planFile}, givenFlags(command, "slurm", "submit", "tasks", "resume", "out", "jobs", "format", "parquet", "csv", "compression")...),
		Merge:       append([]string{program, "merge"}, givenFlags(command, append(ofSweep, "out", "jobs", "format", "set", "seed", "config", "preset")...)...)}
	if tasks == 0 {
		s.Tasks = min(points, defaultTasks)
	}
	if command.Flags().Changed("jobs") {
		s.Processors, err = command.Flags().GetInt("jobs")
	}
	return s, err
}

// givenFlags are the flags of a command as they were given, but for some.
func givenFlags(command *cobra.Command, without ...string) (args []string) {
	skip := map[string]bool{}
	for _, name := range without {
		skip[name] = true
	}
	command.Flags().Visit(func(f *pflag.Flag) {
		if skip[f.Name] {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, value := range list.GetSlice() {
				args = append(args, "--"+f.Name+"="+value)
			}
			return
		}
		args = append(args, "--"+f.Name+"="+f.Value.String())
	})
	return args
}

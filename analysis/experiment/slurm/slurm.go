// Package slurm runs the shards of a sweep on a cluster: a Slurm job array runs them, and a second
// job joins their tables.
//
// There is one type, a [Study]: [Study.Write] writes the two scripts, [Study.Submit] gives them to
// sbatch.
//
// A directory of such a study holds
//
//	slurm/array.sh     task N of the array does shard N
//	slurm/merge.sh     joins what the tasks have done
//	slurm/*.log        what tasks and joining have printed
//	shards/N/          the directory of task N, as any sweep's
//	*.arrow, …         the tables of all points, when all are done
//
// Laws: a script is there whole or not at all. Tasks share nothing but the file system: each works
// in a directory of its own. A task that was ended by a time limit or a broken node goes on where
// it was when the array is submitted again, since every task takes up what its directory has.
// Tables are joined only if every task has done all its points. The user sets what the scripts
// leave open (partition, account, time limit) by sbatch's own variables, such as SBATCH_PARTITION,
// or edits the scripts.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Study is a sweep to be done on a cluster. Paths may be relative to Work.
type Study struct {
	Name string
	Work string // the directory in which commands are given
	Out  string // where scripts, shards and tables go
	// Sweep does a shard, when --shard, --out and --jobs are added. Merge joins shards, when their
	// directories and --out are added.
	Sweep, Merge []string
	Environment  []string // NAME=VALUE, for both
	Tasks        int      // shards
	Processors   int      // of each task, which are its jobs too
}

// Scripts are the paths of the two scripts.
func (s Study) Scripts() (array, merge string) {
	return filepath.Join(s.Out, "slurm", "array.sh"), filepath.Join(s.Out, "slurm", "merge.sh")
}

// Shard is the directory of a task, from 1 on.
func (s Study) Shard(task int) string { return filepath.Join(s.Out, "shards", strconv.Itoa(task)) }

// Array is the script of the job array.
func (s Study) Array() string {
	const task = `"$SLURM_ARRAY_TASK_ID"`
	return s.script(fmt.Sprintf("#SBATCH --array=1-%d\n#SBATCH --cpus-per-task=%d\n", s.Tasks, s.Processors), "task-%a.log",
		shellescape.QuoteCommand(s.Sweep)+" --shard "+task+fmt.Sprintf("/%d", s.Tasks)+" --jobs "+strconv.Itoa(s.Processors)+
			" --resume --out "+shellescape.Quote(filepath.Join(s.Out, "shards"))+"/"+task)
}

// Join is the script that joins the shards.
func (s Study) Join() string {
	shards := make([]string, s.Tasks)
	for i := range shards {
		shards[i] = s.Shard(i + 1)
	}
	return s.script("", "merge.log", shellescape.QuoteCommand(s.Merge)+" "+shellescape.QuoteCommand(shards)+" --out "+shellescape.Quote(s.Out))
}

// Write writes the two scripts. The error is fs.ErrExist if a file there is no script of Write, or one that
// the user has edited.
func (s Study) Write() error {
	array, merge := s.Scripts()
	for _, path := range []string{array, merge} {
		if text, err := os.ReadFile(path); err == nil && signed(unsigned(string(text))) != string(text) {
			return &fs.PathError{Op: "replace", Path: path, Err: fs.ErrExist}
		}
	}
	if err := os.MkdirAll(filepath.Dir(array), 0o777); err != nil {
		return err
	}
	return errors.Join(wholefile.WriteBytes(array, []byte(signed(s.Array()))), wholefile.WriteBytes(merge, []byte(signed(s.Join()))))
}

// signature begins the last line of a script, which has a checksum of the lines above it.
const signature = "# written by carousel sweep --slurm, checksum "

func signed(script string) string {
	return fmt.Sprintf("%s%s%08x\n", script, signature, crc32.ChecksumIEEE([]byte(script)))
}

func unsigned(text string) string { return text[:max(0, strings.LastIndex(text, signature))] }

// script is a script for sbatch with some lines for it, a log, and a command that it does.
func (s Study) script(lines, log, command string) string {
	out := s.Out
	if !filepath.IsAbs(out) {
		out = filepath.Join(s.Work, out)
	}
	// sbatch reads its lines itself: a path with spaces stands in double quotes there.
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n#SBATCH --job-name=\"%s\"\n#SBATCH --output=\"%s\"\n%s", s.Name, filepath.Join(out, "slurm", log), lines)
	for _, entry := range s.Environment {
		name, value, _ := strings.Cut(entry, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, shellescape.Quote(value))
	}
	fmt.Fprintf(&b, "cd %s && exec %s\n", shellescape.Quote(s.Work), command)
	return b.String()
}

// ErrNoSlurm says that there is no sbatch here.
var ErrNoSlurm = errors.New("sbatch is not installed on this computer")

// Submit gives the written scripts to sbatch, the second for when the first has succeeded, and
// returns the numbers of the two jobs.
func (s Study) Submit(ctx context.Context) (array, merge string, err error) {
	first, second := s.Scripts()
	if array, err = sbatch(ctx, first); err != nil {
		return "", "", err
	}
	merge, err = sbatch(ctx, "--dependency=afterok:"+array, "--kill-on-invalid-dep=yes", second)
	if err != nil {
		err = fmt.Errorf("job %s is submitted, but the job that joins its tables is not: %w", array, err)
	}
	return array, merge, err
}

// sbatch submits a script and returns the number of its job.
func sbatch(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("sbatch")
	if err != nil {
		return "", ErrNoSlurm
	}
	var said strings.Builder
	command := exec.CommandContext(ctx, path, append([]string{"--parsable"}, args...)...)
	command.Stderr = &said
	answer, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(said.String()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(answer)), ";") // NUMBER, or NUMBER;CLUSTER
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch printed %q instead of a job number", answer)
	}
	return id, nil
}

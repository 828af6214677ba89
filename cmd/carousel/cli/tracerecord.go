package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads/recipe"
	"github.com/carousel-sim/carousel/workloads/riscv"
)

// recording is what the flags of carousel trace record say.
type recording struct {
	newFile
	config            record.Config
	machine           record.System
	mapping, output   string
	noFetches, system bool
	program           programFlags
	live              bool
	window            uint64 // instructions per core of one that is executed
	perCore           uint64 // records
}

func traceRecord(a *app) *cobra.Command {
	r := recording{config: record.DefaultConfig(), machine: record.DefaultSystem()}
	command := newCommand("trace record", func(command *cobra.Command, args []string) error {
		if r.program.path != "" {
			return nil
		}
		return someArguments("needs a program after --")(command, args)
	}, func(command *cobra.Command, args []string) error {
		if r.program.path != "" {
			return a.recordProgram(command, &r, args)
		}
		if err := r.check(command, args); err != nil {
			return err
		}
		r.config.Input, r.config.Errors = os.Stdin, a.stderr.To
		r.config.Environment = record.OpenMP(a.environment, r.config.Cores)
		if r.system {
			r.config.Environment = record.OpenMP(nil, r.config.Cores) // the machine does not inherit this environment
		}
		output, close, err := r.programOutput(a.stderr.To)
		if err != nil {
			return err
		}
		defer close()
		r.config.Output = output
		r.config.Progress = a.recordingProgress(r.config.Instances)
		done, err := record.Run(command.Context(), r.config, r.destination(nil))
		return a.endRecording(command.Context(), r.path, done, r.config.GoOn, err)
	})
	flags := command.Flags()
	flags.SetInterspersed(false) // the program's own flags are not ours
	r.add(flags)
	return command
}

// check completes the configuration, or tells which flags do not fit.
func (r *recording) check(command *cobra.Command, args []string) (err error) {
	var input []string
	if _, err := os.Stat(args[0]); err == nil { // else it is a name to search for
		input = args[:1]
	}
	program, _ := exec.LookPath(args[0])
	inputs := []string{r.machine.Kernel, program}
	for _, a := range args {
		if info, err := os.Stat(a); err == nil && info.Mode().IsRegular() {
			inputs = append(inputs, a)
		}
	}
	for _, file := range r.machine.Files {
		place, _, _ := strings.Cut(file, "=")
		inputs = append(inputs, place)
	}
	if err := r.checkFiles(input, inputs...); err != nil {
		return err
	}
	r.config.Program, r.config.Fetches, r.config.Records = args, !r.noFetches, r.perCore
	if r.config.Instances == 1 && !r.config.Children { // else each core has a process of its own
		if r.config.Records, err = ofAllCores(r.perCore, r.config.Cores); err != nil {
			return err
		}
	}
	r.config.Workload = cmp.Or(r.config.Workload, filepath.Base(args[0]))
	if r.system {
		r.config.System = &r.machine
	}
	if r.config.Mapping, err = record.ParseMapping(r.mapping); err != nil {
		return usagef("--threads-to-cores %s: %w", r.mapping, err)
	}
	if err := r.config.Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// checkFiles refuses new files that are inputs, or each other, or that cannot be made. read is what
// must exist.
func (r *recording) checkFiles(read []string, inputs ...string) error {
	if err := r.newFile.check("trace", read...); err != nil {
		return err
	}
	if err := apart("-o", r.path, "file", inputs...); err != nil || r.output == "" {
		return err
	}
	if sameFile(r.path, r.output) {
		return usagef("--program-output %s is the file of -o; name another file", r.output)
	}
	if err := apart("--program-output", r.output, "file", append(inputs, read...)...); err != nil {
		return err
	}
	return creatable("--program-output", r.output, r.force)
}

// programOutput opens the file of --program-output, which the caller closes. Without one the
// program writes to another place.
func (r *recording) programOutput(instead io.Writer) (output io.Writer, close func() error, err error) {
	if r.output == "" {
		return instead, func() error { return nil }, nil
	}
	file, err := os.Create(r.output)
	if err != nil {
		return nil, nil, usagef("--program-output: %w; choose a place that can be written", err)
	}
	return file, file.Close, nil
}

func (r *recording) add(flags *pflag.FlagSet) {
	r.traceFlags(flags)
	r.program.add(flags)
	flags.StringVar(&r.config.Workload, "name", "", "workload's name in the metadata (default: the program's)")
	flags.IntVar(&r.config.Cores, "cores", r.config.Cores, "cores of the trace; with --system use --cpus")
	flags.StringVar(&r.mapping, "threads-to-cores", "", "cores of the threads in order of appearance, such as 0,0,1,1, repeated for more threads; - leaves a thread out (default 0,1,2,...)")
	flags.IntVar(&r.config.Instances, "instances", 1, "number of runs of the program, each on its own core and in its own address space; {} in an argument is the number of the run, from 0")
	flags.BoolVar(&r.config.Children, "children", false, "record forked processes too, each on the next core; programs that they execute are not recorded with --begin, --markers or --skip-instructions")
	flags.Uint64Var(&r.config.SkipInstructions, "skip-instructions", 0, "number of instructions of all threads before the region")
	flags.StringVar(&r.config.Begin, "begin", "", "start the region at the entry of this function")
	flags.StringVar(&r.config.End, "end", "", "end the region at the entry of this function")
	flags.BoolVar(&r.config.Marker, "markers", false, "start and end the region at the program's marker instructions")
	flags.Uint64Var(&r.config.Instructions, "instructions", 0, "maximum number of instructions of all threads; 0 means no limit")
	flags.Uint64Var(&r.perCore, "records", 0, "maximum number of accesses and fetched lines per core, on average over the cores; 0 means no limit")
	flags.IntVar(&r.config.Turn, "turn", r.config.Turn, "instructions that a thread or processor executes before the next one runs; 0 lets the operating system schedule")
	flags.IntVar(&r.config.Windows, "windows", 0, "number of windows to write, each with the contents of caches at its start; 0 writes everything")
	flags.Uint64Var(&r.config.WindowRecords, "window-records", 320000, "mean length of a window, in accesses and fetched lines of all cores; the minimum length if windows go from barrier to barrier")
	flags.BoolVar(&r.live, "live", false, "write windows of a program for RISC-V that carousel run executes, instead of records")
	flags.Uint64Var(&r.window, "window-instructions", config.Default().Program.WindowInstructions, "length of a window of --live, in instructions per core; the minimum length if windows go from barrier to barrier")
	flags.BoolVar(&r.config.GoOn, "go-on", false, "continue the program after the region without recording it (default: stop it)")
	flags.BoolVar(&r.noFetches, "no-fetches", false, "leave out instruction fetches")
	flags.StringVar(&r.config.Processor, "cpu", r.config.Processor, "QEMU's processor model; libraries may select code for it")
	flags.StringVar(&r.config.Emulator, "qemu", r.config.Emulator, "name or path of the emulator (default qemu-x86_64, with --system "+record.SystemEmulator+")")
	flags.StringVar(&r.output, "program-output", "", "file for the program's standard output")
	flags.BoolVar(&r.system, "system", false, "record a whole machine that runs Linux and the program")
	flags.IntVar(&r.config.Cores, "cpus", r.config.Cores, "processors of the machine, one for each core of the trace")
	flags.StringVar(&r.machine.Kernel, "kernel", "", "image of a Linux kernel (default: the newest /boot/vmlinuz-*)")
	flags.StringVar(&r.machine.Busybox, "busybox", r.machine.Busybox, "name or path of a statically linked busybox")
	flags.StringArrayVar(&r.machine.Files, "file", nil, "file or folder to put into the machine, PATH or PATH=PATH IN THE MACHINE; may be repeated")
	flags.StringVar(&r.machine.Setup, "setup", "", "command to run in the machine before its state is saved; it is not recorded")
	flags.IntVar(&r.machine.Memory, "memory", r.machine.Memory, "the machine's memory in MiB, up to 2048")
}

// recordingProgress draws how far a recording is, on a terminal; elsewhere it is nil.
func (a *app) recordingProgress(instances int) func(record.Progress) {
	status := a.statusLine()
	if status == nil {
		return nil
	}
	return func(p record.Progress) {
		line := fmt.Sprintf("recording: %s accesses, %s instructions, %d threads", rate(float64(p.Records)), rate(float64(p.Instructions)), p.Threads)
		switch {
		case p.Stage != "" && p.Records == 0:
			line = p.Stage
		case instances > 1:
			line = fmt.Sprintf("instance %d of %d, ", p.Instance+1, instances) + line
		}
		status.draw(true, func() string { return line })
	}
}

// endRecording prints the report of a recording, or classifies why there is none.
func (a *app) endRecording(ctx context.Context, out string, done record.Result, goOn bool, err error) error {
	a.statusLine().clear()
	switch {
	case errors.Is(err, record.ErrNothing), errors.Is(err, recipe.ErrLimit), err != nil && ctx.Err() != nil:
		return wrongError{err}
	case errors.Is(err, record.ErrMissing):
		return usageError{err}
	case err != nil:
		return cmp.Or[error](unwritten(err), inputError{err})
	}
	if err := a.printRecording(out, done, goOn); err != nil {
		return err
	}
	switch {
	case done.Interrupted:
		return interruptedError{"what was recorded is in " + out}
	case done.Status != "":
		return wrongError{fmt.Errorf("the program ended with %s; its recording up to that point is in %s", done.Status, out)}
	}
	return nil
}

// printRecording reports what was recorded.
func (a *app) printRecording(out string, done record.Result, goOn bool) error {
	written := inspect.NewWritten(out, done.Imported)
	status := done.Status
	switch {
	case done.Interrupted:
		status = "interrupted"
	case status == "" && done.Reason != record.ProgramEnded && !goOn:
		status = "stopped at the end of the region"
	case status == "":
		status = "success"
	}
	written.Ended, written.Program = done.Reason.String(), status
	return a.printWritten(written, "ended because "+written.Ended, "program: "+status)
}

// programFlags name a program for RISC-V and what it may read.
type programFlags struct{ path, files string }

func (p *programFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.path, "program", "", "statically linked program for RISC-V, whose arguments follow -- (see carousel help live)")
	flags.StringVar(&p.files, "files", "", "folder whose files the program of --program may read")
}

// programFailure classifies why a program for RISC-V did not end.
func programFailure(err error) error {
	if full := unwritten(err); full != nil {
		return full
	}
	switch {
	case errors.Is(err, riscv.ErrWindows):
		return usageError{err}
	case errors.As(err, new(*fs.PathError)):
		return inputError{err}
	}
	return wrongError{err}
}

// saveWindows saves windows of a program.
func saveWindows(ctx context.Context, p *riscv.Program, r *recording) (done record.Result, err error) {
	list, err := p.Windows(ctx, riscv.WindowConfig{Windows: r.config.Windows, Instructions: r.window})
	if err != nil {
		return done, err
	}
	return p.Save(list, r.config, r.destination(nil))
}

// recordProgram records a program for RISC-V.
func (a *app) recordProgram(command *cobra.Command, r *recording, args []string) error {
	if err := r.checkFiles([]string{r.program.path}, r.program.files); err != nil {
		return err
	}
	how := riscv.DefaultConfig()
	how.Threads, how.Arguments, how.Files, how.Fetches = r.config.Cores, args, r.program.files, !r.noFetches
	if err := how.Validate(); err != nil {
		return usageError{err}
	}
	p, err := riscv.Open(r.program.path, how)
	if err != nil {
		return inputError{err}
	}
	output, close, err := r.programOutput(a.stderr.To) // which empties it
	if err != nil {
		return err
	}
	defer close()
	p.Config.Output = output
	var done record.Result
	if r.live {
		done, err = saveWindows(command.Context(), p, r)
	} else {
		done, err = riscv.Record(command.Context(), p, r.config, r.destination(nil))
	}
	if err != nil && command.Context().Err() != nil {
		return interruptedError{"nothing is kept; start the command again"}
	}
	if err != nil {
		return programFailure(err)
	}
	return a.endRecording(command.Context(), r.path, done, r.config.GoOn, nil)
}

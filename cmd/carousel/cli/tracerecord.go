package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

const recordLong = `Runs an unmodified x86-64 program under QEMU's user-mode emulation and writes what its threads do
as a trace: instructions, loads, stores, atomics, instruction fetches by line, and the order between
threads. Needs qemu-x86_64 (6.2 to 8.2) and a C compiler, which builds the recorder's plugin on first
use; on Debian: apt-get install qemu-user gcc libc6-dev.

The program's standard output goes to standard error unless --program-output names a file. QEMU stays on
one processor of this machine, so that the order of accesses is known. Where the environment does not
say otherwise, OpenMP gets OMP_NUM_THREADS=CORES and OMP_WAIT_POLICY=passive: spinning is an artefact of
the recording machine.

Threads take turns: each lets the next one work after --turn instructions, when it waits in the kernel,
and after an atomic access to a word that another thread has accessed so last. A replay keeps the
recorded order of threads that read what others write outside locks and barriers. Where carousel run warns
of recorded order, record with turns of 10 and of 1000 instructions: if the results differ, the order of
recording decides them.

The region between markers begins and ends with instructions that do nothing. In C:
  #define MARK(code) __asm__ volatile(".byte 0x0f, 0x1f, 0x80, " #code ", 0x00, 0xa7, 0x0c")
  MARK(0x01); /* begin */   MARK(0x02); /* end */

With --data the trace also holds what each access read or wrote, and the code that was fetched. Such a
trace takes ten times the space or more. --data does not work with --system: the recorder does not
see a machine's memory.

With --system a whole machine is recorded: Linux on --cpus processors, which are the trace's cores, with
what the kernel does, and with physical addresses. On Debian: apt-get install qemu-system-x86
busybox-static linux-image-cloud-amd64 gcc libc6-dev. The machine has no disk: it starts with busybox's
commands, the program and its shared libraries, and what --file adds; the folder in which the command is
given is there, too. Standard input is empty. The region is what the machine does from the program's start
to its end, or lies between markers of the program or of a script with the commands region-begin and
region-end:
  carousel trace record --system --markers -o web.trace --file ./www --file ./ask.sh -- sh ./ask.sh

A machine is booted once and its state kept in the user's cache folder: the next recording with the same
kernel, files, program and machine starts there and is the same, record by record. --setup runs a
command before that, unrecorded and at full speed.

With --program a statically linked program for RISC-V is recorded on any machine, without QEMU: see
carousel help live. Its arguments follow --. Its recordings are equal byte by byte.

A program that fails ends the command with exit code 1; what was recorded is kept.`

// recording is what the flags of carousel trace record say.
type recording struct {
	newFile
	config            record.Config
	machine           record.System
	mapping, output   string
	noFetches, system bool
	program           programFlags
}

func traceRecord(a *app) *cobra.Command {
	r := recording{config: record.DefaultConfig(), machine: record.DefaultSystem()}
	command := &cobra.Command{
		Use:   "record [flags] -- PROGRAM ARGS...",
		Short: "Record an unmodified program as a trace, with QEMU",
		Long:  recordLong,
		Example: "  carousel trace record -o ls.trace -- ls -l\n" +
			"  carousel trace record -o pipe.trace --children -- sh -c 'ls -l / | sort -k5n | tail -3'\n" +
			"  carousel trace record -o lu.trace --begin compute --instructions 100000000 -- ./lu 16\n" +
			"  carousel trace record -o gcc.trace --instances 16 --records 1000000 -- ./cc1 -quiet input{}.i -o /dev/null\n" +
			"  carousel trace record --system -o is.trace -- ./is.S\n" +
			"  carousel trace record --program ./a.out -o a.trace -- 16",
		Args: func(command *cobra.Command, args []string) error {
			if r.program.path != "" {
				return nil
			}
			return someArguments("needs a program after --")(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			if r.program.path != "" {
				return a.recordProgram(command, &r, args)
			}
			if err := r.check(command, args); err != nil {
				return err
			}
			r.config.Input, r.config.Output, r.config.Errors = os.Stdin, a.stderr, a.stderr
			r.config.Environment = record.OpenMP(a.environment, r.config.Cores)
			if r.system {
				r.config.Environment = record.OpenMP(nil, r.config.Cores) // a machine knows nothing of this one
			}
			if r.output != "" {
				if err := creatable("--program-output", r.output, r.force); err != nil {
					return err
				}
				file, err := os.Create(r.output)
				if err != nil {
					return usagef("--program-output: %w; choose a place that can be written", err)
				}
				defer file.Close()
				r.config.Output = file
			}
			return a.record(command.Context(), r.config, r.newFile)
		},
	}
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
	if err := r.newFile.check("trace", input...); err != nil {
		return err
	}
	r.config.Program, r.config.Fetches = args, !r.noFetches
	if r.config.Workload == "" {
		r.config.Workload = filepath.Base(args[0])
	}
	if err := ofSystem(command, r.system); err != nil {
		return err
	}
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

func (r *recording) add(flags *pflag.FlagSet) {
	r.traceFlags(flags)
	r.program.add(flags)
	flags.StringVar(&r.config.Workload, "name", "", "workload's name in the metadata (default: the program's)")
	flags.IntVar(&r.config.Cores, "cores", r.config.Cores, "cores of the trace (--cpus with --system)")
	flags.StringVar(&r.mapping, "threads-to-cores", "", "core of each thread in order of appearance, such as 0,0,1,1; - leaves a thread out (default 0,1,2,...); then from the front again")
	flags.IntVar(&r.config.Instances, "instances", 1, "runs of the program, each on the next core in an address space of its own; {} in an argument is the number, from 0")
	flags.BoolVar(&r.config.Children, "children", false, "record forked processes too, each on the next core, and what they execute if the region begins at the start")
	flags.Uint64Var(&r.config.SkipInstructions, "skip-instructions", 0, "begin after so many instructions of all threads")
	flags.StringVar(&r.config.Begin, "begin", "", "begin at the entry of this function of the program")
	flags.StringVar(&r.config.End, "end", "", "end at the entry of this function of the program")
	flags.BoolVar(&r.config.Marker, "markers", false, "begin and end at the program's marker instructions")
	flags.Uint64Var(&r.config.Instructions, "instructions", 0, "end after so many instructions of all threads; 0 is no limit")
	flags.Uint64Var(&r.config.Records, "records", 0, "end after so many accesses and fetched lines; 0 is no limit")
	flags.IntVar(&r.config.Turn, "turn", r.config.Turn, "a thread or processor lets the next one work after so many instructions; 0 leaves it to this computer")
	flags.IntVar(&r.config.Windows, "windows", 0, "write only so many windows, each with what caches hold at its begin; 0 writes everything")
	flags.Uint64Var(&r.config.WindowRecords, "window-records", 320000, "accesses and fetched lines of all cores in a window, on average over the recording; from barrier to barrier, where the program has enough of them, at least so many")
	flags.BoolVar(&r.config.GoOn, "go-on", false, "let the program run to its end, unrecorded, after the region (default: stop it)")
	flags.BoolVar(&r.noFetches, "no-fetches", false, "leave out instruction fetches")
	flags.BoolVar(&r.config.Values, "data", false, "record what accesses read and write")
	flags.StringVar(&r.config.Processor, "cpu", r.config.Processor, "QEMU's processor model; it decides which code libraries choose")
	flags.StringVar(&r.config.Emulator, "qemu", r.config.Emulator, "name or path of the emulator (default qemu-x86_64, with --system "+record.SystemEmulator+")")
	flags.StringVar(&r.output, "program-output", "", "file for the program's standard output")
	flags.BoolVar(&r.system, "system", false, "record a whole machine that runs Linux and the program")
	flags.IntVar(&r.config.Cores, "cpus", r.config.Cores, "processors of the machine, which are the cores of the trace")
	flags.StringVar(&r.machine.Kernel, "kernel", "", "image of a Linux kernel (default: the newest /boot/vmlinuz-*)")
	flags.StringVar(&r.machine.Busybox, "busybox", r.machine.Busybox, "name or path of a statically linked busybox")
	flags.StringArrayVar(&r.machine.Files, "file", nil, "file or folder to put into the machine, PATH or PATH=PATH IN THE MACHINE; repeatable")
	flags.StringVar(&r.machine.Setup, "setup", "", "command for the machine's shell before the program, not recorded, at full speed")
	flags.IntVar(&r.machine.Memory, "memory", r.machine.Memory, "the machine's memory in MiB, up to 2048")
	flags.IntVar(&r.machine.Shift, "icount-shift", r.machine.Shift, "an instruction takes 2^N ns of the machine's time: more turns of the processors, and more of the kernel, for larger N")
	flags.BoolVar(&r.machine.BootAnew, "boot-anew", false, "boot the machine although its state has been kept")
}

// ofSystem refuses flags that mean nothing with, or without, --system.
func ofSystem(command *cobra.Command, system bool) error {
	for _, name := range []string{"cpus", "kernel", "busybox", "file", "setup", "memory", "icount-shift", "boot-anew"} {
		if command.Flags().Changed(name) && !system {
			return usagef("--%s is for whole machines: add --system", name)
		}
	}
	for _, name := range []string{"cores", "instances", "children", "threads-to-cores", "begin", "end", "skip-instructions"} {
		if command.Flags().Changed(name) && system {
			hint := "a machine's processors are the cores, and all that they do is recorded"
			if name == "cores" {
				hint = "say --cpus"
			}
			return usagef("--%s is for single programs, not for --system: %s", name, hint)
		}
	}
	return nil
}

// record runs the recorder, draws its progress and prints its report.
func (a *app) record(ctx context.Context, config record.Config, out newFile) error {
	config.Progress = a.recordingProgress(config.Instances)
	done, err := record.Run(ctx, config, out.destination(nil))
	return a.endRecording(ctx, out.path, done, config.GoOn, err)
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

// interruptedOrigin is added to what a trace says of its origin when its recording was interrupted.
const interruptedOrigin = "; interrupted before its end"

// endRecording prints the report of a recording, or classifies why there is none.
func (a *app) endRecording(ctx context.Context, out string, done record.Result, goOn bool, err error) error {
	a.statusLine().clear()
	switch {
	case errors.Is(err, record.ErrNothing), errors.Is(err, recipe.ErrLimit), err != nil && ctx.Err() != nil:
		return wrongError{err}
	case errors.Is(err, record.ErrMissing):
		return usageError{err}
	case err != nil:
		return inputError{err}
	}
	if done.Interrupted {
		done.Metadata.Origin += interruptedOrigin
		if err := traces.Amend(out, traces.DefaultWriterConfig(), func(m *traces.Metadata) { m.Origin = done.Metadata.Origin }); err != nil {
			return inputError{err}
		}
	}
	if err := a.printRecording(out, done, goOn); err != nil {
		return err
	}
	switch {
	case done.Interrupted:
		return interruptedError{"what was recorded is in " + out}
	case done.Status != "":
		return wrongError{fmt.Errorf("the program ended with %s; what it did is in %s", done.Status, out)}
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

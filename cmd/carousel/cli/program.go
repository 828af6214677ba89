package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/workloads/riscv"
)

// programFlags name a program for RISC-V and what it may read.
type programFlags struct{ path, files string }

func (p *programFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.path, "program", "", "statically linked program for RISC-V, whose arguments follow -- (see carousel help live)")
	flags.StringVar(&p.files, "files", "", "folder whose files the program of --program may read")
}

// programArguments takes arguments for the program of --program, and no others.
func programArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 && !command.Flags().Changed("program") {
		return noArguments(command, args)
	}
	return nil
}

// programFailure classifies why a program for RISC-V could not be opened or did not end.
func programFailure(err error) error {
	if full := unwritten(err); full != nil {
		return full
	}
	if errors.Is(err, riscv.ErrProgram) || errors.As(err, new(*fs.PathError)) {
		return inputError{err}
	}
	return wrongError{err}
}

// programRecordFlags are those of carousel trace record that go with --program.
var programRecordFlags = []string{"program", "files", "output", "small", "name", "cores", "turn", "windows", "window-records", "no-fetches", "program-output", "go-on", "force"}

// recordProgram records a program for RISC-V.
func (a *app) recordProgram(command *cobra.Command, r *recording, args []string) (err error) {
	command.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(programRecordFlags, f.Name) {
			err = errors.Join(err, usagef("--%s does not work with --program", f.Name))
		}
	})
	if err != nil {
		return err
	}
	if err := r.newFile.check("trace", r.program.path); err != nil {
		return err
	}
	config := riscv.DefaultConfig()
	config.Threads, config.Arguments, config.Files, config.Fetches = r.config.Cores, args, r.program.files, !r.noFetches
	output, close, err := r.programOutput(a.stderr)
	if err != nil {
		return err
	}
	defer close()
	config.Output = output
	if err := config.Validate(); err != nil {
		return usageError{err}
	}
	p, err := riscv.Open(r.program.path, config)
	if err != nil {
		return programFailure(err)
	}
	how := riscv.DefaultRecording()
	how.Workload, how.Turn, how.Windows, how.WindowRecords = r.config.Workload, r.config.Turn, r.config.Windows, r.config.WindowRecords
	how.GoOn = r.config.GoOn
	done, err := riscv.Record(command.Context(), p, how, r.destination(nil))
	if err != nil && command.Context().Err() != nil {
		return interruptedError{"nothing is kept; start the command again"}
	}
	if err != nil {
		return programFailure(err)
	}
	written := inspect.NewWritten(r.path, done.Imported)
	written.Ended, written.Program = "the marker of the region's end was reached", "stopped at the end of the region"
	if done.Exited {
		written.Ended, written.Program = "the program ended", riscv.Ending(done.Status)
	}
	if err := a.printWritten(written, "ended because "+written.Ended, "program: "+written.Program); err != nil {
		return err
	}
	if done.Status != 0 {
		return wrongError{fmt.Errorf("the program ended with exit status %d; its recording up to that point is in %s", done.Status, r.path)}
	}
	return nil
}

// Package cli is the command carousel.
//
// cli.go starts and ends the program; root.go has what all commands share and the list of commands,
// commands.md their help texts, config.go how flags become configuration, output.go how results are
// printed. What the commands do is in packages: analysis/config and analysis/experiment/plan make
// studies, analysis/experiment runs them, coherence/cmp is the chip. The tests of whole command lines
// are in cmd/carousel, with the scripts of its testdata.
//
// To add a command: write a function that returns a *cobra.Command, add one line to the list in
// root.go, and a section to commands.md.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/results"
)

// Main runs the command line of the program and ends it with its exit code. A program that adds a
// router is
//
//	func main() { cli.Main(cli.Extra{Routers: []models.Model{mine}}) }
func Main(extra ...Extra) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	os.Exit(Execute(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr, extra...))
}

// Execute runs one command line and returns the exit code: 0 done, 1 something wrong was found, 2
// bad usage or configuration, 3 bad input file, 130 interrupted.
func Execute(ctx context.Context, args, environment []string, stdout, stderr io.Writer, extra ...Extra) (code int) {
	defer func() {
		if broken := recover(); broken != nil {
			fmt.Fprintf(stderr, "carousel: internal error: %v\n\n%s\nThis is a defect of carousel; please report it with the command line and these lines.\n",
				broken, debug.Stack())
			code = exitWrong
		}
	}()
	streams := onScreen(stdout, stderr)
	a := &app{stdout: streams[0], stderr: streams[1], args: args, environment: environment}
	if err := a.add(extra...); err != nil {
		fmt.Fprintf(stderr, "carousel: %v\n", err)
		return exitUsage
	}
	root := rootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "carousel: %v\n", err)
	}
	return exitCode(err)
}

// The exit codes.
const (
	exitDone        = 0
	exitWrong       = 1 // the simulation or a check found something wrong
	exitUsage       = 2
	exitInput       = 3
	exitInterrupted = 130
)

// usageError is a mistake in the command line or the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// inputError is a bad input file.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// wrongError is something wrong that a simulation or a check has found.
type wrongError struct{ error }

func (e wrongError) Unwrap() error { return e.error }

// interruptedError tells what was saved when the user stopped a command.
type interruptedError struct{ saved string }

func (e interruptedError) Error() string { return "interrupted; " + e.saved }

func usagef(format string, parts ...any) error { return usageError{fmt.Errorf(format, parts...)} }

// unwritten returns the error about a new file that a file system does not take, such as a full one,
// or nil where err is about something else.
func unwritten(err error) error {
	var refused *fs.PathError
	if !errors.As(err, &refused) || !slices.Contains([]string{"write", "chmod", "sync", "rename"}, refused.Op) {
		return nil
	}
	return usagef("the new file in %s could not be written, and nothing is left of it: %w; make room, or choose another place",
		filepath.Dir(refused.Path), refused.Err)
}

// exitCode classifies an error. An error without a class comes from the parser of the command line
// or from a file that cannot be written: the user can correct both.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled), errors.As(err, new(interruptedError)):
		return exitInterrupted
	case errors.As(err, new(inputError)), errors.As(err, new(*config.InputError)):
		return exitInput
	case errors.As(err, new(wrongError)), errors.As(err, new(*results.Error)):
		return exitWrong
	}
	return exitUsage
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/results"
)

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

// exitCode classifies an error. What nobody has classified comes from the parser of the command
// line or from a file that cannot be written: both are for the user to correct.
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
